// Jobs that run steps, at the flow level.
#include <algorithm>
#include <map>
#include <tuple>

#include "study/run/flow_simulation_parts.h"
#include "study/run/group_reach.h"
#include "study/scenario/scenario_collectives.h"

namespace weft::study::run {
namespace {

using workload::ConnectionEnd;

/// Chunks that a member sends of its part in a sample of a ring's steps, at least: what a step costs beside its bytes
/// is hidden behind the other chunks, as it is in the whole.
constexpr std::int64_t kChunksPerPiece = 3;
/// Nodes of a composed step that are kept: some 10 s of work.
constexpr std::uint64_t kMaxNodes = 1'000'000;
/// Of a direct exchange over all ranks with every peer.
constexpr std::uint64_t kMostConnections = 1U << 18;

/// A message over each queue pair of a connection, as long as they are.
Bytes messages_of_each_pair(const scenario::CollectiveSettings& settings) {
  return settings.queue_pair_use == workload::QueuePairUse::kSplit ? settings.chunk
                                                                   : settings.chunk * settings.queue_pairs;
}

/// What so much payload over a connection takes of each link at its full rate, in seconds; its queue pairs share it.
void add_loads(world::FlowMedium& medium, const ConnectionEnd& end, Bytes payload,
               std::map<std::uint32_t, double>& seconds) {
  const std::size_t pairs = end.options.data_queue_pairs();
  for (std::size_t i = 0; i < pairs; ++i) {
    const workload::RailPort& port = end.port_of(i);
    const Result<verbs::QpDescription> pair = port.provider->query_qp(end.queue_pairs[i]);
    if (!pair) {
      continue;
    }
    const verbs::QpAttributes& attributes = pair->attributes;
    const EndpointId to = attributes.address.destination;
    const Bytes full = verbs::to_bytes(attributes.path_mtu);
    const flow::MessagePackets packet = medium.packets_of({.from = port.endpoint,
                                                           .to = to,
                                                           .opcode = verbs::WrOpcode::kRdmaWrite,
                                                           .size = full,
                                                           .path_mtu = attributes.path_mtu});
    const double bits = static_cast<double>(payload.count()) / static_cast<double>(pairs) * 8 *
                        static_cast<double>(packet.data.count()) / static_cast<double>(full.count());
    const Result<flow::Route> route = medium.route({.from = port.endpoint,
                                                    .to = to,
                                                    .queue_pair = end.queue_pairs[i],
                                                    .remote_queue_pair = attributes.destination_qpn,
                                                    .address = attributes.address,
                                                    .path_mtu = attributes.path_mtu});
    for (const flow::LinkUse& use : route ? route->links : std::vector<flow::LinkUse>()) {
      seconds[use.link] += bits * static_cast<double>(use.part) / medium.capacity_of(use.link);
    }
  }
}

}  // namespace

Result<void> FlowSimulation::make_training(Job& job) {
  if (!job.plan.training) {
    return {};
  }
  const assembly::TrainingPlanEntry& planned = *job.plan.training;
  // Rates are steady at once, so samples do not have to settle.
  job.settings = *planned.settings;
  job.settings.training.slice_hops = 0;
  TrainingRun::Options options{
      .job = job.settings,
      .identity = job.plan.job,
      .layout = planned.layout,
      .network_rate = planned.network_rate,
      .scale_up_rate = planned.scale_up_rate,
      .load = [] { return SliceGrowth::Load{}; },
      .limits = [](std::span<const world::FlowDemand>) { return world::PathLimits{}; },
      .loads =
          [this, &job](std::uint32_t phase, std::span<const world::FlowDemand> demands) {
            use_stand_ins(job, phase);
            return path_loads(job, demands);
          },
      .piece = [] { return Bytes::zero(); },
      .min_piece = scenario_.collectives.chunk * kChunksPerPiece,
      .represents = true,
      .peer_piece = messages_of_each_pair(scenario_.collectives),
      .most_connections = options_.most_connections > 0 ? options_.most_connections : kMostConnections,
      .begins = [this, &job](std::uint32_t phase) { begin_phase(job, phase); }};
  options.max_nodes = options_.step_nodes > 0 ? options_.step_nodes : kMaxNodes;
  Result<std::unique_ptr<TrainingRun>> run = TrainingRun::make(std::move(options));
  if (!run) {
    return pass_on(run);
  }
  job.training = std::move(*run);
  parts_->counter.training = job.training.get();
  if (Result<void> met = check_groups(job.training->communicators(), planned.layout); !met) {
    return fail("job '{}': {}", job.settings.name, met.error().message);
  }
  Result<workload::CommunicatorDirectory> directory =
      workload::CommunicatorDirectory::make({.layout = &planned.layout,
                                             .communicators = job.training->communicators(),
                                             .collectives = scenario::collective_options(scenario_.collectives),
                                             .areas = workload::MemoryAreas::of(assembly::kCollectiveMemory)});
  if (!directory) {
    return fail("job '{}': {}", job.settings.name, directory.error().message);
  }
  job.directory.emplace(std::move(*directory));
  return {};
}

Result<void> FlowSimulation::make_training_program(Job& job, std::uint32_t rank) {
  Job::Rank& made = job.ranks[rank];
  auto engine = workload::CollectiveEngine::make(made.messenger,
                                                 {.job = job.plan.job.id,
                                                  .rank = workload::RankId(rank),
                                                  .layout = &job.plan.training->layout,
                                                  .collectives = scenario::collective_options(scenario_.collectives),
                                                  .directory = &*job.directory});
  if (!engine) {
    return fail("job '{}': {}", job.plan.job.name, engine.error().message);
  }
  made.engine = std::move(*engine);
  auto program = job.training->make_program(workload::RankId(rank), made.ports.machine(), *made.engine);
  if (!program) {
    return fail("job '{}': {}", job.plan.job.name, program.error().message);
  }
  made.program = std::move(*program);
  return {};
}

std::vector<world::FlowLoad> FlowSimulation::path_loads(const Job& job, std::span<const world::FlowDemand> demands) {
  std::map<std::tuple<workload::RankId, workload::RankId, std::uint32_t>, const ConnectionEnd*> ends;
  job.connector.visit_ends([&ends](const ConnectionEnd& end) {
    ends.insert_or_assign({end.name.from, end.name.to, end.name.channel}, &end);
  });
  std::vector<world::FlowLoad> made;
  for (const world::FlowDemand& demand : demands) {
    const auto found = ends.find({demand.sender(), demand.receiver(), demand.flow.index});
    if (found == ends.end() || parts_->medium->is_scale_up(found->second->first_port().endpoint)) {
      continue;
    }
    const ConnectionEnd& end = *found->second;
    std::map<std::uint32_t, double> seconds;
    add_loads(*parts_->medium, end, demand.bytes, seconds);
    note_sender(end.first_port().endpoint, seconds);
    world::FlowLoad& own = made.emplace_back(world::FlowLoad{
        .flow = demand.flow, .sender = demand.sender(), .bytes = static_cast<double>(demand.bytes.count())});
    for (const auto& [link, needed] : seconds) {
      own.uses.push_back({.link = link, .seconds = needed});
    }
  }
  return made;
}

void FlowSimulation::note_sender(EndpointId sender, const std::map<std::uint32_t, double>& links) {
  for (const auto& [link, seconds] : links) {
    if (parts_->medium->joins_switches(link)) {
      shares_links_ |= parts_->senders.try_emplace(link, sender).first->second != sender;
    }
  }
}

Result<std::vector<results::StepRow>> FlowSimulation::training_steps(const std::function<bool()>& keep_going) {
  std::vector<results::StepRow> rows;
  for (const auto& job : parts_->jobs) {
    if (!job->training) {
      continue;
    }
    if (!job->training->composed()) {  // which has asked for the loads of its operations
      job->connector.visit_ends([this](const ConnectionEnd& end) {
        std::map<std::uint32_t, double> links;
        if (!parts_->medium->is_scale_up(end.first_port().endpoint)) {
          add_loads(*parts_->medium, end, Bytes(1), links);
        }
        note_sender(end.first_port().endpoint, links);
      });
    }
    Result<results::StepRow> row = job->training->finish(keep_going);
    if (!row) {
      return pass_on(row);
    }
    rows.push_back(std::move(*row));
  }
  return rows;
}

const TrainingRun* FlowSimulation::training(std::size_t job) const { return parts_->jobs[job]->training.get(); }

}  // namespace weft::study::run
