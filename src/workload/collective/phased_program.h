// Collectives in phases: all of a phase at once, and the next phase when every rank has finished the one before.
//
// In a phase an operation may run again and again, back to back: a rank begins it anew as soon as it has finished, as
// ranks do in a step, until the board's owner has seen enough. Communicators go on side by side until then, so that
// none has the network to itself in the end.
//
// Coordinators of several jobs may take turns on one network: a gate holds phases back until they are opened, and
// phases that have been run may run again, for instance beside one of another job.
//
// The ranks of one process agree on phases out of band, without packets, a fixed gap after the last of them: what is
// measured is the phase alone. One PhaseCoordinator is shared by the programs of all ranks; it must outlive them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workload/collective/collectives.h"
#include "workload/program.h"

namespace weft::workload {

/// One operation of one phase, the same for all members of its communicator (send and receive: of both its ends).
struct PhasedOperation {
  std::uint32_t phase = 0;
  CommunicatorId communicator{};
  std::uint32_t number = 0;  // tells apart operations of one phase on one communicator

  friend auto operator<=>(const PhasedOperation&, const PhasedOperation&) = default;
};

/// What one rank does: its requests by phase. Tokens are filled in by the program.
struct PhasedRequest {
  PhasedOperation operation{};
  CollectiveRequest request{};
  /// An algorithm left open is chosen for this size, of which the request is a shorter sample.
  Bytes chosen_for{};
  std::uint32_t parties = 1;  // that tell its end: all members, or both ends
};

class PhaseCoordinator {
 public:
  /// `gap` above zero: from the end of a phase to the beginning of the next. The first begins at `first`.
  PhaseCoordinator(std::uint32_t phases, Duration gap, Time first = Time::zero())
      : phases_(phases), gap_(gap), begins_{first} {}

  void add_rank(verbs::Machine& machine) { machines_.push_back(&machine); }
  /// Asked of every phase but the first, when all before it have ended; those for which it is true are left out.
  void set_skips(std::function<bool(std::uint32_t phase)> skips) { skips_ = std::move(skips); }
  /// Asked when the first rank has finished an operation of the phase: whether it follows once more. Without this no
  /// operation runs twice.
  void set_repeats(std::function<bool(std::uint32_t phase)> repeats) { repeats_ = std::move(repeats); }
  /// What part of an operation a phase runs.
  struct Sample {
    Bytes size{};
    std::uint32_t ring_steps = 0;  // as in CollectiveRequest
  };
  /// Equal steps of an operation's algorithm: around rings (Collectives::ring_steps), or of a direct exchange
  /// (exchange_steps_of).
  struct Steps {
    std::uint32_t ring = 0;
    std::uint32_t exchange = 0;
  };
  /// Asked of each rank's operation. Without this, operations are as they were requested.
  using Samples = std::function<Sample(std::uint32_t phase, const Steps& steps)>;
  void set_samples(Samples samples) { samples_ = std::move(samples); }
  /// The operation of a request as it is known in the present phase.
  [[nodiscard]] PhasedOperation present(const PhasedRequest& phased) const {
    PhasedOperation made = phased.operation;
    made.phase = phase_;
    return made;
  }
  [[nodiscard]] Sample sample_of(const PhasedRequest& phased) const {
    return samples_ ? samples_(phased.operation.phase, steps_of(present(phased)))
                    : Sample{.size = phased.request.size, .ring_steps = phased.request.ring_steps};
  }
  /// A rank begins an operation whose algorithm has such steps.
  void note_steps(const PhasedOperation& operation, const Steps& steps) { steps_[operation] = steps; }
  /// What was noted of an operation that has begun; none if it has not.
  [[nodiscard]] Steps steps_of(const PhasedOperation& operation) const {
    const auto found = steps_.find(operation);
    return found == steps_.end() ? Steps{} : found->second;
  }
  /// Told the phase that is next, or the number of phases behind the last, and when it may begin: the coordinator waits
  /// until told to open it, to run another again, or to close.
  using Gate = std::function<void(std::uint32_t phase, Time earliest)>;
  void set_gate(Gate gate) { gate_ = std::move(gate); }
  /// The phase that waits begins at this instant; of a coordinator whose first phase is never, that phase.
  void open(Time at);
  /// Behind the last phase, while the coordinator waits: a further phase, which runs the requests of `source` anew.
  void run_again(std::uint32_t source, Time at);
  /// While it waits: there will be no further phase.
  void close(Time at);
  /// The phase whose requests the present one runs.
  [[nodiscard]] std::uint32_t source_phase() const { return source_.value_or(phase_); }
  /// A rank has finished everything of the present phase.
  void finish(Time now);
  /// One of `parties` ranks has finished this repetition, counted from 0.
  void record(const PhasedOperation& operation, std::uint32_t repetition, std::uint32_t parties, Time finished);
  /// Whether the operation has a repetition of that number; all parties get the same answer.
  [[nodiscard]] bool has_repetition(const PhasedOperation& operation, std::uint32_t repetition);

