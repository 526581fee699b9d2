#include "study/assembly/build_traffic.h"

#include <algorithm>
#include <map>

#include "study/assembly/build_collective.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_layout.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/flow_file.h"
#include "study/scenario/place_error.h"
#include "study/scenario/selector.h"
#include "workload/all_to_all.h"
#include "workload/flow_list.h"
#include "workload/flow_sizes.h"
#include "workload/incast.h"
#include "workload/permutation.h"
#include "workload/placement.h"
#include "workload/poisson.h"

namespace weft::study::assembly {
namespace {

using workload::RankId;

workload::Operation operation_of(scenario::Operation operation) {
  switch (operation) {
    case scenario::Operation::kWrite:
      return workload::Operation::kWrite;
    case scenario::Operation::kRead:
      return workload::Operation::kRead;
    case scenario::Operation::kWriteImm:
      return workload::Operation::kWriteWithImm;
    case scenario::Operation::kSend:
      break;
  }
  return workload::Operation::kSend;
}

/// One who may take part.
struct Participant {
  std::string name;  // "host3/nic0", or "rank3"
  std::string host;
  world::MachinePlan machine;
  Rate rate;
  bool is_pool = false;  // of memory: sends nothing by itself
};

class Planner {
 public:
  Planner(const scenario::Scenario& scenario, const fabric::Graph& graph, const ScaleUpPlan* scale_up)
      : scenario_(scenario), graph_(graph), scale_up_(scale_up) {
    rates_.resize(graph.endpoints);
    for (const fabric::Link& link : graph.links) {
      for (const fabric::LinkEnd end : {link.a, link.b}) {
        if (end.node.value() < graph.endpoints) {
          rates_[end.node.value()] = link.rate;
        }
      }
    }
  }

  Result<void> place_jobs();
  Result<TrafficPlan> plan(std::size_t index);
  TrafficPlan training(const scenario::JobSettings& job, workload::JobId id);

