// What a simulation says of itself: paths and what they allow, steps, collectives, memory.
#include <map>
#include <set>
#include <span>

#include <algorithm>
#include <limits>

#include "fabric/topology/graph_query.h"
#include "study/assembly/build_fabric.h"
#include "study/results/results.h"
#include "study/run/payload_share.h"
#include "study/run/simulation_parts.h"
#include "study/run/step_volume.h"
#include "study/world/flow_paths.h"
#include "study/world/ideal_time.h"

namespace weft::study::run {
namespace {

// Whether its flows send at the same time. Collectives do if they go around rings: nobody sends to more than two
// others.
bool sends_at_once(const assembly::TrafficPlan& plan, const Simulation::SentByFlow& flows) {
  constexpr std::size_t kNeighbours = 2;
  if (!plan.collective) {
    return plan.all_at_once;
  }
  std::map<workload::RankId, std::set<workload::RankId>> receivers;
  for (const auto& [sender, sent] : flows) {
    receivers[sender.flow.source].insert(sender.flow.destination);
  }
  return std::ranges::all_of(receivers, [](const auto& of) { return of.second.size() <= kNeighbours; });
}

/// Whoever sends may go on until the link with most to carry has carried it, or, where paths are chosen among some that
/// differ, for so many seconds. What goes over scale-up links is sent as well, beside that.
std::optional<results::AllowedRates> rates_by_turns(const std::vector<world::FlowDemand>& demands,
                                                    const std::vector<world::FlowLoad>& loads,
                                                    std::optional<double> by_choice) {
  std::map<fabric::PortIndex, double> seconds;
  std::map<workload::RankId, double> sent;
  double longest = 0;
  for (const world::FlowDemand& demand : demands) {
    sent[demand.sender()] += static_cast<double>(demand.bytes.count());
  }
  for (const world::FlowLoad& load : loads) {
    for (const auto& use : load.uses) {
      longest = std::max(longest, seconds[use.link] += use.seconds);
    }
  }
  longest = by_choice.value_or(longest);
  if (longest <= 0) {
    return std::nullopt;
  }
  double sum = 0;
  double least = sent.begin()->second;
  for (const auto& [rank, bytes] : sent) {
    sum += bytes;
    least = std::min(least, bytes);
  }
  const auto rate = [longest](double bytes) {
    return Rate::bits_per_second(static_cast<std::int64_t>(bytes * 8 / longest));
  };
  return results::AllowedRates{rate(sum / static_cast<double>(sent.size())), rate(least)};
}

}  // namespace

world::PathLimits Simulation::path_limits(const Job& job, std::span<const world::FlowDemand> demands) const {
  if (scenario::detours(scenario_.routing.policy)) {
    return {.shares_links = true};  // which groups packets go over is not known beforehand: no limit
  }
  return paths_of(job, demands).examine(demands);
}

world::FlowPaths Simulation::paths_of(const Job& job, std::span<const world::FlowDemand> demands) const {
  const bool reads = !demands.empty() && std::ranges::all_of(demands, &world::FlowDemand::comes_back);
  return world::FlowPaths({.world = *world_,
                           .connector = job.connector,
                           .payload_share = payload_share(scenario_, job.plan.family, reads),
                           .switches_choose = assembly::chooses_by_load(scenario_)});
}

std::vector<world::FlowLoad> Simulation::path_loads(const Job& job, std::span<const world::FlowDemand> demands) const {
  return paths_of(job, demands).loads_of(demands);
}

std::set<fabric::PortIndex> Simulation::links_of(const Job& job, std::span<const world::FlowDemand> demands) const {
  return world::FlowPaths({.world = *world_, .connector = job.connector}).links_of(demands);
}

// Between the first rank and the last, which are as far from one another as any.
Duration Simulation::round_trip(const Job& job) const {
  const std::vector<EndpointId>& ends = jobs_[job.plan.job.id.value()].rank_endpoints;
  if (ends.size() < 2 || world_->is_scale_up(ends.front()) || job.plan.training->network_rate == Rate::zero()) {
    return {};
  }
  const workload::MessageRecord message{
      .flow = {.job = job.plan.job.id,
               .source = workload::RankId(0),
               .destination = workload::RankId(static_cast<std::uint32_t>(ends.size() - 1))}};
  return ideal_time(message);
}

Result<std::vector<results::StepRow>> Simulation::training_steps(const std::function<bool()>& keep_going) const {
  if (parts_->turns) {
    return parts_->turns->finish(keep_going);
  }
  std::vector<results::StepRow> rows;
  for (const auto& job : running_) {
    if (!job->training) {
      continue;
    }
    Result<results::StepRow> row = job->training->finish(keep_going);
    if (!row) {
      return pass_on(row);
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

std::optional<Simulation::GroupReport> Simulation::group_report(std::size_t job) const {
  const Job& own = *running_[job];
  if (!own.deliveries) {
    return std::nullopt;
  }
  return GroupReport{.lid = own.plan.multicast->lid,
                     .senders = own.plan.multicast->senders.size(),
                     .counts = own.deliveries->counts(),
                     .members = own.deliveries->members()};
}

TierBytes Simulation::collective_bytes(std::size_t job, std::uint32_t rank) const {
  const Job& asked = *running_[job];
  if (asked.collectives.empty()) {
    return {};
  }
  const workload::CollectiveEngine& engine = asked.collectives[rank]->engine();
  return {.scale_out = engine.sent_over_scale_out(), .scale_up = engine.sent_over_scale_up()};
}

Simulation::ConnectionCounts Simulation::connection_counts(std::size_t job) const {
  const Job& asked = *running_[job];
  const workload::Reconnections& anew = asked.connector.reconnections();
  return {.opened = asked.connector.opened(),
          .most_open = asked.connector.most_connections(),
          .made_anew = anew.count(),
          .disconnected = anew.disconnected(ended_at_)};
}

workload::CollectiveAlgorithm Simulation::collective_algorithm(std::size_t job) const {
  const Job& asked = *running_[job];
  return asked.collectives.empty() ? workload::CollectiveAlgorithm::kAutomatic : asked.collectives[0]->algorithm();
}

Result<void> Simulation::check_bytes() const {
  for (const auto& job : running_) {
    if (!job->bytes) {
      return fail("traffic '{}' carried no bytes", job->plan.job.name);
    }
    if (Result<void> right = job->bytes->check(); !right) {
      return fail("traffic '{}': {}", job->plan.job.name, right.error().message);
    }
  }
  return {};
}

std::uint64_t Simulation::unfinished(std::size_t job) const {
  std::uint64_t sum = 0;
  std::size_t number = 0;
  for (const Job::Rank& rank : running_[job]->ranks) {
    sum += world_->is_foreign(jobs_[job].rank_endpoints[number++]) ? 0 : rank.messenger.outstanding();
  }
  return sum;
}

std::set<results::SilentFlowRow> Simulation::unfinished_flows() const {
  std::set<results::SilentFlowRow> flows;
  for (std::size_t job = 0; job < running_.size(); ++job) {
    std::size_t number = 0;
    for (const Job::Rank& rank : running_[job]->ranks) {
      if (!world_->is_foreign(jobs_[job].rank_endpoints[number++])) {
        rank.messenger.visit_unfinished([&flows](const workload::FlowId& flow, workload::Operation operation) {
          flows.insert({flow, operation});
        });
      }
    }
  }
  return flows;
}

std::optional<results::AllowedRates> Simulation::allowed(std::size_t job, const SentByFlow& flows,
                                                         std::span<const results::SilentFlowRow> silent) const {
  const Job& running = *running_[job];
  const bool at_once = sends_at_once(running.plan, flows);
  const bool takes_turns = running.plan.collective.has_value() || running.plan.is_exchange;
  const std::size_t count = flows.size() + (at_once ? silent.size() : 0);
  if (count > (at_once ? kMaxAtOnce : kMaxFlows) || (!at_once && !takes_turns) ||
      scenario::detours(scenario_.routing.policy)) {
    return std::nullopt;
  }
  std::vector<world::FlowDemand> demands;
  for (const auto& [sender, sent] : flows) {
    demands.push_back({.flow = sender.flow, .bytes = sent.bytes, .sent = sent, .comes_back = sender.comes_back});
  }
  if (takes_turns) {
    const std::vector<world::FlowLoad> loads = path_loads(running, demands);
    if (!at_once || loads.size() < demands.size()) {  // some of a ring go over scale-up links
      return rates_by_turns(demands, loads, paths_of(running, demands).seconds_of_choices(demands));
    }
  }
  for (world::FlowDemand& demand : demands) {
    demand.bytes = Bytes(1);
  }
  const std::size_t cut_off = add_silent(running, silent, demands);
  const world::PathLimits limits = path_limits(running, demands);
  if (limits.flows == 0) {
    return std::nullopt;
  }
  const auto senders = static_cast<std::int64_t>(limits.senders);
  return cut_off == 0 ? results::AllowedRates{limits.per_sender, limits.slowest_sender}
                      : results::AllowedRates{
                            limits.per_sender * senders / (senders + static_cast<std::int64_t>(cut_off)), Rate::zero()};
}

// What can send competes with the others, whether or not anything of it has ended.
std::size_t Simulation::add_silent(const Job& job, std::span<const results::SilentFlowRow> silent,
                                   std::vector<world::FlowDemand>& demands) const {
  std::set<workload::RankId> cut_off;
  for (const results::SilentFlowRow& row : silent) {
    const world::FlowDemand demand{
        .flow = row.flow, .bytes = Bytes(1), .comes_back = row.operation == workload::Operation::kRead};
    const std::span<const world::FlowDemand> alone(&demand, 1);
    if (paths_of(job, alone).cut_off(alone).empty()) {
      demands.push_back(demand);
    } else {
      cut_off.insert(demand.sender());
    }
  }
  for (const world::FlowDemand& demand : demands) {
    cut_off.erase(demand.sender());
  }
  return cut_off.size();
}

world::IdealPath Simulation::path_of(const workload::MessageRecord& message) const {
  const Job& running = *running_[message.flow.job.value()];
  const assembly::FlowEnds ends = assembly::ends_of(running.plan, message.flow, message.queue_pair);
  const EndpointId source = ends.source;
  return {.source = source,
          .destination = ends.destination,
          .encapsulation = world_->nic(source).options().device.encapsulation,
          .mtu = Bytes(scenario_.fabric.mtu),
          .place = running.ranks[message.flow.source.value()].place,
          .service = running.plan.over == scenario::TrafficRoute::kScaleUp ? host::Service::kMemory
                                                                           : assembly::service_of(running.plan.family)};
}

Duration Simulation::ideal_time(const workload::MessageRecord& message) const {
  world::IdealPath path = path_of(message);
  const assembly::TrafficPlan& plan = running_[message.flow.job.value()]->plan;
  const Bytes size = assembly::most_by_one_port(plan, message.flow, message.size);
  const Duration network = world::ideal_time(*world_, path, message.operation, size);
  const auto hop = assembly::ends_of(plan, message.flow).hop;
  if (!hop) {
    return network;
  }
  path.source = hop->source;
  path.destination = hop->destination;
  path.service = host::Service::kMemory;
  return network + world::ideal_time(*world_, path, workload::Operation::kWrite, message.size);
}

const assembly::ScaleUpPlan* Simulation::scale_up_plan() const {
  return parts_->scale_up.has_value() ? &*parts_->scale_up : nullptr;
}

void Simulation::visit_hosts(const std::function<void(const std::string&, const host::HostResources&)>& visit) const {
  parts_->hosts->visit(visit);
}

namespace {

/// Of the messages and samples that results keep, as far as their number is known before.
std::uint64_t estimate_records(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr std::uint64_t kPerMessage = sizeof(workload::MessageRecord) + 2 * sizeof(results::MessageRow);
  constexpr std::uint64_t kPerSample = 2 * sizeof(results::SampleRow);
  std::uint64_t bytes = 0;
  scenario::Scenario traffic = scenario;
  std::erase_if(traffic.jobs, [](const scenario::JobSettings& job) { return job.runs_steps(); });
  // What all hosts together can send until the run stops.
  std::uint64_t until_stop = std::numeric_limits<std::uint64_t>::max();
  if (scenario.stop) {
    Bytes sum;
    for (const Rate rate : fabric::endpoint_rates(graph)) {
      sum += rate.bytes_in(*scenario.stop);
    }
    until_stop = static_cast<std::uint64_t>(sum.count());
  }
  const auto scale_up = assembly::plan_scale_up(scenario, graph);
  if (!scale_up) {
    return 0;  // building the run says why
  }
  const auto plans = assembly::plan_traffic(traffic, graph, scale_up->has_value() ? &**scale_up : nullptr);
  for (std::size_t i = 0; plans && i < plans->size(); ++i) {
    if (!(*plans)[i].collective) {
      const std::uint64_t expected = std::min((*plans)[i].expected_bytes, until_stop);
      bytes += expected / static_cast<std::uint64_t>(scenario.traffic[i].size.count()) * kPerMessage;
    }
  }
  if (scenario.stop && scenario.output.sample_interval) {
    const auto instants = static_cast<std::uint64_t>(*scenario.stop / *scenario.output.sample_interval);
    bytes += instants * 2 * graph.links.size() * kPerSample;
  }
  return bytes;
}

/// Of jobs that train.
struct JobMemory {
  std::uint64_t ranks = 0;
  std::uint64_t connection_ends = 0;
  std::uint64_t nodes = 0;
};

JobMemory estimate_jobs(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr std::uint64_t kMostNodes = TrainingRun::kMostNodes;  // beyond it a step that is put together is shortened
  JobMemory sum;
  scenario::Scenario jobs = scenario;
  jobs.traffic.clear();
  std::erase_if(jobs.jobs, [](const scenario::JobSettings& job) { return !job.trains(); });
  if (jobs.jobs.empty() || scenario.fidelity == scenario::Fidelity::kFlow) {
    return sum;
  }
  const auto scale_up = assembly::plan_scale_up(jobs, graph);
  const auto plans = scale_up ? assembly::plan_traffic(jobs, graph, scale_up->has_value() ? &**scale_up : nullptr)
                              : Result<std::vector<assembly::TrafficPlan>>();
  const std::vector<std::uint32_t> leaves(graph.endpoints);  // does not matter here
  for (std::size_t i = 0; plans && i < plans->size(); ++i) {
    const assembly::TrafficPlan& plan = (*plans)[i];
    const scenario::JobSettings& job = *plan.training->settings;
    const auto volumes = step_volumes({.plan = plan, .leaves = leaves, .micro_batches = job.training.pipeline});
    const auto ranks = static_cast<std::uint64_t>(job.ranks);
    const auto nodes = step_nodes(job, kMostNodes / ranks + 1);  // of all ranks, more do not count
    if (!volumes || !nodes) {
      continue;  // building the run says why
    }
    sum.ranks += ranks;
    sum.connection_ends += ranks * static_cast<std::uint64_t>(connection_ends(*volumes));
    sum.nodes += std::min(ranks * *nodes, kMostNodes);
  }
  return sum;
}

}  // namespace

// Measured on permutations of fat-trees: ports with their queues, a NIC with one queue pair, and the packets of one
// bandwidth-delay product per host; then a fifth more. Of training steps that are put together on 16 to 128 GPUs: what
// a rank and a node of its step take, with what the critical path is found from.
MemoryEstimate memory_parts(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  // Flows use paths alone: no queues, buffers and packets.
  const bool is_flow = scenario.fidelity == scenario::Fidelity::kFlow;
  const std::uint64_t per_port = is_flow ? 250 : 1'600;
  const std::uint64_t per_endpoint = is_flow ? 2'000 : 9'000;
  constexpr std::uint64_t kPerConnection = 2'500;
  constexpr std::uint64_t kPerPairOfRanks = 4'400;  // both ends, and what their engines hold
  constexpr std::uint64_t kPerPacket = 64 + 16;
  std::uint64_t connections = 0;
  constexpr std::uint64_t kPerIdleEdge = 16;
  constexpr std::uint64_t kOpenedByPeers = 8;  // before a rank closes others for them; measured
  std::uint64_t pairs = 0;
  std::uint64_t idle = 0;  // ordered pairs of ranks whose connections are closed when they are not used
  const std::uint64_t most_open = scenario.collectives.connections > 0
                                      ? static_cast<std::uint64_t>(scenario.collectives.connections) + kOpenedByPeers
                                      : std::numeric_limits<std::uint64_t>::max();
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    const std::uint64_t all = graph.host_endpoints();
    if (traffic.kind == scenario::TrafficKind::kCollective &&
        traffic.collective == workload::CollectiveKind::kAllToAll) {
      pairs += all * std::min(all, most_open);
      idle += all * all;
      continue;
    }
    connections += traffic.kind == scenario::TrafficKind::kAllToAll || traffic.kind == scenario::TrafficKind::kPoisson
                       ? all * all
                       : 2 * all;
  }
  constexpr std::uint64_t kPerTrainingRank = 90'000;
  constexpr std::uint64_t kPerNode = 340;
  constexpr std::uint64_t kAlways = std::uint64_t{20} << 20;
  const JobMemory jobs = estimate_jobs(scenario, graph);
  connections += jobs.connection_ends;
  MemoryEstimate made{.ports = 2 * graph.links.size() * per_port,
                      .nics = graph.endpoints * per_endpoint,
                      .queue_pairs = connections * kPerConnection + pairs * kPerPairOfRanks + idle * kPerIdleEdge +
                                     jobs.ranks * kPerTrainingRank,
                      .packets = is_flow ? 0 : std::uint64_t{200} * graph.endpoints * kPerPacket,
                      .other = kAlways};
  made.other += made.total() / 5;
  made.records = estimate_records(scenario, graph) + jobs.nodes * kPerNode;
  return made;
}

std::uint64_t estimate_memory(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return memory_parts(scenario, graph).total();
}

}  // namespace weft::study::run
