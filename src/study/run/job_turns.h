// Composed jobs that share a network.
//
// Each runs the phases of its own step while the others rest. Then two operations of two jobs whose flows take a common
// link (or common cores of a host) run side by side, back to back, until both are known: how much longer a slice takes
// than alone. Pairs that share nothing are left out. With that the steps of all jobs are composed together: at every
// instant an operation goes on as fast as those that are under way in other jobs leave it; several of these add up, and
// of an operation that runs on many communicators counts the part that is under way.
//
// Made before the programs start; the jobs, in their order, must outlive it.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "fabric/port_link.h"
#include "study/results/step_rows.h"
#include "study/run/training_run.h"
#include "workload/collective/shared_progress.h"

namespace weft::study::run {

class JobTurns {
 public:
  struct Options {
    std::function<std::uint64_t()> hops{};  // of the network so far
    /// The links that flows of a job take, which have sent.
    std::function<std::set<fabric::PortIndex>(const TrainingRun&, std::span<const world::FlowDemand>)> links{};
  };
  explicit JobTurns(Options options) : options_(std::move(options)) {}
  JobTurns(const JobTurns&) = delete;
  JobTurns& operator=(const JobTurns&) = delete;

  void add(TrainingRun& run);
  [[nodiscard]] std::uint32_t jobs() const { return static_cast<std::uint32_t>(runs_.size()); }

  /// The rows of all jobs once the network's programs are done. Errors: those of compose_steps.
  [[nodiscard]] Result<std::vector<results::StepRow>> finish(const std::function<bool()>& keep_going);

 private:
  /// A slice of a job, settled where there was budget for that: the number of its phase.
  struct Side {
    std::size_t job = 0;
    std::uint32_t phase = 0;
    friend auto operator<=>(const Side&, const Side&) = default;
  };
  struct Pair {
    Side first{};
    Side second{};
  };
  struct OneBeside {
    Side own{};
    workload::CommunicatorId communicator{};
    std::uint32_t sender = 0;
    Side other{};
    friend auto operator<=>(const OneBeside&, const OneBeside&) = default;
  };
  struct Measured {
    double slowdown = 1;
    std::optional<double> interval{};  // half of the 95 % interval, relative; none: of one repetition, or none at all
  };

  void on_ready(std::size_t job, std::uint32_t phase, Time earliest);
  void proceed(Time at);
  void plan_pairs();
  [[nodiscard]] bool goes_on();
  [[nodiscard]] bool is_known(const Side& side) const;
  void measure(const Side& own, const Side& other);
  [[nodiscard]] Duration last_end(const Side& side) const;
  [[nodiscard]] std::vector<Side> sides_of(std::size_t job) const;
  [[nodiscard]] workload::SharedProgress::Operation shared(std::size_t job,
                                                           const workload::CostedOperation& operation) const;
  [[nodiscard]] double slowdown(const workload::SharedProgress::Operation& of,
                                const workload::SharedProgress::Counts& counts) const;
  void note_others(std::size_t job, results::StepRow& row) const;

  Options options_;
  std::vector<TrainingRun*> runs_;
  std::vector<std::optional<Time>> ready_;  // for the next pair, from then on
  std::size_t turn_ = 0;                    // jobs before it have run their own phases
  std::vector<Pair> pairs_;
  std::size_t next_pair_ = 0;
  bool beside_ = false;      // a pair is under way
  bool closing_ = false;     // and both of it are known
  std::uint64_t begun_ = 0;  // packet-hops when it began
  std::uint64_t share_ = 0;  // that each may take
  std::map<OneBeside, Measured> measured_;
};

}  // namespace weft::study::run