 private:
  [[nodiscard]] std::vector<Participant> endpoints(const std::string& traffic) const;
  [[nodiscard]] const ScaleUpPlan::Gpu* gpu_at(const std::string& host, verbs::GpuIndex gpu) const;
  [[nodiscard]] std::vector<Participant> scale_up_ports(const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] Result<void> check_domains(const TrafficPlan& plan) const;
  [[nodiscard]] Result<std::vector<Participant>> ranks(const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] Result<std::vector<std::size_t>> select(const std::vector<std::string>& selectors,
                                                        const std::vector<Participant>& from,
                                                        const scenario::TrafficSettings& traffic) const;
  Result<void> fill(TrafficPlan& plan, const scenario::TrafficSettings& traffic, const std::vector<Participant>& all);
  template <class Pattern>
  static Result<void> take(TrafficPlan& plan, Result<Pattern> made, const scenario::TrafficSettings& traffic);
  [[nodiscard]] workload::FlowShape shape_of(const scenario::TrafficSettings& traffic) const;
  Result<void> incast(TrafficPlan& plan, const scenario::TrafficSettings& traffic, const std::vector<Participant>& all);
  Result<void> flows(TrafficPlan& plan, const scenario::TrafficSettings& traffic, const std::vector<Participant>& all);
  Result<void> poisson(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                       const std::vector<Participant>& all);

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const ScaleUpPlan* scale_up_;
  std::vector<Rate> rates_;
  std::map<std::string, std::vector<Participant>> jobs_;
};

/// Participants by their names, and by those of their hosts where a host has one alone.
std::map<std::string, std::size_t> by_name(const std::vector<Participant>& all) {
  std::map<std::string, std::size_t> hosts;
  for (const Participant& participant : all) {
    ++hosts[participant.host];
  }
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < all.size(); ++i) {
    known.emplace(all[i].name, i);
    if (hosts[all[i].host] == 1) {
      known.emplace(all[i].host, i);
    }
  }
  return known;
}

tl::unexpected<Error> wrong(const scenario::TrafficSettings& traffic, std::string_view what) {
  return fail("traffic '{}': {}", traffic.name, what);
}

// Ranks of a [[job]] go to GPUs; what one job has taken, the next one does not get.
Result<void> Planner::place_jobs() {
  std::vector<workload::HostShape> hosts;
  std::vector<std::vector<EndpointId>> rails;
  for (std::uint32_t i = 0; i < graph_.host_endpoints(); ++i) {
    const std::string host = host_of(graph_, EndpointId(i));
    if (hosts.empty() || hosts.back().name != host) {
      hosts.push_back({.name = host, .gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host), .rails = 0});
      rails.emplace_back();
    }
    ++hosts.back().rails;
    rails.back().push_back(EndpointId(i));
  }
  auto placement = workload::Placement::make(hosts);
  if (!placement) {
    return pass_on(placement);
  }
  for (std::size_t index = 0; index < scenario_.jobs.size(); ++index) {
    const scenario::JobSettings& job = scenario_.jobs[index];
    workload::PlacementOptions options;
    switch (job.placement) {
      case scenario::Placement::kPacked:
        break;
      case scenario::Placement::kSpread:
        options.kind = workload::SpreadPlacement{};
        break;
      case scenario::Placement::kRandom:
        options.kind = workload::RandomPlacement{};
        break;
      case scenario::Placement::kListed: {
        workload::ListedPlacement listed;
        for (const std::string& gpu : job.places) {
          const std::size_t slash = gpu.find("/gpu");
          listed.places.push_back(
              {.host = gpu.substr(0, slash), .gpu = static_cast<std::uint32_t>(std::stoul(gpu.substr(slash + 4)))});
        }
        options.kind = std::move(listed);
        break;
      }
    }
    const workload::JobOptions name{.id = {},
                                    .name = job.name,
                                    .seed = static_cast<std::uint64_t>(scenario_.seed),
                                    .ranks = static_cast<std::uint32_t>(job.ranks)};
    auto places = placement->place(name, options);
    if (!places) {
      const auto path =
          fmt::format("job[{}].{}", index, job.placement == scenario::Placement::kListed ? "places" : "gpus");
      return scenario::fail_at(scenario_, path, "{}", places.error().message);
    }
    std::vector<Participant>& made = jobs_[job.name];
    for (std::size_t rank = 0; rank < places->size(); ++rank) {
      const workload::RankPlace& place = (*places)[rank];
      Participant participant{
          .name = "rank" + std::to_string(rank),
          .host = hosts[place.host.value()].name,
          .machine = {.name = job.name + "/rank" + std::to_string(rank), .rails = {}, .options = {}},
          .rate = {}};
      participant.machine.options.gpus = hosts[place.host.value()].gpus;
      participant.machine.gpu = place.gpu;
      if (const ScaleUpPlan::Gpu* gpu = gpu_at(participant.host, place.gpu); gpu != nullptr) {
        participant.machine.scale_up = gpu->endpoint;
      }
      for (const std::uint32_t rail : place.rails) {
        participant.machine.rails.push_back(rails[place.host.value()][rail]);
      }
      participant.rate = rates_[participant.machine.rails.front().value()];
      made.push_back(std::move(participant));
    }
  }
  return {};
}

const ScaleUpPlan::Gpu* Planner::gpu_at(const std::string& host, verbs::GpuIndex gpu) const {
  return scale_up_ == nullptr || !gpu.is_valid() ? nullptr : scale_up_->find(host, gpu);
}

