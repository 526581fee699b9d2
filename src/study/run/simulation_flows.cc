// What the jobs of a simulation will send, before they run.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "host/header_fields.h"
#include "study/run/simulation_parts.h"
#include "study/world/context_entropies.h"
#include "study/world/end_addresses.h"
#include "study/world/flow_paths.h"
#include "workload/flow_program.h"
#include "workload/training/transformer_step.h"
#include "workload/trigger.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::RankId;

/// One round of micro-batches has every operation that a step has.
Result<scenario::StepWork> shortest_work(const scenario::StepWork& work, const scenario::JobSettings& settings) {
  const auto* const plan = std::get_if<workload::TrainingPlan>(&work);
  if (plan == nullptr) {
    return work;
  }
  workload::TrainingJob once = plan->job();
  once.representative.micro_batches = std::min(workload::micro_batches(once), once.parallelism.pipeline);
  once.steps = 1;
  Result<workload::TrainingPlan> made = workload::TrainingPlan::make(once, plan->gpu(), settings.ranks);
  if (!made) {
    return pass_on(made);
  }
  return scenario::StepWork(*std::move(made));
}

/// A data packet of a connected queue pair, as far as its path goes.
wire::Packet packet_of(const host::Nic& nic, Qpn pair) {
  wire::Packet packet = nic.packet_of(pair);
  const transport::StreamQueuePair* const stream = nic.device().find_stream(pair);
  if (stream == nullptr) {
    return packet;
  }
  const transport::TcpIdentity& ends = stream->connection()->identity();
  packet.common.kind = wire::PacketKind::kTcp;
  packet.common.encapsulation = stream->connection()->options().encapsulation;
  packet.common.entropy = stream->connection()->entropy();
  packet.tcp = wire::TcpHeader{};
  packet.tcp.source_port = ends.local.port;
  packet.tcp.destination_port = ends.peer.port;
  return packet;
}

}  // namespace

/// Adds flows by opening their connections.
class Simulation::Planner {
 public:
  explicit Planner(Simulation& simulation)
      : world_(*simulation.world_),
        addresses_(world::end_addresses(world_.graph(), static_cast<std::uint64_t>(simulation.scenario_.seed))) {}

  struct Sent {
    workload::ConnectionRequest connection{};
    workload::ConnectionOptions options{};
    double bytes = 0;
    bool data_comes_back = false;  // of a READ
  };
  [[nodiscard]] Result<void> add(Job& job, const Sent& sent, FlowSet& set) {
    Result<const workload::ConnectionEnd*> near = job.connector.connect(sent.connection, sent.options);
    if (!near || world_.is_scale_up((*near)->first_port().endpoint)) {
      return near ? Result<void>() : pass_on(near);
    }
    workload::ConnectionRequest back = sent.connection;
    std::swap(back.from, back.to);
    std::swap(back.rail, back.remote_rail);
    Result<const workload::ConnectionEnd*> far = job.connector.connect(back, sent.options);
    if (!far) {
      return pass_on(far);
    }
    const workload::ConnectionEnd& from = sent.data_comes_back ? **far : **near;
    const workload::ConnectionEnd& to = sent.data_comes_back ? **near : **far;
    const std::size_t pairs = from.options.data_queue_pairs();
    // What goes to the queue pair with least to do is no fixed part.
    const bool together = pairs > 1 && from.options.queue_pair_use != workload::QueuePairUse::kLeastOutstanding;
    last_together_ += together ? 1 : 0;
    for (std::size_t i = 0; i < pairs; ++i) {
      if (set.flows.size() == kMaxPlanned) {
        return fail("more than {} flows; take a smaller network or fewer of them", kMaxPlanned);
      }
      const EndpointId source = from.port_of(i).endpoint;
      const EndpointId destination = from.peer_port_of(i).endpoint;
      const host::Nic& nic = world_.nic(source);
      const bool any_path = nic.takes_any_path(from.queue_pairs[i]);
      world::PlannedFlow flow{.source = source,
                              .destination = destination,
                              .bytes = sent.bytes / static_cast<double>(pairs),
                              .any_path = any_path,
                              .chooses = world::chooses_paths(nic, from.queue_pairs[i]),
                              .together = together ? last_together_ : 0};
      if (!any_path || nic.device().uet() == nullptr) {
        set_headers({.from = nic, .to = world_.nic(destination)}, {from.queue_pairs[i], to.queue_pairs[i]},
                    sent.data_comes_back, flow);
      }
      set.flows.push_back(flow);
    }
    return {};
  }

