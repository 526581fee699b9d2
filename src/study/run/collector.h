// Collects the results of a run: records while it runs, samples at their times, counters at its end.
//
//   Collector collector;
//   auto simulation = Simulation::create(scenario, collector);
//   collector.watch(**simulation);
//   const auto end = (*simulation)->run(...);
//   RunResults results = collector.finish(end, {...});
//
// Every message and sample is kept in memory until the end, up to a limit; a run that has more ends in an error.
// The collector outlives the simulation. Looking changes nothing: a run with samples has the events of one without.
#pragma once

#include <string>
#include <vector>

#include "study/results/results.h"
#include "study/run/collector_decisions.h"
#include "study/run/simulation.h"

namespace weft::study::run {

class Collector final : public workload::MessageSink {
 public:
  /// Some gigabytes.
  struct Limits {
    std::size_t messages = 20'000'000;
    std::size_t samples = 40'000'000;
  };
  Collector() = default;
  explicit Collector(const Limits& limits) : limits_(limits) {}

  void on_message(const workload::MessageRecord& record) override { messages_.push_back(record); }
  void on_collective(const workload::CollectiveRecord& record) override { collectives_.push_back(record); }

  /// Before the run: notes the simulation, and asks it for the scenario's samples.
  void watch(Simulation& simulation);

  struct Identity {
    std::string key;
    std::string version;
  };
  /// After the run, once: hands everything over. MachineInfo is left to the caller. Training steps that are put
  /// together now are given up when `keep_going` says no; the run then counts as interrupted.
  [[nodiscard]] results::RunResults finish(
      Simulation::End end, const Identity& identity, const std::function<bool()>& keep_going = [] { return true; });

 private:
  /// A port's counters when it was looked at last.
  struct Seen {
    std::uint64_t tx_bytes = 0;
    std::uint64_t wire_bytes = 0;
    Duration held{};
    Rate rate{};
  };
  void sample(Time at);
  [[nodiscard]] Result<void> check_limits() const;
  void describe_run(results::RunInfo& run, Simulation::End end, const Identity& identity) const;
  [[nodiscard]] std::vector<Simulation::SentByFlow> flows() const;
  void take_jobs(results::RunResults& results) const;
  void take_messages(results::RunResults& results);
  void take_nics(results::RunResults& results) const;
  void take_cpu(results::RunResults& results) const;
  void take_steps(results::RunResults& results, const std::function<bool()>& keep_going) const;

  Limits limits_;
  Simulation* simulation_ = nullptr;
  std::vector<workload::MessageRecord> messages_;
  std::vector<workload::CollectiveRecord> collectives_;
  std::vector<results::SampleRow> samples_;
  std::vector<Seen> seen_;  // by port
  DecisionMeter decisions_;
  std::uint64_t sampled_events_ = 0;
  Time sampled_at_;
  std::uint64_t instants_ = 0;
};

}  // namespace weft::study::run
