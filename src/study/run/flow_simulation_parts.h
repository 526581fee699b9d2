// What a FlowSimulation is made of: the ranks of each traffic, and what all of them share. For the sources of
// FlowSimulation alone.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "flow/flow_machine.h"
#include "flow/flow_network.h"
#include "study/assembly/build_collective.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_traffic.h"
#include "study/run/flow_simulation.h"
#include "study/run/steady_rounds.h"
#include "study/run/training_run.h"
#include "study/world/flow_medium.h"
#include "workload/collective/communicator_directory.h"
#include "workload/collective/engine.h"
#include "workload/local_connector.h"
#include "workload/messenger.h"

namespace weft::study::run {

/// What the ranks of one traffic are made of.
struct FlowSimulation::Job {
  struct Rank {
    workload::RankPorts ports;
    workload::Messenger messenger;
    std::unique_ptr<workload::CollectiveEngine> engine;  // of a job that runs steps
    std::unique_ptr<workload::Program> program;
    bool started = false;
    bool done = false;

    Rank(workload::RankPorts opened, workload::LocalConnector& connector, workload::DeliveryMatcher& matcher)
        : ports(std::move(opened)), messenger(ports, connector, matcher) {}
  };
  Job(assembly::TrafficPlan made, const workload::ConnectionAttributes& attributes)
      : plan(std::move(made)), connector(plan.job, attributes) {}

  assembly::TrafficPlan plan;
  workload::LocalConnector connector;
  // Of a job that runs steps.
  scenario::JobSettings settings{};
  std::unique_ptr<TrainingRun> training;
  std::map<std::uint32_t, world::StandIns> stand_ins;  // by phase, of those with some peers
  /// What all peers put on links, by kind of exchange and where it runs.
  std::map<std::pair<workload::CollectiveKind, std::vector<workload::CommunicatorId>>, world::StandInLoads>
      exchange_loads;
  // Of collectives and steps: what all ranks compute alike, once for all.
  workload::Communicator world{};  // of a collective's ranks
  std::optional<workload::CommunicatorDirectory> directory;

  std::deque<Rank> ranks;
  std::vector<workload::CollectiveProgram*> collectives;  // by rank; empty for other traffic
  std::optional<SteadyRounds> steady;                     // of a collective
};

/// Counts what passes on its way to the sink.
struct FlowSimulation::Counter final : workload::MessageSink {
  explicit Counter(workload::MessageSink& behind) : sink(behind) {}
  void on_message(const workload::MessageRecord& record) override {
    ++messages;
    bytes += static_cast<std::uint64_t>(record.size.count());
    // What a job sends inside its domains is counted there, and no message of the network; those of a composed step's
    // samples are none of the step.
    if (training == nullptr || (training->take(record) && !training->composed())) {
      sink.on_message(record);
    }
  }
  void on_collective(const workload::CollectiveRecord& record) override {
    for (SteadyRounds* const one : steady) {
      one->note(record);
    }
    sink.on_collective(record);
  }

  workload::MessageSink& sink;
  TrainingRun* training = nullptr;
  std::vector<SteadyRounds*> steady;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct FlowSimulation::Parts {
  explicit Parts(workload::MessageSink& sink) : counter(sink), matcher(counter) {}
  Counter counter;
  workload::DeliveryMatcher matcher;
  std::unique_ptr<assembly::HostBuilder> hosts;
  std::optional<assembly::ScaleUpPlan> scale_up;
  std::unique_ptr<world::FlowMedium> medium;
  std::unique_ptr<flow::FlowNetwork> network;
  std::vector<std::unique_ptr<Job>> jobs;
  std::map<std::uint32_t, EndpointId> senders;  // of steps, the first on each link between switches
};

}  // namespace weft::study::run