// Pools take part where a traffic can name them, and nowhere by themselves.
std::vector<Participant> Planner::scale_up_ports(const scenario::TrafficSettings& traffic) const {
  const auto make = [&](const std::string& name, const std::string& host, EndpointId endpoint) {
    return Participant{.name = name,
                       .host = host,
                       .machine = {.name = traffic.name + "@" + name, .rails = {}, .options = {}, .scale_up = endpoint},
                       .rate = scenario_.scale_up.rate};
  };
  std::vector<Participant> all;
  for (const ScaleUpPlan::Gpu& gpu : scale_up_->gpus) {
    all.push_back(make(gpu.host + "/gpu" + std::to_string(gpu.gpu.value()), gpu.host, gpu.endpoint));
    all.back().machine.gpu = gpu.gpu;
    all.back().machine.options.gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host);
  }
  if (traffic.kind == scenario::TrafficKind::kFlows || traffic.kind == scenario::TrafficKind::kIncast) {
    for (const ScaleUpPlan::Pool& pool : scale_up_->pools) {
      all.push_back(make(pool.name, pool.name, pool.endpoint));
      all.back().is_pool = true;
    }
  }
  return all;
}

// Every pair that may talk must share a domain.
Result<void> Planner::check_domains(const TrafficPlan& plan) const {
  const auto domain = [&](std::uint32_t rank) { return scale_up_->domain_of(*plan.machines[rank].scale_up); };
  const auto refuse = [&](std::uint32_t a, std::uint32_t b) {
    return fail("traffic '{}': over = \"scale-up\", but {} is in domain {} and {} in domain {}", plan.job.name,
                plan.rank_names[a], domain(a), plan.rank_names[b], domain(b));
  };
  for (const auto& [from, to] : plan.pairs) {
    if (domain(from) != domain(to)) {
      return refuse(from, to);
    }
  }
  for (std::uint32_t rank = 1; plan.pairs.empty() && rank < plan.machines.size(); ++rank) {
    if (domain(rank) != domain(0)) {
      return refuse(0, rank);
    }
  }
  return {};
}

std::vector<Participant> Planner::endpoints(const std::string& traffic) const {
  std::vector<Participant> all;
  for (std::uint32_t i = 0; i < graph_.host_endpoints(); ++i) {
    const std::string& name = graph_.nodes[i].name;
    all.push_back({.name = name,
                   .host = host_of(graph_, EndpointId(i)),
                   .machine = {.name = traffic + "@" + name,
                               .rails = {EndpointId(i)},
                               .options = {.gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host)}},
                   .rate = rates_[i]});
  }
  return all;
}

Result<std::vector<Participant>> Planner::ranks(const scenario::TrafficSettings& traffic) const {
  const bool over_scale_up = traffic.over == scenario::TrafficRoute::kScaleUp;
  if (traffic.job.empty()) {
    return over_scale_up ? scale_up_ports(traffic) : endpoints(traffic.name);
  }
  const auto job = jobs_.find(traffic.job);
  if (job == jobs_.end()) {
    return wrong(traffic, "no [[job]] is named '" + traffic.job + "'");
  }
  std::vector<Participant> all = job->second;
  for (Participant& participant : all) {
    participant.machine.name = traffic.name + "@" + participant.machine.name;
    // One network carries a traffic: only collectives choose between them.
    if (over_scale_up) {
      participant.machine.rails.clear();
      participant.rate = scenario_.scale_up.rate;
    } else if (traffic.kind != scenario::TrafficKind::kCollective) {
      participant.machine.scale_up.reset();
    }
  }
  return all;
}

Result<std::vector<std::size_t>> Planner::select(const std::vector<std::string>& selectors,
                                                 const std::vector<Participant>& from,
                                                 const scenario::TrafficSettings& traffic) const {
  std::vector<std::size_t> chosen;
  for (const std::string& selector : selectors) {
    const std::size_t before = chosen.size();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const Participant& candidate = from[i];
      const bool named = scenario::selects(selector, candidate.name) || scenario::selects(selector, candidate.host) ||
                         (candidate.name.starts_with("rank") && scenario::selects(selector, candidate.name.substr(4)));
      if (named && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) {
        chosen.push_back(i);
      }
    }
    if (chosen.size() == before) {
      return wrong(traffic, "'" + selector + "' selects no further participant");
    }
  }
  return chosen;
}