  [[nodiscard]] Result<void> add_pattern(Job& job, FlowSet& set) {
    for (std::uint32_t rank = 0; rank < job.plan.machines.size(); ++rank) {
      const std::unique_ptr<workload::FlowSource> source = job.plan.pattern->flows_of(RankId(rank));
      std::size_t left = kMaxPlanned;
      while (const std::optional<workload::Flow> flow = source->next()) {
        if (left-- == 0) {
          break;  // an endless source; what comes later is like what was there
        }
        if (Result<void> added = add_flow(job, *flow, set); !added) {
          return added;
        }
      }
    }
    return {};
  }

  /// Of one rank of a collective.
  [[nodiscard]] Result<void> add_sends(Job& job, Result<std::vector<workload::CollectiveEngine::PlannedSend>> sends,
                                       FlowSet& set) {
    if (!sends) {
      return pass_on(sends);
    }
    for (const workload::CollectiveEngine::PlannedSend& send : *sends) {
      if (Result<void> added = add(job,
                                   {.connection = send.connection,
                                    .options = send.options,
                                    .bytes = static_cast<double>(send.bytes.count())},
                                   set);
          !added) {
        return added;
      }
    }
    return {};
  }

  /// A set for each purpose and kind of operation.
  [[nodiscard]] Result<void> add_training(Job& job, std::vector<FlowSet>& sets) {
    Result<scenario::StepWork> work = shortest_work(job.training->work(), *job.plan.training->settings);
    if (!work) {
      return pass_on(work);
    }
    std::map<std::string, FlowSet> by_name;
    for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
      const std::unique_ptr<workload::StepGraph> graph = scenario::make_graph(*work, RankId(rank));
      std::set<std::tuple<workload::CommunicatorId, workload::Purpose, CollectiveKind, Bytes, workload::MemberIndex>>
          known;
      while (const std::optional<workload::GraphNode> node = graph->next()) {
        const auto* const communication = std::get_if<workload::CommunicationNode>(&node->work);
        if (communication == nullptr || communication->request.kind == CollectiveKind::kReceive) {
          continue;
        }
        const workload::CollectiveRequest& request = communication->request;
        const workload::MemberIndex peer =
            request.kind == CollectiveKind::kSend ? request.peer : workload::MemberIndex(0);
        if (!known.emplace(request.communicator, node->label.purpose, request.kind, request.size, peer).second) {
          continue;
        }
        const std::string name =
            fmt::format("{}: {} {}", job.plan.job.name, to_string(node->label.purpose), to_string(request.kind));
        FlowSet& set =
            by_name
                .try_emplace(name,
                             FlowSet{.name = name, .purpose = std::string(to_string(node->label.purpose)), .flows = {}})
                .first->second;
        if (Result<void> added = add_sends(job, job.ranks[rank].engine->planned_sends(request), set); !added) {
          return added;
        }
      }
    }
    for (auto& [name, set] : by_name) {
      sets.push_back(std::move(set));
    }
    return {};
  }

 private:
  /// Flows of one connection and direction are one.
  [[nodiscard]] Result<void> add_flow(Job& job, const workload::Flow& flow, FlowSet& set) {
    const workload::ConnectionRequest connection = workload::connection_of(flow, assembly::relay_layout(job.plan));
    const bool back = flow.shape.operation == workload::Operation::kRead;
    if (!known_.emplace(&job, connection, back).second) {
      return {};
    }
    workload::ConnectionOptions options = job.plan.connection;
    if (job.plan.pattern->needs_receives()) {
      options.receive_requests = 2 * options.max_send_wr;
    }
    return add(job,
               {.connection = connection,
                .options = options,
                .bytes = static_cast<double>(flow.shape.size.count()),
                .data_comes_back = back},
               set);
  }

  struct Nics {
    const host::Nic& from;
    const host::Nic& to;
  };
  struct Pairs {
    Qpn from;
    Qpn to;
  };
  /// What switches choose paths by.
  void set_headers(const Nics& nics, const Pairs& pairs, bool data_comes_back, world::PlannedFlow& flow) {
    wire::Packet packet = packet_of(nics.from, pairs.from);
    wire::Packet back = packet_of(nics.to, pairs.to);
    if (packet.common.kind == wire::PacketKind::kUet) {
      // Both directions of a context have the entropy value of the queue pair that its initiator opened it for.
      const wire::PacketCommon& opened = data_comes_back ? back.common : packet.common;
      packet.common.entropy = back.common.entropy = contexts_.of(
          {.initiator = opened.source, .target = opened.destination, .traffic_class = opened.traffic_class},
          opened.entropy);
    }
    flow.tuple_hash = nics.from.tuple_hash_of(packet);
    flow.entropy = packet.common.entropy;
    flow.back_hash = nics.to.tuple_hash_of(back);
    if (!transport::is_infiniband(packet.common.encapsulation)) {
      flow.headers = host::header_fields(packet, addresses_);
    }
  }

  const world::World& world_;
  std::vector<wire::EndAddresses> addresses_;
  world::ContextEntropies contexts_;
  std::uint32_t last_together_ = 0;
  std::set<std::tuple<const Job*, workload::ConnectionRequest, bool>> known_;
};

