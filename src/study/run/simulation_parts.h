// What a Simulation is made of: the ranks of each traffic, and what all of them share. For the sources of Simulation
// alone.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "study/assembly/build_collective.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/port_partitions.h"
#include "study/assembly/subnet_resweeps.h"
#include "study/run/job_turns.h"
#include "study/run/simulation.h"
#include "study/run/training_run.h"
#include "workload/collective/communicator_directory.h"
#include "workload/collective/engine.h"
#include "workload/local_connector.h"
#include "workload/messenger.h"
#include "workload/multicast_deliveries.h"

namespace weft::study::run {

/// Counts what passes on its way to the sink.
struct Simulation::Counter final : workload::MessageSink {
  explicit Counter(workload::MessageSink& behind) : sink(behind) {}
  void on_message(const workload::MessageRecord& record) override {
    ++messages;
    job_messages += company.contains(record.flow.job) ? 0 : 1;
    if (const std::size_t job = record.flow.job.value(); job < last.size()) {
      last[job] = later(last[job], record.finished);
    }
    bytes += static_cast<std::uint64_t>(record.size.count());
    // What a training job sends inside its domains is counted there, and no message of the network.
    const auto job = training.find(record.flow.job);
    if (job == training.end() || job->second->take(record)) {
      sink.on_message(record);
    }
  }
  void on_collective(const workload::CollectiveRecord& record) override { sink.on_collective(record); }

  workload::MessageSink& sink;
  std::map<workload::JobId, TrainingRun*> training;
  std::set<workload::JobId> company;  // traffic that lasts as long as the jobs
  std::vector<Time> last;             // end of a message, by job; empty: nobody looks
  std::uint64_t messages = 0;
  std::uint64_t job_messages = 0;  // of others
  std::uint64_t bytes = 0;
};

/// What the ranks of one traffic are made of.
struct Simulation::Job {
  struct Rank {
    verbs::MemoryPlace place;  // of its buffers
    workload::RankPorts ports;
    workload::Messenger messenger;
    std::unique_ptr<workload::CollectiveEngine> engine;  // of a training job
    std::unique_ptr<workload::Program> program;
    bool started = false;
    bool done = false;

    Rank(verbs::MemoryPlace chosen, workload::RankPorts opened, workload::LocalConnector& connector,
         workload::DeliveryMatcher& matcher)
        : place(chosen), ports(std::move(opened)), messenger(ports, connector, matcher) {}
  };

  Job(assembly::TrafficPlan made, const workload::ConnectionAttributes& attributes)
      : plan(std::move(made)), connector(plan.job, attributes) {}

  assembly::TrafficPlan plan;
  workload::LocalConnector connector;
  std::unique_ptr<assembly::CollectiveBytes> bytes;  // null: lengths only
  workload::Communicator world{};                    // of all ranks, and what they compute of it alike; collectives
  std::optional<workload::CommunicatorDirectory> directory;
  std::unique_ptr<TrainingRun> training;                      // null: other traffic
  std::vector<workload::SlowSpans> slow;                      // of each rank's GPU; empty: none is slow
  std::unique_ptr<workload::MulticastDeliveries> deliveries;  // null: no multicast group
  std::deque<Rank> ranks;
  std::size_t ranks_left = 0;                                   // that are not done
  std::vector<const workload::CollectiveProgram*> collectives;  // by rank; empty for other traffic
};

struct Simulation::Parts {
  explicit Parts(workload::MessageSink& sink) : counter(sink), matcher(counter), company_matcher(counter) {}
  Counter counter;
  workload::DeliveryMatcher matcher;
  workload::DeliveryMatcher
      company_matcher;              // of traffic that lasts as long as the jobs: nobody waits for its messages
  std::unique_ptr<JobTurns> turns;  // null: no two composed jobs
  std::unique_ptr<assembly::HostBuilder> hosts;
  std::optional<assembly::ScaleUpPlan> scale_up;
  std::vector<std::uint16_t> partitions;                 // P_Key of each job, unless
  std::optional<assembly::PortKeys> port_keys;           // each port has its own, by a partitions.conf
  std::vector<assembly::Resweep> resweeps;               // of subnet managers, that are to come in the run
  std::vector<std::size_t> attacks;                      // of the world's, their numbers in the scenario
  std::vector<std::string> gpus;                         // of jobs that compute, where some fail to
  std::unique_ptr<world::TrafficController> controller;  // null: switches have no entries
};

}  // namespace weft::study::run
