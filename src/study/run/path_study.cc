#include "study/run/path_study.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/nearest_word.h"
#include "base/stable_hash.h"
#include "fabric/fabric.h"
#include "study/assembly/build_controller.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_resweeps.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"
#include "study/scenario/selector.h"
#include "study/world/network_view.h"
#include "study/world/path_model.h"

namespace weft::study::run {
namespace {

using fabric::NodeIndex;
using fabric::PortIndex;
using results::LoadStatistics;
using world::PathLoads;
using world::PathModel;
using world::PathRules;

/// Nobody is told of anything: nothing runs.
struct UnheardMessages final : workload::MessageSink {
  void on_message(const workload::MessageRecord& /*record*/) override {}
};

/// A scenario's connections, and what will be sent over them.
struct OpenedFlows {
  std::unique_ptr<Simulation> simulation;
  FlowPlan plan;
};

/// Connections are opened as if nothing had failed: what fails is left to the model.
Result<OpenedFlows> open_flows(const scenario::Scenario& scenario, UnheardMessages& nobody) {
  Result<std::unique_ptr<Simulation>> simulation = Simulation::create(scenario, nobody);
  if (!simulation) {
    return pass_on(simulation);
  }
  Result<FlowPlan> plan = (*simulation)->planned_flows();
  if (!plan) {
    return pass_on(plan);
  }
  return OpenedFlows{.simulation = *std::move(simulation), .plan = *std::move(plan)};
}

std::string tier_word(std::uint8_t tier) {
  switch (tier) {
    case 0:
      return "switch";
    case 1:
      return "leaf";
    case 2:
      return "spine";
    case 3:
      return "core";
    default:
      return fmt::format("tier {}", tier);
  }
}

LoadStatistics statistics_of(std::vector<double> values) {
  LoadStatistics made;
  if (values.empty()) {
    return made;
  }
  std::ranges::sort(values);
  for (const double value : values) {
    made.mean += value / static_cast<double>(values.size());
  }
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(values.size())));
  made.p95 = values[std::max<std::size_t>(rank, 1) - 1];
  made.least = values.front();
  made.most = values.back();
  return made;
}

bool hashes_queue_pair(const scenario::RoutingSettings& routing) {
  return std::ranges::count(routing.hash_fields, scenario::HashedField::kDestinationQp) > 0;
}

std::string fields_text(const scenario::RoutingSettings& routing) {
  std::vector<scenario::HashedField> fields = routing.hash_fields;
  if (routing.policy == scenario::RoutingPolicy::kEnhancedEcmp && !hashes_queue_pair(routing)) {
    fields.push_back(scenario::HashedField::kDestinationQp);
  }
  std::vector<std::string_view> words;
  for (const scenario::HashedField field : fields) {
    words.push_back(scenario::word_of(field));
  }
  return fmt::format("{}", fmt::join(words, "+"));
}

/// The links between switches that are up, and which tier each belongs to.
class LinkTiers {
 public:
  explicit LinkTiers(const PathModel& model) : tier_of_(model.ports().size(), kNone) {
    const fabric::Graph& graph = model.graph();
    std::map<std::pair<int, int>, std::uint32_t> known;
    for (PortIndex port = graph.endpoints; port < tier_of_.size(); ++port) {
      const NodeIndex to = model.peer_of(port);
      if (to.value() < graph.endpoints || model.is_down(model.ports().link_of(port))) {
        continue;
      }
      const fabric::Node& from = graph[model.ports().end_of(port).node];
      const std::pair<int, int> tiers{from.tier, graph[to].tier};
      const auto [found, is_new] = known.try_emplace(tiers, static_cast<std::uint32_t>(names_.size()));
      if (is_new) {
        names_.push_back(tier_word(from.tier) + " > " + tier_word(graph[to].tier));
      }
      tier_of_[port] = found->second;
    }
  }
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  [[nodiscard]] std::uint32_t of(PortIndex port) const { return tier_of_[port]; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::uint32_t> tier_of_;
  std::vector<std::string> names_;
};

/// The same rules under another seed, which stands for the i-th seed of all such studies.
PathRules under_seed(const PathRules& rules, std::uint32_t i) {
  PathRules made = rules;
  made.run_seed = stable_hash(rules.run_seed, fmt::format("paths/{}", i));
  if (rules.hash_seed) {
    made.hash_seed = made.run_seed;
  }
  return made;
}

/// One set of flows under all rules that are asked about.
class SetStudy {
 public:
  SetStudy(const PathModel& model, const LinkTiers& tiers, const PathRules& rules, const FlowSet& set)
      : model_(model), tiers_(tiers), rules_(rules), flows_(set.flows) {
    made_.name = set.name;
    made_.flows = set.flows.size();
    std::set<EndpointId> senders;
    for (const world::PlannedFlow& flow : set.flows) {
      senders.insert(flow.source);
    }
    made_.senders = senders.size();
  }

