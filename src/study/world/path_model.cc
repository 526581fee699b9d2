#include "study/world/path_model.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/stable_hash.h"
#include "fabric/routing/path_choice.h"
#include "fabric/routing/path_pinning.h"
#include "study/world/path_cuts.h"
#include "study/world/world.h"

namespace weft::study::world {

using fabric::NodeIndex;
using fabric::PortIndex;

namespace {

/// Whether all packets of a flow take one path.
bool keeps_flows(fabric::PathPolicy policy) {
  return policy == fabric::PathPolicy::kEcmp || policy == fabric::PathPolicy::kTable ||
         policy == fabric::PathPolicy::kPinned || policy == fabric::PathPolicy::kCentral;
}

}  // namespace

fabric::LeafFlow pinned_name(const PlannedFlow& flow) {
  return {.source = flow.source, .destination = flow.destination, .hash = flow.tuple_hash, .priority = 0};
}

/// One walk of all flows under one set of rules.
class PathModel::Walk {
 public:
  Walk(const PathModel& model, const PathRules& rules)
      : model_(model),
        rules_(rules),
        weights_(model.weights_of(rules.weighting, model.now())),
        sets_(model.graph_.switches()),
        made_{.links = std::vector<LinkLoad>(model.ports_.size()),
              .switches = std::vector<SwitchUse>(model.graph_.switches())} {
    std::vector<fabric::HashGroups::Switch> switches;
    for (std::uint32_t i = 0; i < model.graph_.switches(); ++i) {
      const fabric::Node& node = model.graph_.nodes[model.graph_.endpoints + i];
      seeds_.push_back(rules.hash_seed.value_or(stable_hash(rules.run_seed, node.name)));
      switches.push_back(
          {.options = rules.hash, .seed = seeds_.back(), .weighs = rules.weighting != fabric::Weighting::kEqual});
    }
    if (rules.policy == fabric::PathPolicy::kEcmp && !rules.hash.is_plain()) {
      groups_ = fabric::HashGroups(model.graph_, std::move(switches));
      for (const State& state : std::span(model.states_).last(rules.hash.buckets > 0 ? model.states_.size() : 1)) {
        groups_.update(state.routes, model.weights_of(rules.weighting, state));
      }
    }
    if (rules.policy == fabric::PathPolicy::kTable) {
      table_.emplace(model.graph_);
    }
  }

  /// What is kept of a flow, if it is.
  struct Kept {
    FlowLinks* links = nullptr;
    std::vector<std::uint32_t>* hops = nullptr;
  };
  void add(const PlannedFlow& flow, double demand, const Kept& kept) {
    const bool spreads = flow.any_path || !keeps_flows(rules_.policy);
    const std::uint32_t hash = rules_.header == fabric::HeaderHash{} ? flow.tuple_hash : rules_.header.of(flow.headers);
    const PortIndex first = model_.ports_.first_of(model_.graph_.node_of(flow.source));
    passed_.clear();
    hops_.clear();
    offers_.clear();
    taken_.clear();
    front_.assign(1, {first, 1.0});
    cut_off_ = model_.is_down(model_.ports_.link_of(first));
    for (int hop = 0; hop < kMaxHops && !front_.empty() && !cut_off_; ++hop) {
      next_.clear();
      hops_.push_back(static_cast<std::uint32_t>(front_.size()));
      for (const auto& [port, part] : front_) {
        passed_.emplace_back(port, part);
        if (const NodeIndex node = model_.peers_[port]; node.value() >= model_.graph_.endpoints) {
          leave(node, part, {.flow = flow, .hash = hash, .spreads = spreads});
        }
      }
      std::swap(front_, next_);
    }
    if (cut_off_) {
      ++made_.cut_off;
    } else {
      count(demand, kept.links);
      if (kept.hops != nullptr && (flow.chooses || rules_.switches_choose)) {
        *kept.hops = hops_;
      }
    }
  }

  [[nodiscard]] PathLoads take() {
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      made_.switches[i].members = static_cast<std::uint32_t>(std::ranges::count(sets_[i].offered, true));
      made_.switches[i].used = static_cast<std::uint32_t>(std::ranges::count(sets_[i].taken, true));
    }
    return std::move(made_);
  }

 private:
  /// Ports of one switch that flows took, and could have taken.
  struct PortSets {
    std::vector<bool> taken;
    std::vector<bool> offered;
  };
  /// Next hops among which the flow under way had a choice.
  struct Offer {
    std::uint32_t ordinal = 0;
    fabric::NextHops hops{};
  };
  struct Passing {
    const PlannedFlow& flow;
    std::uint32_t hash = 0;
    bool spreads = false;
  };

