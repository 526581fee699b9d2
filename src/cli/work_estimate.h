// How long work will take on this machine, said before it begins, and how far it has come.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "live/clock.h"
#include "study/run/run_estimate.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

/// What one core of this machine does, measured by a run of a fraction of a second.
struct MachineSpeed {
  double setup = 0;            // s, to build the network
  double hops_per_second = 0;  // 0: not measured
};
/// Of the scenario's own network, all hosts sending. `scenario`: one that can be built.
[[nodiscard]] MachineSpeed measure_speed(const study::scenario::Scenario& scenario);

struct WorkTime {
  double least = 0;  // s
  double most = 0;
};
/// Of so many runs at once on so many cores.
struct Workers {
  std::size_t at_once = 1;
  std::size_t cores = 1;
};
[[nodiscard]] WorkTime work_time(std::span<const study::run::HopsEstimate> runs, const MachineSpeed& speed,
                                 const Workers& workers);

/// Of so many runs of one scenario, `jobs` at the same time (0: one per core); none: it cannot be measured.
[[nodiscard]] std::optional<WorkTime> time_of_runs(const study::scenario::Scenario& scenario, double runs,
                                                   std::int64_t jobs);

/// How long a run takes by its own first moments, for which no other has to be built.
class FirstMoments {
 public:
  explicit FirstMoments(const study::run::HopsEstimate& hops) : hops_(hops) {}
  /// Once, when it has run for a fraction of a second: "the run takes about 2 to 7 minutes".
  [[nodiscard]] std::optional<std::string> look(const study::run::Progress& progress);

 private:
  study::run::HopsEstimate hops_;
  live::Clock clock_;
  std::optional<Time> began_;  // when it was looked at first
  std::uint64_t hops_before_ = 0;
  bool has_said_ = false;
};

/// "a few seconds", "about 20 to 90 seconds", "about 2 to 7 minutes", "about 1 to 3 hours".
[[nodiscard]] std::string work_time_text(const WorkTime& time);

/// Of work whose pieces are as large as an estimate says: the share that is done, and the time left by what the pieces
/// so far have taken. No piece is less than a hundredth of the largest.
class WorkProgress {
 public:
  WorkProgress(std::span<const study::run::HopsEstimate> pieces, double expected_seconds);

  /// Part of the piece that is done, from 0 to 1.
  void under_way(std::size_t piece, double part);
  void done(std::size_t piece) { under_way(piece, 1); }
  [[nodiscard]] std::size_t pieces() const { return weights_.size(); }
  /// From 0 to 1.
  [[nodiscard]] double share() const;
  /// Seconds.
  [[nodiscard]] double left(double elapsed) const;

 private:
  std::vector<double> weights_;
  std::vector<double> parts_;  // of each that are done
  double all_ = 0;
  double expected_;
};

}  // namespace weft::cli