workload::FlowShape Planner::shape_of(const scenario::TrafficSettings& traffic) const {
  workload::FlowShape shape;
  shape.size = traffic.size;
  shape.messages = static_cast<std::uint64_t>(traffic.count);
  shape.window = static_cast<std::uint32_t>(traffic.depth);
  shape.operation = operation_of(traffic.operation);
  shape.start = Time::zero() + traffic.start;
  const std::optional<Duration> stop = traffic.stop ? traffic.stop : scenario_.stop;
  shape.stop = stop ? Time::zero() + *stop : Time::never();
  if (traffic.count == 0) {
    shape.messages = workload::FlowShape::kUntilStop;
  }
  return shape;
}

template <class Pattern>
Result<void> Planner::take(TrafficPlan& plan, Result<Pattern> made, const scenario::TrafficSettings& traffic) {
  if (!made) {
    return wrong(traffic, made.error().message);
  }
  plan.pattern = std::make_unique<Pattern>(std::move(*made));
  return {};
}

Result<TrafficPlan> Planner::plan(std::size_t index) {
  const scenario::TrafficSettings& traffic = scenario_.traffic[index];
  Result<std::vector<Participant>> all = ranks(traffic);
  if (!all) {
    return pass_on(all);
  }
  // Patterns among equals take the selected ones alone; those with two sides name them among all.
  const bool two_sided =
      traffic.kind == scenario::TrafficKind::kIncast || traffic.kind == scenario::TrafficKind::kFlows;
  if (!two_sided && !traffic.sources.empty()) {
    Result<std::vector<std::size_t>> chosen = select(traffic.sources, *all, traffic);
    if (!chosen) {
      return pass_on(chosen);
    }
    std::vector<Participant> subset;
    for (const std::size_t i : *chosen) {
      subset.push_back((*all)[i]);
    }
    *all = std::move(subset);
  }
  TrafficPlan plan;
  plan.job = {.id = workload::JobId(static_cast<std::uint32_t>(index)),
              .name = traffic.name,
              .seed = static_cast<std::uint64_t>(scenario_.seed),
              .ranks = static_cast<std::uint32_t>(all->size())};
  plan.priority = traffic.priority;
  plan.start_jitter = traffic.start_jitter;
  plan.family = traffic.family.value_or(scenario_.fabric.family);
  plan.over = traffic.over;
  for (const Participant& participant : *all) {
    plan.machines.push_back(participant.machine);
    plan.machines.back().options.service = service_of(plan.family);
    if (traffic.over == scenario::TrafficRoute::kScaleUp && !participant.machine.scale_up) {
      return wrong(traffic, participant.name + " runs on no GPU with scale-up links");
    }
    plan.rank_names.push_back(participant.name);
  }
  if (Result<void> filled = fill(plan, traffic, *all); !filled) {
    return pass_on(filled);
  }
  if (plan.over == scenario::TrafficRoute::kScaleUp) {
    if (Result<void> met = check_domains(plan); !met) {
      return pass_on(met);
    }
  }
  return plan;
}

TrafficPlan Planner::training(const scenario::JobSettings& job, workload::JobId id) {
  const std::vector<Participant>& ranks = jobs_.at(job.name);
  TrafficPlan plan;
  plan.job = {.id = id,
              .name = job.name,
              .seed = static_cast<std::uint64_t>(scenario_.seed),
              .ranks = static_cast<std::uint32_t>(ranks.size())};
  plan.family = scenario_.fabric.family;
  TrainingPlanEntry& training =
      plan.training.emplace(TrainingPlanEntry{.settings = &job, .layout = {}, .network_rate = {}, .scale_up_rate = {}});
  for (const Participant& rank : ranks) {
    plan.machines.push_back(rank.machine);
    plan.machines.back().options.service = service_of(plan.family);
    plan.rank_names.push_back(rank.name);
  }
  training.layout = layout_of(plan.machines, graph_, scale_up_);
  training.network_rate = ranks.front().rate * static_cast<std::int64_t>(ranks.front().machine.rails.size());
  training.scale_up_rate = ranks.front().machine.scale_up ? scenario_.scale_up.rate : Rate::zero();
  return plan;
}