  /// The flow under way arrives: one that does not loads nothing, for its sender gets no answer.
  void count(double demand, FlowLinks* kept) {
    for (const auto& [port, part] : passed_) {
      made_.links[port].flows += part;
      made_.links[port].demand += part * demand;
      if (kept != nullptr) {
        kept->push_back({.link = port, .part = part});
      }
    }
    for (const Offer& offer : offers_) {
      note_offered(offer.ordinal, offer.hops);
    }
    for (const auto& [ordinal, port] : taken_) {
      sets_[ordinal].taken[port] = true;
    }
  }

  void leave(NodeIndex node, double part, const Passing& passing) {
    const std::uint32_t ordinal = node.value() - model_.graph_.endpoints;
    const fabric::NextHops hops = hops_of(ordinal, passing.flow);
    cut_off_ = cut_off_ || hops.empty();
    if (hops.size() > 1) {
      offers_.push_back({.ordinal = ordinal, .hops = hops});
    }
    const std::uint32_t leaf = model_.routes().leaf_of(passing.flow.destination);
    const std::uint32_t* const weights = hops.size() > 1 ? weights_.of(ordinal, leaf) : nullptr;
    if (!passing.spreads && !hops.empty()) {
      return go(node, hops.size() == 1 ? hops[0] : chosen(ordinal, hops, passing, weights), part, hops.size() > 1);
    }
    double total = 0;
    for (std::uint32_t i = 0; i < hops.size(); ++i) {
      total += weights == nullptr ? 1 : weights[i];
    }
    for (std::uint32_t i = 0; i < hops.size(); ++i) {
      go(node, hops[i], part * (weights == nullptr ? 1 : weights[i]) / total, hops.size() > 1);
    }
  }

  [[nodiscard]] fabric::ForwardingTable::Target lid_of(const PlannedFlow& flow) const {
    return {.destination = flow.destination, .offset = flow.entropy & ((1U << rules_.lid_mask_control) - 1)};
  }

  [[nodiscard]] fabric::NextHops hops_of(std::uint32_t ordinal, const PlannedFlow& flow) const {
    return rules_.linear == nullptr || rules_.linear->empty() ? model_.routes().next_hops(ordinal, flow.destination)
                                                              : rules_.linear->next_hop(ordinal, lid_of(flow));
  }

  /// By a rule, as if all links were up, or by the entries of a controller; where it leads nowhere, flows are hashed.
  [[nodiscard]] std::optional<std::uint16_t> named_port(std::uint32_t ordinal, const PlannedFlow& flow) const {
    if (rules_.policy == fabric::PathPolicy::kPinned) {
      return fabric::pinned_port(model_.graph_, model_.states_.front().routes, ordinal, flow.destination);
    }
    return rules_.tables.empty() ? std::nullopt : rules_.tables[ordinal].find(pinned_name(flow));
  }

  [[nodiscard]] std::uint16_t chosen(std::uint32_t ordinal, const fabric::NextHops& hops, const Passing& passing,
                                     const std::uint32_t* weights) const {
    if (const std::optional<std::uint16_t> port = named_port(ordinal, passing.flow);
        port && std::ranges::find(hops, *port) != hops.end()) {
      return *port;
    }
    if (table_) {
      return table_->choose(ordinal, lid_of(passing.flow), hops);
    }
    if (!groups_.empty()) {
      return groups_.choose(
          {.switch_ordinal = ordinal, .leaf = model_.routes().leaf_of(passing.flow.destination), .hash = passing.hash});
    }
    return hops[fabric::pick_weighted(weights, hops.size(), fabric::switch_hash(passing.hash, seeds_[ordinal]))];
  }

  void go(NodeIndex node, std::uint16_t number, double part, bool is_choice) {
    const PortIndex port = model_.ports_.first_of(node) + number;
    if (model_.is_down(model_.ports_.link_of(port))) {
      cut_off_ = true;  // by tables that do not know of it yet
      return;
    }
    if (is_choice) {
      taken_.emplace_back(node.value() - model_.graph_.endpoints, number);
    }
    const auto known = std::ranges::find(next_, port, &std::pair<PortIndex, double>::first);
    if (known == next_.end()) {
      next_.emplace_back(port, part);
    } else {
      known->second += part;
    }
  }

  void note_offered(std::uint32_t ordinal, const fabric::NextHops& hops) {
    PortSets& sets = sets_[ordinal];
    if (sets.offered.empty()) {
      const std::size_t ports = model_.graph_.nodes[model_.graph_.endpoints + ordinal].ports;
      sets.offered.resize(ports);
      sets.taken.resize(ports);
    }
    for (const std::uint16_t hop : hops) {
      sets.offered[hop] = true;
    }
    ++made_.switches[ordinal].flows;
  }