bool Simulation::is_stream(const Job& job) {
  const host::Service service = assembly::service_of(job.plan.family);
  return service == host::Service::kTcp || service == host::Service::kIwarp;
}

Result<std::vector<Simulation::JobFlows>> Simulation::flows_by_job(StreamFlows streams) {
  // Programs that begin at once open their connections in their own order, which gives queue pairs their numbers.
  if (world_->run_first_instant() == world::World::Stop::kError) {
    return tl::unexpected<Error>(*world_->error());
  }
  Planner planner(*this);
  std::vector<JobFlows> flows;
  for (std::size_t i = 0; i < running_.size(); ++i) {
    Job& job = *running_[i];
    if (job.plan.over != scenario::TrafficRoute::kFabric || job.plan.multicast ||
        (is_stream(job) && (streams == StreamFlows::kWithout || job.plan.as_long_as_jobs))) {
      continue;
    }
    JobFlows& own = flows.emplace_back(JobFlows{.job = i});
    Result<void> added;
    if (job.training) {
      added = planner.add_training(job, own.sets);
    } else {
      FlowSet& set = own.sets.emplace_back(FlowSet{.name = job.plan.job.name, .purpose = {}, .flows = {}});
      if (job.plan.pattern) {
        added = planner.add_pattern(job, set);
      }
      for (std::size_t rank = 0; added && rank < job.collectives.size(); ++rank) {
        added = planner.add_sends(job, job.collectives[rank]->planned_sends(), set);
      }
    }
    if (!added) {
      return pass_on(added);
    }
  }
  return flows;
}

Result<FlowPlan> Simulation::planned_flows() {
  FlowPlan plan;
  Result<std::vector<JobFlows>> flows = flows_by_job(StreamFlows::kWith);
  if (!flows) {
    return pass_on(flows);
  }
  for (const std::unique_ptr<Job>& job : running_) {
    if (is_stream(*job) && job->plan.as_long_as_jobs && job->plan.over == scenario::TrafficRoute::kFabric) {
      plan.left_out.push_back(job->plan.job.name);
    }
  }
  std::vector<FlowSet>& sets = plan.sets;
  FlowSet traffic;
  for (JobFlows& own : *flows) {
    if (is_stream(*running_[own.job])) {
      plan.streams.push_back(running_[own.job]->plan.job.name);
    }
    for (FlowSet& set : own.sets) {
      if (running_[own.job]->training) {
        sets.push_back(std::move(set));
        continue;
      }
      traffic.name += (traffic.name.empty() ? "" : ", ") + set.name;
      traffic.flows.insert(traffic.flows.end(), set.flows.begin(), set.flows.end());
    }
  }
  if (traffic.flows.size() > kMaxPlanned) {
    return fail("more than {} flows; take a smaller network or fewer of them", kMaxPlanned);
  }
  if (!traffic.flows.empty()) {
    sets.insert(sets.begin(), std::move(traffic));
  }
  std::erase_if(sets, [](const FlowSet& set) { return set.flows.empty(); });
  return plan;
}

}  // namespace weft::study::run