  void examine_scenario() {
    const bool few = flows_.size() <= Simulation::kMaxFlows;
    const PathLoads loads = model_.loads(flows_, rules_, few ? PathModel::Keep::kFlows : PathModel::Keep::kLoads);
    PathRules spread = rules_;
    spread.policy = fabric::PathPolicy::kSpray;
    spread.linear = nullptr;
    fill_tiers(loads, model_.loads(flows_, spread));
    fill_uses(loads);
    fill_links(loads);
    made_.cut_off = loads.cut_off;
    made_.has_shares = few && loads.cut_off < flows_.size();
    if (made_.has_shares) {
      fill_shares(loads);
    }
  }

  struct Names {
    std::string function;
    std::string fields;
  };
  void examine_variant(const PathRules& rules, const Names& names, std::uint32_t seeds) {
    std::vector<std::vector<double>> by_tier(tiers_.names().size());
    std::vector<double> worst;
    results::PathVariant variant{.function = names.function, .fields = names.fields};
    for (std::uint32_t i = 0; i < seeds; ++i) {
      const PathLoads loads = model_.loads(flows_, under_seed(rules, i));
      worst.push_back(world::worst_load(model_, loads));
      const std::vector<double> of_tiers = worst_of_tiers(loads);
      for (std::size_t tier = 0; tier < of_tiers.size(); ++tier) {
        by_tier[tier].push_back(of_tiers[tier]);
      }
      constexpr double kRounding = 1e-9;
      variant.free += worst.back() <= 1 + kRounding ? 1.0 / seeds : 0;
      variant.used += used_above_leaves(loads) / seeds;
    }
    variant.worst = statistics_of(worst);
    variant.is_scenario = made_.variants.empty();
    if (variant.is_scenario) {
      for (results::PathTier& tier : made_.tiers) {
        const auto place = std::ranges::find(tiers_.names(), tier.name) - tiers_.names().begin();
        tier.seeds = statistics_of(by_tier[static_cast<std::size_t>(place)]);
      }
    }
    made_.variants.push_back(std::move(variant));
  }

  [[nodiscard]] results::PathSet take() { return std::move(made_); }