Result<void> Planner::fill(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                           const std::vector<Participant>& all) {
  const std::uint64_t message_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count);
  plan.all_at_once = traffic.kind == scenario::TrafficKind::kPermutation ||
                     traffic.kind == scenario::TrafficKind::kIncast ||
                     traffic.kind == scenario::TrafficKind::kRingAllReduce ||
                     (traffic.kind == scenario::TrafficKind::kFlows && traffic.file.empty());
  switch (traffic.kind) {
    case scenario::TrafficKind::kFlows:
      return flows(plan, traffic, all);
    case scenario::TrafficKind::kPermutation: {
      workload::PermutationOptions options{.flow = shape_of(traffic), .kind = {}};
      if (traffic.shift != 0) {
        options.kind = workload::ShiftPermutation{static_cast<std::uint32_t>(traffic.shift)};
      }
      plan.expected_bytes = message_bytes * all.size();
      return take(plan, workload::Permutation::make(plan.job, options), traffic);
    }
    case scenario::TrafficKind::kIncast:
      return incast(plan, traffic, all);
    case scenario::TrafficKind::kAllToAll:
      plan.expected_bytes = message_bytes * all.size() * (all.size() - 1);
      return take(plan, workload::AllToAll::make(plan.job, {.flow = shape_of(traffic)}), traffic);
    case scenario::TrafficKind::kPoisson:
      return poisson(plan, traffic, all);
    case scenario::TrafficKind::kCollective: {
      Result<CollectivePlan> planned = plan_collective(scenario_, traffic, plan, {graph_, scale_up_});
      if (!planned) {
        return wrong(traffic, planned.error().message);
      }
      plan.collective = std::move(*planned);
      return {};
    }
    case scenario::TrafficKind::kRingAllReduce:
      break;
  }
  plan.ring = RingPlan{.shape = {.ranks = plan.job.ranks, .size = traffic.size},
                       .iterations = static_cast<std::uint32_t>(traffic.count),
                       .start = Time::zero() + traffic.start};
  plan.expected_bytes = 2 * message_bytes * (all.size() - 1);
  if (Result<void> right = workload::check_ring(plan.ring->shape); !right) {
    return wrong(traffic, right.error().message);
  }
  return {};
}

Result<void> Planner::incast(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                             const std::vector<Participant>& all) {
  Result<std::vector<std::size_t>> to = select(traffic.destinations, all, traffic);
  Result<std::vector<std::size_t>> from = select(traffic.sources, all, traffic);
  if (!to || !from) {
    return !to ? pass_on(to) : pass_on(from);
  }
  if (to->size() > 1) {
    return wrong(traffic, "an incast has one destination");
  }
  const auto others = static_cast<std::size_t>(std::ranges::count(all, false, &Participant::is_pool));
  const std::size_t destination = to->empty() ? others - 1 : to->front();
  workload::IncastOptions options{.flow = shape_of(traffic),
                                  .destination = RankId(static_cast<std::uint32_t>(destination)),
                                  .senders = {},
                                  .jitter = {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool chosen = (from->empty() && !all[i].is_pool) || std::find(from->begin(), from->end(), i) != from->end();
    if (chosen && i != destination) {
      options.senders.push_back(RankId(static_cast<std::uint32_t>(i)));
    }
  }
  if (traffic.fan_in > 0) {
    if (static_cast<std::size_t>(traffic.fan_in) > options.senders.size()) {
      return fail("traffic '{}': fan_in is {}, but only {} can send", traffic.name, traffic.fan_in,
                  options.senders.size());
    }
    options.senders.resize(static_cast<std::size_t>(traffic.fan_in));
  }
  plan.expected_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count) * options.senders.size();
  return take(plan, workload::Incast::make(plan.job, options), traffic);
}