  const PathModel& model_;
  const PathRules& rules_;
  fabric::PortWeights weights_;
  fabric::HashGroups groups_;
  std::optional<fabric::ForwardingTable> table_;
  std::vector<std::uint64_t> seeds_;
  std::vector<PortSets> sets_;
  std::vector<std::pair<PortIndex, double>> front_;
  std::vector<std::pair<PortIndex, double>> next_;
  // Of the flow under way:
  std::vector<std::pair<PortIndex, double>> passed_;
  std::vector<std::uint32_t> hops_;  // how many of those each hop is
  std::vector<Offer> offers_;
  std::vector<std::pair<std::uint32_t, std::uint16_t>> taken_;  // ports of switches
  bool cut_off_ = false;
  PathLoads made_;
};

PathModel::PathModel(const fabric::Graph& graph, Options options)
    : graph_(graph), link_weight_(std::move(options.link_weight)), ports_(graph, 1), peers_(ports_.size()) {
  for (const fabric::Link& link : graph.links) {
    peers_[ports_.at(link.a)] = link.b.node;
    peers_[ports_.at(link.b)] = link.a.node;
  }
  State& first = states_.emplace_back(
      State{.routes = fabric::Routes(graph, options.rule), .rates = std::vector<Rate>(ports_.size())});
  for (PortIndex port = 0; port < ports_.size(); ++port) {
    first.rates[port] = graph.links[ports_.link_of(port).value()].rate;
  }
  std::vector<fabric::LinkEvent>& events = options.events;
  std::ranges::stable_sort(events, {}, &fabric::LinkEvent::at);
  for (auto event = events.begin(); event != events.end();) {
    if (options.keeps_history || states_.size() == 1) {
      State next = now();
      states_.push_back(std::move(next));
    }
    const Time at = event->at;
    for (; event != events.end() && event->at == at; ++event) {
      apply(*event, states_.back());
    }
    if (options.keeps_history || event == events.end()) {
      states_.back().routes.recompute();
    }
  }
}

void PathModel::apply(const fabric::LinkEvent& event, State& state) const {
  using Kind = fabric::LinkEvent::Kind;
  using Sender = fabric::LinkEvent::Sender;
  const fabric::Link& link = graph_.links[event.link.value()];
  if (event.kind != Kind::kDegrade) {
    state.routes.set_link(event.link, event.kind == Kind::kFail ? fabric::LinkState::kDown : fabric::LinkState::kUp);
  }
  if (event.kind == Kind::kFail) {
    return;
  }
  const Rate rate = event.kind == Kind::kRestore ? link.rate : event.rate;
  const Sender sender = event.kind == Kind::kRestore ? Sender::kBoth : event.sender;
  if (sender != Sender::kB) {
    state.rates[ports_.at(link.a)] = rate;
  }
  if (sender != Sender::kA) {
    state.rates[ports_.at(link.b)] = rate;
  }
}

double PathModel::rate_of(PortIndex port) const { return static_cast<double>(now().rates[port].bits_per_second()); }

fabric::PortWeights PathModel::weights_of(fabric::Weighting weighting, const State& state) const {
  const auto index_of = [this](const fabric::PortWeights::PortOf& port) {
    return ports_.first_of(NodeIndex(graph_.endpoints + port.switch_ordinal)) + port.port;
  };
  return fabric::weigh_ports(
      weighting, graph_, state.routes,
      {.rate_of = [&](const fabric::PortWeights::PortOf& port) { return state.rates[index_of(port)]; },
       .link_of = [&](const fabric::PortWeights::PortOf& port) { return ports_.link_of(index_of(port)); },
       .given = link_weight_});
}

std::vector<double> PathModel::demands_of(std::span<const PlannedFlow> flows) const {
  std::map<EndpointId, double> sums;
  for (const PlannedFlow& flow : flows) {
    sums[flow.source] += flow.bytes;
  }
  std::vector<double> demands;
  for (const PlannedFlow& flow : flows) {
    const double line = rate_of(ports_.first_of(graph_.node_of(flow.source)));
    demands.push_back(line * flow.bytes / sums[flow.source]);
  }
  return demands;
}

PathLoads PathModel::loads(std::span<const PlannedFlow> flows, const PathRules& rules, Keep keep) const {
  Walk walk(*this, rules);
  const std::vector<double> demands = demands_of(flows);
  std::vector<FlowLinks> kept(keep == Keep::kFlows ? flows.size() : 0);
  std::vector<std::vector<std::uint32_t>> hops(kept.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    walk.add(flows[i], demands[i],
             keep == Keep::kFlows ? Walk::Kept{.links = &kept[i], .hops = &hops[i]} : Walk::Kept{});
  }
  PathLoads made = walk.take();
  made.flows = std::move(kept);
  made.hops = std::move(hops);
  return made;
}