 private:
  /// Of the flows that have a path, at least one.
  void fill_shares(const PathLoads& loads) {
    const std::vector<double> shares = model_.shares(flows_, loads);
    const auto arriving = static_cast<double>(flows_.size() - loads.cut_off);
    made_.mean = 0;
    made_.slowest = 1;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!loads.flows[i].empty()) {
        made_.mean += shares[i] / arriving;
        made_.slowest = std::min(made_.slowest, shares[i]);
      }
    }
  }

  [[nodiscard]] double load_of(const PathLoads& loads, PortIndex port) const {
    return loads.links[port].demand / model_.rate_of(port);
  }

  [[nodiscard]] std::vector<double> worst_of_tiers(const PathLoads& loads) const {
    std::vector<double> worst(tiers_.names().size(), 0);
    for (PortIndex port = 0; port < loads.links.size(); ++port) {
      if (const std::uint32_t tier = tiers_.of(port); tier != LinkTiers::kNone) {
        worst[tier] = std::max(worst[tier], load_of(loads, port));
      }
    }
    return worst;
  }

  void fill_tiers(const PathLoads& loads, const PathLoads& even) {
    std::vector<results::PathTier> tiers(tiers_.names().size());
    for (PortIndex port = 0; port < loads.links.size(); ++port) {
      if (tiers_.of(port) == LinkTiers::kNone) {
        continue;
      }
      results::PathTier& tier = tiers[tiers_.of(port)];
      ++tier.links;
      tier.used += loads.links[port].flows > 0 ? 1 : 0;
      const double load = load_of(loads, port);
      tier.mean += load;
      if (load > tier.worst) {
        tier.worst = load;
        tier.flows = loads.links[port].flows;
        tier.at = fabric::port_name(model_.graph(), model_.ports().end_of(port));
      }
    }
    const std::vector<double> least = worst_of_tiers(even);
    for (std::size_t i = 0; i < tiers.size(); ++i) {
      tiers[i].name = tiers_.names()[i];
      tiers[i].mean /= static_cast<double>(tiers[i].links);
      tiers[i].even = least[i];
    }
    std::erase_if(tiers, [](const results::PathTier& tier) { return tier.used == 0; });
    made_.tiers = std::move(tiers);
  }

  void fill_uses(const PathLoads& loads) {
    std::map<std::uint8_t, results::TierUse> by_tier;
    for (std::uint32_t ordinal = 0; ordinal < loads.switches.size(); ++ordinal) {
      const world::SwitchUse& use = loads.switches[ordinal];
      if (use.members < 2) {
        continue;
      }
      const std::uint8_t tier = model_.graph().nodes[model_.graph().endpoints + ordinal].tier;
      results::TierUse& row = by_tier[tier];
      row.name = tier_word(tier);
      ++row.switches;
      row.members += use.members;
      row.used += use.used;
      // Of as many choices among so many, each of which is equally likely.
      row.independent += use.members * (1 - std::pow(1 - 1.0 / use.members, use.flows));
    }
    for (auto& [tier, row] : by_tier) {
      made_.uses.push_back(std::move(row));
    }
  }

  /// A share of the members; 1 where nobody above the leaves has a choice.
  [[nodiscard]] double used_above_leaves(const PathLoads& loads) const {
    std::uint64_t members = 0;
    std::uint64_t used = 0;
    for (std::uint32_t ordinal = 0; ordinal < loads.switches.size(); ++ordinal) {
      const world::SwitchUse& use = loads.switches[ordinal];
      if (use.members > 1 && model_.graph().nodes[model_.graph().endpoints + ordinal].tier > 1) {
        members += use.members;
        used += use.used;
      }
    }
    return members == 0 ? 1 : static_cast<double>(used) / static_cast<double>(members);
  }

  void fill_links(const PathLoads& loads) {
    const fabric::Graph& graph = model_.graph();
    for (PortIndex port = 0; port < loads.links.size(); ++port) {
      if (tiers_.of(port) == LinkTiers::kNone) {
        continue;
      }
      const world::LinkLoad& load = loads.links[port];
      made_.links.push_back({.port = fabric::port_name(graph, model_.ports().end_of(port)),
                             .peer = graph[model_.peer_of(port)].name,
                             .tier = tiers_.names()[tiers_.of(port)],
                             .rate = Rate::bits_per_second(std::llround(model_.rate_of(port))),
                             .flows = load.flows,
                             .demand = Rate::bits_per_second(std::llround(load.demand)),
                             .load = load_of(loads, port)});
    }
  }

  const PathModel& model_;
  const LinkTiers& tiers_;
  const PathRules& rules_;
  const std::vector<world::PlannedFlow>& flows_;
  results::PathSet made_;
};

/// A scenario, as far as its switches' choices go.
struct Choices {
  PathRules rules;
  std::vector<std::uint32_t> link_weight;
  fabric::LinearTables tables;  // of a subnet manager
  fabric::PathLevels levels;
  std::vector<fabric::LinkEvent> events;
};

/// What a subnet manager has written into switches once it knows of these events, which are the first of all.
Result<void> sweep(const scenario::Scenario& scenario, const fabric::Graph& graph,
                   const std::vector<fabric::LinkEvent>& all, Choices& made) {
  if (made.events.empty() || !scenario::has_manager(scenario.routing)) {
    return {};
  }
  Result<assembly::ResweepPlan> plan = assembly::plan_resweeps(scenario, graph, all);
  if (!plan) {
    return pass_on(plan);
  }
  Time known;
  for (const fabric::LinkEvent& event : made.events) {
    known = later(known, event.at + event.reroute_delay);
  }
  plan->schedule.take_due(known, made.tables, made.levels);
  return {};
}

