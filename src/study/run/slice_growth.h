// How long the slices of a composed step become where flows share links, and for how long each runs.
//
// Where no link carries flows of two senders and nothing was marked, paused or lost, an operation's probes are enough,
// if from the shorter to the longer one their time grows as their links need. Elsewhere what a slice takes depends on
// its size and on what came before: pieces that are shorter than what is under way on a path never meet, and senders'
// rates take longer to settle than a slice without them takes. So the slice is made of pieces of several
// bandwidth-delay products, for each of the parts into which the operation's communicator divides it, and runs back to
// back until the 95 % confidence interval of the time that it gives the operation is narrow. Each repetition is one
// batch. Steps around
// rings are alike, so of an operation with many of them a slice runs a few. What counts is the slowest communicator.
// One object serves the phases of one run, in their order; the budget of packet-hops is shared equally by the
// operations that have to settle. A step that would take no more packet-hops than that, such as one of few layers, is
// better run itself, and so is one when settling has taken as many and is not over.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/rate.h"
#include "study/run/step_phases.h"
#include "study/world/flow_paths.h"

namespace weft::study::run {

/// What an operation that settles takes as a rule, for an estimate.
inline constexpr double kUsualRepetitions = 4;
/// Where the step takes at most so much of the budget, that is kept for it, in case operations do not settle. Where it
/// takes more, there is no second try, and it may take so many times what slices are expected to.
inline constexpr double kKeptForStep = 0.5;
inline constexpr double kExactIsWorth = 2;

/// A mean with half the width of its 95 % confidence interval, relative to it; none: of one value alone.
struct BatchMean {
  double mean = 0;
  std::optional<double> interval{};
};
/// Of values that do not depend on one another.
[[nodiscard]] BatchMean batch_mean(std::span<const double> values);

class SliceGrowth {
 public:
  /// What the network has done so far.
  struct Load {
    std::uint64_t signals = 0;  // of congestion (study/congestion_signals.h)
    std::uint64_t packet_hops = 0;
  };
  struct Options {
    StepPhases& phases;  // all of them must outlive this
    const workload::PhaseCoordinator& board;
    std::uint64_t max_hops = 0;      // of the run; what would lead beyond is not run
    std::function<Bytes()> piece{};  // that a settled slice sends of each part, at least, at the rate of the line
    Rate rate{};                     // of the line of one member
    Bytes min_piece{};               // at any rate: so many chunks that a step around a ring does not wait for one
    bool shares_hosts = false;       // flows of one host share its cores, so every operation has to settle
    bool has_company = false;  // other traffic lasts as long as the job: likewise, and the step is never run itself
    std::function<Load()> load{};
    /// How often a step has the operation, on one communicator.
    std::function<std::uint64_t(const StepOperation&)> instances{};
    /// What the paths of the flows of a phase that has been run allow.
    std::function<world::PathLimits(std::uint32_t phase)> limits{};
  };
  explicit SliceGrowth(const Options& options) : options_(options) {}

  /// To be asked of every phase but the first, in their order, once the one before has ended: whether to leave it out.
  [[nodiscard]] bool skips(std::uint32_t phase);
  /// Whether the operations of the present phase run once more.
  [[nodiscard]] bool repeats(std::uint32_t phase);

  /// The present phase begins: with company, what others sent in the rest before it is no part of it.
  void note_begin(std::uint32_t phase);

  /// The step itself takes no more packet-hops than its operations would take to settle, so none of them does; or one
  /// of them has not settled, or all have taken as much as the step without an end, and the budget has kept room for
  /// it.
  [[nodiscard]] bool prefers_whole_step() const;
  /// Running the step itself takes a few seconds, and the budget has room for it.
  [[nodiscard]] bool affords_whole_step() const;

  /// What is known of an operation when all phases have ended.
  struct Outcome {
    world::PathLimits limits{};        // of the probe; its least time is continued to the whole
    bool shares = false;               // links, hosts or other traffic were shared, or the network showed congestion
    bool contended = false;            // it had to settle
    Bytes sample{};                    // the most of its size that was run at a time
    std::uint32_t repetitions = 1;     // of that, of the communicator with fewest
    std::optional<double> interval{};  // of the whole's time; none: not contended, or not measured
    bool short_pieces = false;         // shorter than they should be: the budget had no room for longer ones
    bool settled = true;               // a slice as long as it should be, and a narrow interval
  };
  [[nodiscard]] std::map<StepOperation, Outcome> outcomes() const;

 private:
  /// What a slice should be, or may be.
  struct Slice {
    double size = 0;
    double steps = 0;   // of the plan's
    double amount = 0;  // of the operation's size, what so many steps move
    friend bool operator==(const Slice&, const Slice&) = default;
  };
  struct Plan {
    world::PathLimits limits{};
    bool shares = false;
    bool contended = false;
    bool short_slice = false;             // the budget had no room for the one that it should have
    bool short_pieces = false;            // not even with fewer steps
    std::uint32_t steps = 0;              // around rings; 0: no rings, or not as many on all communicators
    Slice slice{};                        // that it should have
    std::optional<StepOperation> like{};  // of which the same is run
    double part_of_line = 1;              // that members send at, the same for operations of a kind
    double hops_per_byte = 0;
    double share = 0;  // packet-hops that it may take
  };
  void plan();
  [[nodiscard]] std::uint32_t steps_in(std::uint32_t phase) const;
  /// From the shorter to the longer probe, of the communicator that takes longest.
  struct Growth {
    Bytes bytes{};
    double seconds = 0;
  };
  [[nodiscard]] std::optional<Growth> growth_between_probes(const StepOperation& operation) const;
  [[nodiscard]] double part_of_line(const StepOperation& operation) const;
  /// Of its time, as a factor of what the fullest link needs for as many bytes; 1 of one that is run whole.
  [[nodiscard]] double growth_of_probes(const StepOperation& operation, const world::PathLimits& limits) const;
  [[nodiscard]] Slice wanted(const StepOperation& operation, const Plan& plan) const;
  [[nodiscard]] std::optional<StepOperation> alike_before(const StepOperation& operation) const;
  void size_slice(const StepOperation& operation, Plan& plan, double share);
  [[nodiscard]] BatchMean settled(std::uint32_t phase) const;
  /// Of the whole's time, from its slice of phase `settling` and the shorter one; none: of one repetition alone.
  [[nodiscard]] std::optional<double> interval_of(const StepOperation& operation, std::uint32_t settling) const;
  [[nodiscard]] std::uint32_t repetitions(std::uint32_t phase) const;
  [[nodiscard]] Load during(std::uint32_t phase) const;
  [[nodiscard]] double left() const;
  [[nodiscard]] double spent_settling() const;
  [[nodiscard]] bool has_run(const StepOperation& operation) const;
  [[nodiscard]] Outcome outcome_of(const StepOperation& operation, const Plan& plan) const;

  Options options_;
  std::vector<Load> ends_;                // at the end of each phase so far
  std::map<std::uint32_t, Load> begins_;  // with company alone: of each phase that has been run
  std::map<StepOperation, Plan> plans_;
  bool whole_step_ = false;
  double step_ = 0;            // packet-hops of the step itself; 0: not known
  double kept_ = 0;            // of them, for it; 0: there is no room for it
  double planned_at_ = 0;      // packet-hops that were left when probes had ended
  std::size_t unplanned_ = 0;  // contended operations that have no slice yet and need one
};

}  // namespace weft::study::run