namespace {

/// What a group puts on its links: each once.
void add_part(FlowLinks& links, const LinkUse& use) {
  const auto known = std::ranges::find(links, use.link, &LinkUse::link);
  if (known == links.end()) {
    links.push_back(use);
  } else {
    known->part += use.part;
  }
}

}  // namespace

PathModel::Groups PathModel::groups_of(std::span<const PlannedFlow> flows, std::span<const double> demands,
                                       const PathLoads& loads) {
  Groups groups;
  std::map<std::uint32_t, std::size_t> known;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (loads.flows[i].empty()) {
      continue;  // cut off
    }
    const auto [found, is_new] = known.try_emplace(flows[i].together, groups.size());
    if (flows[i].together == 0 || is_new) {
      found->second = groups.size();
      groups.emplace_back();
    }
    groups[found->second].push_back({.flow = i, .part = demands[i]});
  }
  for (std::vector<Member>& group : groups) {
    double sum = 0;
    for (const Member& one : group) {
      sum += one.part;
    }
    for (Member& one : group) {
      one.part = group.size() == 1 ? 1 : one.part / sum;
    }
  }
  return groups;
}

std::vector<double> PathModel::rates_of_choices(const PathLoads& loads, const Groups& groups) const {
  std::vector<CutLink> all(ports_.size());
  for (PortIndex port = 0; port < ports_.size(); ++port) {
    all[port] = {.capacity = rate_of(port), .from = ports_.end_of(port).node.value(), .to = peers_[port].value()};
  }
  PathCuts cuts;
  std::vector<FlowLinks> sets(groups.size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Member& one : groups[i]) {
      const std::span<const LinkUse> links = loads.flows[one.flow];
      const std::vector<std::uint32_t> ones(loads.hops[one.flow].empty() ? links.size() : 0, 1);
      std::size_t first = 0;
      for (const std::uint32_t size : loads.hops[one.flow].empty() ? ones : loads.hops[one.flow]) {
        const auto hop = links.subspan(first, size);
        first += size;
        const double part =
            std::accumulate(hop.begin(), hop.end(), 0.0, [](double sum, const LinkUse& use) { return sum + use.part; });
        add_part(sets[i], {.link = cuts.number_of(FlowLinks(hop.begin(), hop.end()), all), .part = part * one.part});
      }
    }
  }
  cuts.complete(all);
  if (!cuts.are_needed()) {
    return {};
  }
  for (FlowLinks& of : sets) {
    of = cuts.cuts_of(of);
  }
  return max_min_rates(sets, cuts.capacities());
}

std::vector<double> PathModel::rates_of(const PathLoads& loads, const Groups& groups) const {
  if (std::ranges::any_of(loads.hops, [](const auto& hops) { return !hops.empty(); })) {
    if (std::vector<double> rates = rates_of_choices(loads, groups); !rates.empty()) {
      return rates;
    }
  }
  std::vector<double> capacities;
  std::vector<std::uint32_t> numbers(ports_.size(), 0);
  for (PortIndex port = 0; port < ports_.size(); ++port) {
    if (loads.links[port].flows > 0) {
      numbers[port] = static_cast<std::uint32_t>(capacities.size());
      capacities.push_back(rate_of(port));
    }
  }
  std::vector<FlowLinks> uses(groups.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (const Member& one : groups[i]) {
      for (const LinkUse& use : loads.flows[one.flow]) {
        add_part(uses[i], {.link = numbers[use.link], .part = use.part * one.part});
      }
    }
  }
  return max_min_rates(uses, capacities);
}

std::vector<double> PathModel::shares(std::span<const PlannedFlow> flows, const PathLoads& loads) const {
  const std::vector<double> demands = demands_of(flows);
  const Groups groups = groups_of(flows, demands, loads);
  const std::vector<double> rates = rates_of(loads, groups);
  std::vector<double> shares(flows.size(), 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const Member& one : groups[i]) {
      shares[one.flow] = std::min(rates[i] * one.part / demands[one.flow], 1.0);
    }
  }
  return shares;
}

double worst_load(const PathModel& model, const PathLoads& loads) {
  double worst = 0;
  for (PortIndex port = model.graph().endpoints; port < loads.links.size(); ++port) {
    if (loads.links[port].flows > 0 && model.peer_of(port).value() >= model.graph().endpoints) {
      worst = std::max(worst, loads.links[port].demand / model.rate_of(port));
    }
  }
  return worst;
}

}  // namespace weft::study::world