Result<Choices> choices_of(const scenario::Scenario& scenario, const fabric::Graph& graph, Time at) {
  Choices made;
  std::vector<fabric::LinkEvent> events;
  const auto take = [&](const auto& options) {
    const auto& first = options.switches.front();
    made.rules = {.policy = first.path,
                  .switches_choose = assembly::chooses_by_load(scenario),
                  .hash = first.balancing.hash,
                  .weighting = first.balancing.weighting,
                  .hash_seed = first.hash_seed,
                  .run_seed = static_cast<std::uint64_t>(scenario.seed),
                  .lid_mask_control = static_cast<std::uint8_t>(scenario.routing.lmc)};
    made.link_weight = options.link_weight;
    events = options.events;
  };
  Result<fabric::AnyFabricOptions> options = assembly::fabric_options(scenario, graph);
  if (!options) {
    return pass_on(options);
  }
  std::visit(take, *options);
  if (auto* const infiniband = std::get_if<fabric::InfiniBandOptions>(&*options)) {
    made.tables = std::move(infiniband->tables);
    made.levels = std::move(infiniband->levels);
  }
  made.rules.header = assembly::header_hash_of(scenario.routing).value_or(fabric::HeaderHash{});
  std::ranges::copy_if(events, std::back_inserter(made.events),
                       [at](const fabric::LinkEvent& event) { return event.at <= at; });
  if (Result<void> swept = sweep(scenario, graph, events, made); !swept) {
    return pass_on(swept);
  }
  return made;
}

PathModel::Options model_options(const scenario::Scenario& scenario, const Choices& choices) {
  return {.link_weight = choices.link_weight,
          .rule = assembly::route_rule_of(scenario.routing.policy),
          .events = choices.events,
          .keeps_history = choices.rules.hash.buckets > 0};
}

/// Links that are asked to be left out, as events before all others. Errors: a selector that names none.
Result<void> take_links_out(const std::vector<std::string>& selectors, const fabric::Graph& graph,
                            scenario::Scenario& scenario) {
  std::vector<std::string> names;
  for (const fabric::Link& link : graph.links) {
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      names.push_back(fabric::port_name(graph, end));
    }
  }
  for (const std::string& selector : selectors) {
    if (std::ranges::none_of(names, [&](const std::string& name) { return scenario::selects(selector, name); })) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      const std::optional<std::string_view> near = nearest_word(selector, known);
      return fail("--without-link: no link has a port '{}'{}", selector,
                  near ? fmt::format("; did you mean '{}'?", *near) : ", such as '" + names.front() + "'");
    }
    scenario::EventSettings failure;
    failure.select = selector;
    scenario.events.insert(scenario.events.begin(), failure);
  }
  return {};
}

std::vector<std::string> names_of_links_down(const PathModel& model) {
  const fabric::Graph& graph = model.graph();
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    if (model.is_down(fabric::LinkIndex(i))) {
      // As one would name it: by the port of the lower of its ends.
      names.push_back(fabric::port_name(graph, graph.links[i].a) + " - " + fabric::port_name(graph, graph.links[i].b));
    }
  }
  return names;
}

bool hashes_numbers(const scenario::RoutingSettings& routing) {
  return routing.policy == scenario::RoutingPolicy::kEnhancedEcmp ||
         (scenario::hashes_flows(routing.policy) && hashes_queue_pair(routing));
}

bool opens_later(const scenario::Scenario& scenario) {
  return !scenario.jobs.empty() || std::ranges::any_of(scenario.traffic, [](const scenario::TrafficSettings& own) {
    return own.start > Duration::zero() || own.start_jitter > Duration::zero() || !own.file.empty();
  });
}

