// The jobs of a scenario: who takes part in each [[traffic]], and what they send.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "host/sim_machine.h"
#include "study/assembly/build_scale_up.h"
#include "study/scenario/scenario.h"
#include "study/world/world.h"
#include "workload/collective/collective_program.h"
#include "workload/collective/collectives.h"
#include "workload/connection.h"
#include "workload/flow.h"
#include "workload/multicast_program.h"

namespace weft::study::assembly {

/// A collective in place of flows.
struct CollectivePlan {
  workload::CollectiveProgramOptions program;  // layout and rank are left open
  workload::JobLayout layout;
};

/// Training steps in place of flows.
struct TrainingPlanEntry {
  const scenario::JobSettings* settings = nullptr;  // the scenario's
  workload::JobLayout layout;
  Rate network_rate;   // of a rank's ways out, together
  Rate scale_up_rate;  // zero: it has no such links
};

/// Datagrams to a multicast group in place of flows.
struct MulticastPlan {
  std::uint16_t lid = 0;  // of the group; 0: not given yet
  std::vector<workload::RankId> senders;
  std::vector<workload::RankId> members;
  workload::MulticastProgramOptions program{};  // without what differs by rank, and the group's names
};

struct TrafficPlan {
  workload::JobOptions job;
  std::vector<world::MachinePlan> machines;           // one per rank
  std::vector<std::string> rank_names;                // as reports show them
  std::unique_ptr<workload::TrafficPattern> pattern;  // null: a collective, a training job or a multicast group
  std::optional<CollectivePlan> collective;
  std::optional<TrainingPlanEntry> training;
  std::optional<MulticastPlan> multicast;
  std::optional<std::int64_t> priority;
  scenario::Family family = scenario::Family::kRoceV2;  // that carries it, unless
  scenario::TrafficRoute over = scenario::TrafficRoute::kFabric;
  Duration start_jitter{};
  workload::ConnectionOptions connection{};  // of flows
  std::uint64_t expected_bytes = 0;          // of all messages; 0: not known before
  bool as_long_as_jobs = false;              // nothing waits for its end
  Duration latest_start{};                   // of its flows
  bool all_at_once = false;                  // flows of the scenario that all send at the same time, if they can
  bool is_exchange = false;                  // every rank sends to every other, a few at a time
  /// Of flows between ranks of which some relay for others; empty: none does. Collectives and jobs have their own.
  workload::JobLayout layout{};
  /// Of each rank how many of its rails, from the first one on, take the queue pairs of its connections in turn; empty:
  /// one of each.
  std::vector<std::uint16_t> shared_ports{};
  /// Who talks to whom, by rank, where that is known: flows, permutations, incasts; empty: anybody with anybody.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

/// Where its ranks run, with those that relay for others; null: it is not known, and none does.
[[nodiscard]] const workload::JobLayout* relay_layout(const TrafficPlan& plan);
/// The ends of a flow by its first rails, where the network joins them or a GPU relays, and of the hop to that GPU.
/// Where NICs share out queue pairs over their ports, those that the queue pair begins at.
struct FlowEnds {
  EndpointId source{};
  EndpointId destination{};
  struct Hop {
    EndpointId source{};
    EndpointId destination{};
  };
  std::optional<Hop> hop{};
};
[[nodiscard]] FlowEnds ends_of(const TrafficPlan& plan, const workload::FlowId& flow, std::uint16_t queue_pair = 0);
/// Of a message in parts over several queue pairs, what goes through the port with most; else all of it.
[[nodiscard]] Bytes most_by_one_port(const TrafficPlan& plan, const workload::FlowId& flow, Bytes message);
/// Tells the rank's rails which of them are other ranks' (workload::RailPort::relay), and which share queue pairs.
void describe_rails(const TrafficPlan& plan, std::uint32_t rank, workload::RankPorts& ports);

/// The traffic in the order of the scenario, then the jobs that train a model; `scale_up` is null without scale-up
/// links. Errors name the traffic and what would be right.
[[nodiscard]] Result<std::vector<TrafficPlan>> plan_traffic(const scenario::Scenario& scenario,
                                                            const fabric::Graph& graph,
                                                            const ScaleUpPlan* scale_up = nullptr);

}  // namespace weft::study::assembly