  [[nodiscard]] std::uint32_t phase() const { return phase_; }
  [[nodiscard]] bool over() const { return phase_ >= phases_ && !waits_; }
  /// When the present phase begins, for every rank.
  [[nodiscard]] Time begins_at() const { return begins_.back(); }
  /// The phase that was under way at an instant; the gap behind a phase belongs to it.
  [[nodiscard]] std::uint32_t phase_at(Time time) const;
  /// From the beginning of its phase to the last member's end; only operations that have finished.
  [[nodiscard]] const std::map<PhasedOperation, Duration>& times() const { return times_; }
  /// The same of every repetition that all parties have finished, in their order.
  [[nodiscard]] std::vector<Duration> ends_of(const PhasedOperation& operation) const;
  [[nodiscard]] std::uint32_t repetitions_of(const PhasedOperation& operation) const;

 private:
  void wake_all(Time at);

  struct Repetition {
    Duration end{};             // of the last party so far
    std::uint32_t missing = 0;  // parties
  };
  struct Sequence {
    std::vector<Repetition> repetitions{};
    std::uint32_t allowed = 1;  // repetitions that parties may begin
    bool closed = false;        // there will not be more
  };

  std::uint32_t phases_;
  Duration gap_;
  std::function<bool(std::uint32_t)> skips_;
  std::function<bool(std::uint32_t)> repeats_;
  Samples samples_;
  Gate gate_;
  bool waits_ = false;                     // at the gate
  std::optional<std::uint32_t> source_{};  // of a phase that runs another's requests
  std::vector<verbs::Machine*> machines_;
  std::uint32_t phase_ = 0;
  std::size_t finished_ = 0;
  std::vector<Time> begins_;
  std::map<PhasedOperation, Duration> times_;
  std::map<PhasedOperation, Steps> steps_;
  std::map<PhasedOperation, Sequence> sequences_;
};

class PhasedProgram final : public Program {
 public:
  /// `requests` in the order of phases. The board, the machine and the collectives must outlive this.
  PhasedProgram(PhaseCoordinator& board, verbs::Machine& machine, Collectives& collectives,
                std::vector<PhasedRequest> requests);

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override { return board_.over(); }

 private:
  [[nodiscard]] Result<void> advance();
  [[nodiscard]] Result<void> take_finished();
  [[nodiscard]] Result<void> begin(const PhasedRequest& phased);
  [[nodiscard]] Result<void> begin_all_of(std::uint32_t phase);

  PhaseCoordinator& board_;
  verbs::Machine& machine_;
  Collectives& collectives_;
  std::vector<PhasedRequest> requests_;
  std::vector<std::uint32_t> done_;  // repetitions of each
  std::size_t open_ = 0;             // requests that have not finished
  std::uint32_t next_phase_ = 0;     // that this rank has neither begun nor left out
  bool reported_ = true;             // the phase that it has begun is finished and the board knows
};

}  // namespace weft::workload