/// What of a run is not foreseen.
std::vector<std::string> notes_of(const scenario::Scenario& scenario, const FlowPlan& plan) {
  std::vector<std::string> notes;
  const bool by_port = scenario.fabric.family == scenario::Family::kRoceV2 &&
                       scenario.transport.path_selector == scenario::PathRule::kPlb;
  const bool by_label =
      is_over_tcp(scenario.fabric.family) && scenario.tcp.path_selector == scenario::TcpPathRule::kPlb;
  if (by_port || by_label) {
    notes.emplace_back(
        "PLB: the loads are those of each queue pair's first path; where it moves to is drawn in a run, and not "
        "known.");
  }
  if (hashes_numbers(scenario.routing) && opens_later(scenario)) {
    notes.emplace_back(
        "Hashed by the numbers of queue pairs, which those of connections that a run opens later than at its beginning "
        "(jobs, start, start_jitter, flows that wait) have otherwise: which links carry more is not foreseen, how "
        "uneven they are is.");
  }
  if (!plan.left_out.empty()) {
    notes.push_back(fmt::format("Left out, as its connections come and go as long as the jobs last: {}.",
                                fmt::join(plan.left_out, ", ")));
  }
  std::vector<std::string> groups;
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    if (traffic.kind == scenario::TrafficKind::kMulticast) {
      groups.push_back(traffic.name);
    }
  }
  if (!groups.empty()) {
    notes.push_back(
        fmt::format("Left out, as switches replicate the packets of multicast groups: {}.", fmt::join(groups, ", ")));
  }
  if (!plan.streams.empty()) {
    notes.push_back(
        fmt::format("Over TCP: {}. Its ports follow from the numbers of queue pairs, which those of connections that a "
                    "run opens later than at its beginning may have otherwise.",
                    fmt::join(plan.streams, ", ")));
  }
  return notes;
}

/// What is asked beside the scenario, as settings of routing.
std::vector<scenario::RoutingSettings> variants_of(const scenario::Scenario& scenario,
                                                   const PathStudyOptions& options) {
  std::vector<scenario::RoutingSettings> made{scenario.routing};
  scenario::RoutingSettings other = scenario.routing;
  if (options.function || !options.fields.empty()) {
    other.hash_function = options.function.value_or(other.hash_function);
    other.hash_fields = options.fields.empty() ? other.hash_fields : options.fields;
    made.push_back(other);
    return made;
  }
  for (const fabric::HashFunctionRow& row : fabric::hash_functions()) {
    if (row.function != scenario.routing.hash_function) {
      other.hash_function = row.function;
      made.push_back(other);
    }
  }
  other = scenario.routing;
  if (other.policy == scenario::RoutingPolicy::kEnhancedEcmp) {
    other.policy = scenario::RoutingPolicy::kEcmp;
    made.push_back(other);
  } else if (scenario.fabric.family == scenario::Family::kRoceV2 && !hashes_queue_pair(other)) {
    other.hash_fields.push_back(scenario::HashedField::kDestinationQp);
    made.push_back(other);
  }
  return made;
}

/// The entries that a controller would install if the flows of a set were all that there is.
std::vector<fabric::PinnedFlows> tables_of(const PathModel& model, const std::vector<world::PlannedFlow>& flows,
                                           const scenario::RoutingSettings& routing) {
  const world::ControllerOptions options = assembly::controller_options(routing);
  const world::NetworkView network(model.graph());
  const fabric::Routes routes(model.graph());
  control::View view = network.view();
  for (std::uint32_t i = 0; i < view.arcs.size(); ++i) {
    const world::PathHop hop = network.hop_of(control::ArcIndex(i));
    const PortIndex port = model.ports().first_of(NodeIndex(model.graph().endpoints + hop.switch_ordinal)) + hop.port;
    view.arcs[i].state = model.is_down(model.ports().link_of(port)) ? control::ArcState::kDown : control::ArcState::kUp;
    view.arcs[i].capacity = Rate::bits_per_second(std::llround(model.rate_of(port)));
  }
  const std::vector<double> demands = model.demands_of(flows);
  const bool all = options.algorithm == world::PlacementAlgorithm::kCommunicators;
  std::vector<world::DemandedFlow> placed;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double line = static_cast<double>(network.line_of(flows[i].source).bits_per_second());
    if (!flows[i].any_path && (all || demands[i] >= options.threshold * line)) {
      placed.push_back({.flow = world::pinned_name(flows[i]), .rate = Rate::bits_per_second(std::llround(demands[i]))});
    }
  }
  std::vector<fabric::PinnedFlows> tables(model.graph().switches(),
                                          fabric::PinnedFlows(static_cast<std::uint32_t>(routing.controller_table)));
  world::FlowPlacement made = world::place_flows(network, view, placed, options.algorithm, options.most_paths);
  std::ranges::stable_sort(made.placed, std::greater<>(), &world::FlowPlacement::Placed::rate);
  for (const world::FlowPlacement::Placed& flow : made.placed) {
    // Without room a flow goes by its hash.
    (void)world::install_path(flow.flow, network.hops_of(flow.path), routes,
                              [&](std::uint32_t ordinal) -> fabric::PinnedFlows& { return tables[ordinal]; });
  }
  return tables;
}