Result<void> Planner::flows(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                            const std::vector<Participant>& all) {
  std::vector<workload::ListedFlow> list;
  if (!traffic.file.empty()) {
    Result<std::vector<scenario::FlowLine>> lines = scenario::read_flow_file(traffic.file);
    if (!lines) {
      return wrong(traffic, "file: " + lines.error().message);
    }
    const std::map<std::string, std::size_t> known = by_name(all);
    for (const scenario::FlowLine& line : *lines) {
      const auto from = known.find(line.source);
      const auto to = known.find(line.destination);
      if (from == known.end() || to == known.end()) {
        return fail("{}: '{}' names neither a NIC nor a host with a single NIC", line.place,
                    from == known.end() ? line.source : line.destination);
      }
      workload::FlowShape shape = shape_of(traffic);
      shape.size = line.size;
      shape.start = shape.start + line.start;
      list.push_back(
          {RankId(static_cast<std::uint32_t>(from->second)), RankId(static_cast<std::uint32_t>(to->second)), shape});
      plan.expected_bytes += static_cast<std::uint64_t>(line.size.count() * traffic.count);
    }
  } else {
    Result<std::vector<std::size_t>> from = select(traffic.sources, all, traffic);
    Result<std::vector<std::size_t>> to = select(traffic.destinations, all, traffic);
    if (!from || !to) {
      return !from ? pass_on(from) : pass_on(to);
    }
    if (from->empty() || (to->size() != from->size() && to->size() != 1)) {
      return fail("traffic '{}': {} sources and {} destinations; flows need equally many, or one destination",
                  traffic.name, from->size(), to->size());
    }
    for (std::size_t i = 0; i < from->size(); ++i) {
      const std::size_t destination = to->size() == 1 ? to->front() : (*to)[i];
      list.push_back({RankId(static_cast<std::uint32_t>((*from)[i])), RankId(static_cast<std::uint32_t>(destination)),
                      shape_of(traffic)});
    }
    plan.expected_bytes = static_cast<std::uint64_t>(traffic.size.count() * traffic.count) * list.size();
  }
  for (const workload::ListedFlow& flow : list) {
    plan.pairs.emplace_back(flow.source.value(), flow.destination.value());
  }
  return take(plan, workload::FlowList::make(plan.job, list), traffic);
}

Result<void> Planner::poisson(TrafficPlan& plan, const scenario::TrafficSettings& traffic,
                              const std::vector<Participant>& all) {
  workload::PoissonOptions options;
  if (!traffic.cdf.empty()) {
    Result<CdfTable> table = scenario::size_table(traffic.cdf);
    if (!table) {
      return wrong(traffic, "cdf: " + table.error().message);
    }
    options.sizes = Empirical<Bytes>(std::move(*table));
  } else {
    options.sizes = Constant<Bytes>(traffic.size);
  }
  options.load = traffic.load;
  options.rate = all.empty() ? Rate::zero() : all.front().rate;
  options.flow = shape_of(traffic);
  options.flow.size = Bytes(1);
  options.flow.messages = 1;
  if (traffic.count > 1) {
    options.messages = static_cast<std::uint64_t>(traffic.count);
  }
  return take(plan, workload::PoissonArrivals::make(plan.job, options), traffic);
}

}  // namespace

Result<std::vector<TrafficPlan>> plan_traffic(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                              const ScaleUpPlan* scale_up) {
  Planner planner(scenario, graph, scale_up);
  if (Result<void> placed = planner.place_jobs(); !placed) {
    return pass_on(placed);
  }
  std::vector<TrafficPlan> plans;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    Result<TrafficPlan> plan = planner.plan(i);
    if (!plan) {
      return scenario::at_key(scenario, {.path = fmt::format("traffic[{}]", i), .fallback = "kind"}, plan.error());
    }
    plans.push_back(std::move(*plan));
  }
  for (const scenario::JobSettings& job : scenario.jobs) {
    if (job.runs_steps()) {
      plans.push_back(planner.training(job, workload::JobId(static_cast<std::uint32_t>(plans.size()))));
    }
  }
  return plans;
}

}  // namespace weft::study::assembly
