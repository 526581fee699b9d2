#include "study/assembly/build_traffic.h"

#include <fmt/core.h>

#include <algorithm>

#include "study/assembly/build_hosts.h"
#include "study/assembly/build_layout.h"
#include "study/assembly/build_multicast.h"
#include "study/assembly/build_pattern.h"
#include "study/assembly/participants.h"
#include "study/scenario/collective_traffic.h"
#include "study/scenario/place_error.h"
#include "workload/relay_rails.h"

namespace weft::study::assembly {
namespace {

class Planner {
 public:
  Planner(const scenario::Scenario& scenario, const fabric::Graph& graph, const ScaleUpPlan* scale_up)
      : scenario_(scenario),
        graph_(graph),
        scale_up_(scale_up),
        participants_(scenario, graph, scale_up),
        patterns_(scenario, graph, scale_up) {}

  [[nodiscard]] Result<void> place_jobs() { return participants_.place_jobs(); }
  [[nodiscard]] Result<TrafficPlan> plan(std::size_t index) const;
  void add_relays(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] Result<void> share_ports(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] TrafficPlan training(const scenario::JobSettings& job, workload::JobId id) const;

 private:
  [[nodiscard]] Result<void> check_domains(const TrafficPlan& plan) const;

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const ScaleUpPlan* scale_up_;
  Participants participants_;
  PatternBuilder patterns_;
};

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

Result<TrafficPlan> Planner::plan(std::size_t index) const {
  const scenario::TrafficSettings& traffic = scenario_.traffic[index];
  const bool saves = traffic.kind == scenario::TrafficKind::kCheckpoint;
  scenario::TrafficSettings of_hosts = traffic;
  of_hosts.job.clear();
  Result<std::vector<Participant>> all = participants_.of(saves ? of_hosts : traffic);
  if (!all) {
    return pass_on(all);
  }
  const bool is_group = traffic.kind == scenario::TrafficKind::kMulticast;
  if (is_group) {
    all = group_participants(traffic, *all);
    if (!all) {
      return pass_on(all);
    }
  }
  // Patterns among equals take the selected ones alone; those with two sides name them among all.
  const bool two_sided = saves || is_group || traffic.kind == scenario::TrafficKind::kIncast ||
                         traffic.kind == scenario::TrafficKind::kFlows ||
                         (traffic.kind == scenario::TrafficKind::kPoisson && !traffic.destinations.empty());
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
  add_relays(plan, traffic);
  if (Result<void> shared = share_ports(plan, traffic); !shared) {
    return pass_on(shared);
  }
  Result<void> filled;
  if (saves) {
    const auto job = std::ranges::find(scenario_.jobs, traffic.job, &scenario::JobSettings::name);
    filled = patterns_.checkpoint(plan, traffic, {.ranks = participants_.ranks_of(*job), .all = *all, .job = *job});
  } else {
    filled = patterns_.fill(plan, traffic, *all);
  }
  if (!filled) {
    return pass_on(filled);
  }
  if (plan.over == scenario::TrafficRoute::kScaleUp) {
    if (Result<void> met = check_domains(plan); !met) {
      return pass_on(met);
    }
  }
  return plan;
}

// Of what goes from one rank to another alone; other collectives keep to rails, or relay by themselves. Flows have the
// links of their GPUs only for that. READs are not relayed.
void Planner::add_relays(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const {
  const bool one_to_one =
      !scenario::is_collective(traffic.kind) || traffic.collective == workload::CollectiveKind::kSend;
  const auto job = std::ranges::find(scenario_.jobs, traffic.job, &scenario::JobSettings::name);
  if (job == scenario_.jobs.end() || traffic.over == scenario::TrafficRoute::kScaleUp || !one_to_one ||
      traffic.operation == scenario::Operation::kRead) {
    return;
  }
  std::vector<world::MachinePlan> machines = plan.machines;
  const std::vector<Participant>& ranks = participants_.ranks_of(*job);
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto rank = std::ranges::find(ranks, plan.rank_names[i], &Participant::name);
    if (rank != ranks.end()) {
      machines[i].scale_up = rank->machine.scale_up;
    }
  }
  lend_rails(machines, graph_, scale_up_);
  const auto relays = [](const world::MachinePlan& machine) { return machine.lent_rails > 0; };
  if (std::ranges::any_of(machines, relays)) {
    plan.machines = std::move(machines);
    plan.layout = layout_of(plan.machines, graph_, scale_up_);
  }
}

Result<void> Planner::share_ports(TrafficPlan& plan, const scenario::TrafficSettings& traffic) const {
  if (traffic.ends == scenario::TrafficEnds::kPorts) {
    return {};
  }
  if (!plan.layout.empty()) {
    return wrong(traffic, "ends = \"nics\", but GPUs relay to rails that theirs do not reach; leave ends out");
  }
  for (const world::MachinePlan& machine : plan.machines) {
    plan.shared_ports.push_back(ports_of_first_nic(machine, graph_));
  }
  return {};
}

TrafficPlan Planner::training(const scenario::JobSettings& job, workload::JobId id) const {
  const std::vector<Participant>& ranks = participants_.ranks_of(job);
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
  if (job.training.pipeline > 1) {
    lend_rails(plan.machines, graph_, scale_up_);
  }
  training.layout = layout_of(plan.machines, graph_, scale_up_);
  training.network_rate = ranks.front().rate * static_cast<std::int64_t>(ranks.front().machine.rails.size());
  training.scale_up_rate = ranks.front().machine.scale_up ? scenario_.scale_up.rate : Rate::zero();
  return plan;
}

}  // namespace

const workload::JobLayout* relay_layout(const TrafficPlan& plan) {
  if (plan.training) {
    return &plan.training->layout;
  }
  if (plan.collective) {
    return &plan.collective->layout;
  }
  return plan.layout.empty() ? nullptr : &plan.layout;
}

namespace {

/// At both ends of a flow.
std::uint32_t common_ports(const TrafficPlan& plan, const workload::FlowId& flow) {
  return plan.shared_ports.empty()
             ? 1
             : std::min(plan.shared_ports[flow.source.value()], plan.shared_ports[flow.destination.value()]);
}

}  // namespace

FlowEnds ends_of(const TrafficPlan& plan, const workload::FlowId& flow, std::uint16_t queue_pair) {
  const world::MachinePlan& from = plan.machines[flow.source.value()];
  const world::MachinePlan& to = plan.machines[flow.destination.value()];
  const std::uint32_t rail = queue_pair % common_ports(plan, flow);
  const auto port_of = [rail](const world::MachinePlan& machine) {
    return machine.rails.empty() ? *machine.scale_up : machine.rails[rail];
  };
  FlowEnds ends{.source = port_of(from), .destination = port_of(to)};
  const workload::JobLayout* const layout = relay_layout(plan);
  if (layout == nullptr || from.lent_rails == 0) {
    return ends;
  }
  const workload::RankSite& site = (*layout)[flow.source.value()];
  const std::uint16_t lent = workload::relayed(site, (*layout)[flow.destination.value()], {}).rail;
  const auto relay = std::ranges::find(site.relays, lent, &workload::RankSite::Relay::rail);
  if (relay != site.relays.end() && site.domain != (*layout)[flow.destination.value()].domain) {
    ends.source = from.rails[lent];
    ends.hop = {.source = *from.scale_up, .destination = *plan.machines[relay->through.value()].scale_up};
  }
  return ends;
}

Bytes most_by_one_port(const TrafficPlan& plan, const workload::FlowId& flow, Bytes message) {
  const std::uint32_t ports = common_ports(plan, flow);
  const std::uint32_t pairs = plan.connection.data_queue_pairs();
  if (ports == 1 || plan.connection.queue_pair_use != workload::QueuePairUse::kSplit) {
    return message;
  }
  Bytes first;
  for (std::uint32_t pair = 0; pair < pairs; pair += ports) {
    first = first + workload::part_of(message, pair, pairs).size;
  }
  return first;
}

void describe_rails(const TrafficPlan& plan, std::uint32_t rank, workload::RankPorts& ports) {
  if (!plan.shared_ports.empty()) {
    ports.share_first(plan.shared_ports[rank]);
  }
  const workload::JobLayout* const layout = relay_layout(plan);
  if (layout == nullptr) {
    return;
  }
  for (const workload::RankSite::Relay& relay : (*layout)[rank].relays) {
    ports.set_relay(relay.rail, {.through = relay.through,
                                 .rail = *(*layout)[rank].scale_up,
                                 .remote_rail = *(*layout)[relay.through.value()].scale_up});
  }
}

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