Result<void> check_variants(const scenario::Scenario& scenario, const PathStudyOptions& options) {
  if (scenario::detours(scenario.routing.policy)) {
    return fail(
        "with routing.policy = \"{}\" packets go over groups that are chosen as they come, so their paths are not "
        "known before a run; use --set routing.policy=adaptive for the direct ones",
        scenario::word_of(scenario.routing.policy));
  }
  if (!scenario::hashes_flows(scenario.routing.policy)) {
    return options.function || !options.fields.empty()
               ? fail(
                     "with routing.policy = \"{}\" no flow is hashed, so neither function nor fields can be asked for; "
                     "use --set routing.policy=ecmp",
                     scenario::word_of(scenario.routing.policy))
               : Result<void>();
  }
  scenario::Scenario asked = scenario;
  for (const scenario::RoutingSettings& routing : variants_of(scenario, options)) {
    asked.routing = routing;
    if (Result<void> right = scenario::validate_protocols(asked); !right) {
      return right;
    }
  }
  return {};
}

HashReach reach_of(const PathModel& model, const PathRules& rules, const FlowSet& set, std::uint32_t seeds) {
  const auto load = [&](const PathRules& asked) {
    return std::max(world::worst_load(model, model.loads(set.flows, asked)), 1.0);
  };
  const double own = load(rules);
  std::vector<double> factors;
  for (std::uint32_t i = 0; i < seeds; ++i) {
    factors.push_back(load(under_seed(rules, i)) / own);
  }
  std::ranges::sort(factors);
  constexpr double kOneInForty = 0.025;
  const auto outside = static_cast<std::size_t>(kOneInForty * static_cast<double>(seeds));
  return {.purpose = set.purpose,
          .less = std::min(factors[outside], 1.0),
          .more = std::max(factors[factors.size() - 1 - outside], 1.0)};
}

/// One direction of a link between switches carries flows of two senders.
bool do_meet(const PathModel& model, const PathRules& rules, const std::vector<world::PlannedFlow>& flows) {
  const PathLoads loads = model.loads(flows, rules, PathModel::Keep::kFlows);
  const std::uint32_t endpoints = model.graph().endpoints;
  std::vector<EndpointId> first(model.ports().size(), EndpointId::invalid());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const world::LinkUse& use : loads.flows[i]) {
      if (use.link < endpoints || model.peer_of(use.link).value() < endpoints) {
        continue;
      }
      EndpointId& sender = first[use.link];
      if (sender.is_valid() && sender != flows[i].source) {
        return true;
      }
      sender = flows[i].source;
    }
  }
  return false;
}

/// Calls take(model, choices, set) for the flows of each operation of the scenario's jobs.
template <class Take>
Result<void> visit_operations(const scenario::Scenario& scenario, const Take& take) {
  UnheardMessages nobody;
  Result<OpenedFlows> opened = open_flows(scenario, nobody);
  if (!opened) {
    return pass_on(opened);
  }
  const fabric::Graph& graph = opened->simulation->world().graph();
  Result<Choices> choices = choices_of(scenario, graph, Time::zero());
  if (!choices) {
    return pass_on(choices);
  }
  const PathModel model(graph, model_options(scenario, *choices));
  for (const FlowSet& set : opened->plan.sets) {
    if (!set.purpose.empty()) {
      take(model, *choices, set);
    }
  }
  return {};
}

}  // namespace

Result<results::PathReport> study_paths(const scenario::Scenario& given, const PathStudyOptions& options) {
  if (Result<void> possible = check_variants(given, options); !possible) {
    return pass_on(possible);
  }
  UnheardMessages nobody;
  Result<OpenedFlows> opened = open_flows(given, nobody);
  if (!opened) {
    return pass_on(opened);
  }
  const fabric::Graph& graph = opened->simulation->world().graph();
  scenario::Scenario scenario = given;
  if (Result<void> taken = take_links_out(options.without_links, graph, scenario); !taken) {
    return pass_on(taken);
  }
  Result<Choices> choices = choices_of(scenario, graph, Time::zero() + options.at);
  if (!choices) {
    return pass_on(choices);
  }
  const PathModel model(graph, model_options(scenario, *choices));
  const LinkTiers tiers(model);
  results::PathReport report{.scenario = scenario.name,
                             .policy = std::string(scenario::word_of(scenario.routing.policy)),
                             .function = std::string(scenario::word_of(scenario.routing.hash_function)),
                             .fields = fields_text(scenario.routing),
                             .hashes = choices->rules.policy == fabric::PathPolicy::kEcmp,
                             .seeds = options.seeds,
                             .links_down = names_of_links_down(model),
                             .notes = notes_of(scenario, opened->plan)};
  for (const FlowSet& set : opened->plan.sets) {
    PathRules rules = choices->rules;
    rules.linear = &choices->tables;
    std::vector<fabric::PinnedFlows> tables;
    if (rules.policy == fabric::PathPolicy::kCentral) {
      tables = tables_of(model, set.flows, scenario.routing);
      rules.tables = tables;
    }
    SetStudy study(model, tiers, rules, set);
    study.examine_scenario();
    if (report.hashes) {
      for (const scenario::RoutingSettings& routing : variants_of(scenario, options)) {
        PathRules asked = choices->rules;
        asked.header = assembly::header_hash_of(routing).value_or(fabric::HeaderHash{});
        asked.hash.function = routing.hash_function;
        study.examine_variant(
            asked, {.function = std::string(scenario::word_of(routing.hash_function)), .fields = fields_text(routing)},
            options.seeds);
      }
    }
    report.sets.push_back(study.take());
  }
  return report;
}

Result<std::vector<HashReach>> hash_reaches(const scenario::Scenario& scenario, std::uint32_t seeds) {
  std::vector<HashReach> made;
  if (!scenario::hashes_flows(scenario.routing.policy) || scenario::detours(scenario.routing.policy) || seeds == 0) {
    return made;
  }
  Result<void> visited =
      visit_operations(scenario, [&made, seeds](const PathModel& model, const Choices& choices, const FlowSet& set) {
        if (choices.rules.policy != fabric::PathPolicy::kEcmp) {
          return;
        }
        const HashReach own = reach_of(model, choices.rules, set, seeds);
        const auto known = std::ranges::find(made, set.purpose, &HashReach::purpose);
        if (known == made.end()) {
          made.push_back(own);
        } else {
          known->less = std::min(known->less, own.less);
          known->more = std::max(known->more, own.more);
        }
      });
  if (!visited) {
    return pass_on(visited);
  }
  return made;
}

Result<std::set<std::pair<std::string, std::string>>> meeting_operations(const scenario::Scenario& scenario) {
  std::set<std::pair<std::string, std::string>> made;
  Result<void> visited = visit_operations(
      scenario, [&made, &scenario](const PathModel& model, const Choices& choices, const FlowSet& set) {
        PathRules rules = choices.rules;
        rules.linear = &choices.tables;
        std::vector<fabric::PinnedFlows> tables;
        if (rules.policy == fabric::PathPolicy::kCentral) {
          tables = tables_of(model, set.flows, scenario.routing);
          rules.tables = tables;
        }
        if (do_meet(model, rules, set.flows)) {
          made.emplace(set.name.substr(0, set.name.rfind(": ")), set.purpose);
        }
      });
  if (!visited) {
    return pass_on(visited);
  }
  return made;
}

}  // namespace weft::study::run
