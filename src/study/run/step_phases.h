// The collectives of a training step, each kind once: what a composed step runs packet by packet.
//
// Operations of one purpose, kind and size run at the same time on all their communicators, as they do in the step; one
// phase after the other. Each is probed first, once from rest: of an operation longer than the slice two shorter ones
// are run, and its time is continued from theirs: t2 + (S - s2) (t2 - t1) / (s2 - s1). Behind the probes lie phases in
// which an operation settles: it runs back to back, of a size and for a number of steps around rings that whoever
// decides sets when the probes are known, or leaves out (study/slice_growth.h). Where an operation has settled, its
// time from rest and its time behind another of its kind are taken from there, and continued by what its bytes take:
// T = t + (S - s) (t' - f) / s, with the mean time t' between two ends. What an operation costs beside its bytes, f,
// follows from a shorter settled sample. Communicators that lie each in a scale-up domain of their own do not meet on
// any wire, so one of them is run for all that have as many members.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workload/collective/costed_collectives.h"
#include "workload/collective/phased_program.h"
#include "workload/training/step_graph.h"

namespace weft::study::run {

/// One kind of operation of a step, summed over ranks.
struct StepOperation {
  workload::Purpose purpose{};
  workload::CollectiveKind kind{};  // kSend stands for both ends
  Bytes size{};
  friend auto operator<=>(const StepOperation&, const StepOperation&) = default;
};

class StepPhases {
 public:
  struct Options {
    const workload::JobLayout* layout = nullptr;  // must outlive the phases, as must the communicators
    std::span<const workload::Communicator> communicators;
    Bytes slice{};         // longest probe
    bool settles = false;  // whether there are phases behind the probes
    std::uint32_t ranks = 0;
    /// Connections of a direct exchange over all ranks up to which every peer is dealt with; each takes some 10 kB.
    std::uint64_t most_connections = 0;
  };
  /// `graph_of` makes the graph of a rank; it is walked through once.
  using GraphOf = std::function<std::unique_ptr<workload::StepGraph>(workload::RankId)>;
  [[nodiscard]] static StepPhases make(const Options& options, const GraphOf& graph_of);

  [[nodiscard]] std::uint32_t phases() const { return static_cast<std::uint32_t>(samples_.size()); }
  [[nodiscard]] const std::vector<workload::PhasedRequest>& requests_of(workload::RankId rank) const {
    return requests_[rank.value()];
  }
  /// What comes before an operation of the step on its communicator: nothing for long, so that its senders are at full
  /// speed, or others that shared links.
  enum class Before : std::uint8_t { kRest, kTraffic };
  /// What an operation of the step costs by the phases that have been run. It must be one of those walked through.
  [[nodiscard]] Duration cost(const workload::CostedOperation& operation, const workload::PhaseCoordinator& board,
                              Before before) const;
  /// The kind of operation, as it was walked through.
  [[nodiscard]] const StepOperation& kind_of(const workload::CostedOperation& operation) const;
  /// Of sends the member that sends, of others 0.
  [[nodiscard]] static std::uint32_t sender_of(const workload::CostedOperation& operation);
  /// Not less than this is what any communicator's operation of the kind costs.
  void set_least(const StepOperation& operation, Duration least) { least_[operation] = least; }
  /// What the links on its paths need for a whole operation of the kind: what is continued from a sample does not grow
  /// faster than that allows. Stages of a hierarchical operation overlap the better the larger it is, until one of them
  /// fills its links, so that the line through two samples may be flatter than the links allow.
  void set_path_time(const StepOperation& operation, Duration time) { path_times_[operation] = time; }

  /// Which operation a phase runs, and how long its sample is.
  enum class Role : std::uint8_t { kShortProbe, kProbe, kShortSettling, kSettling };
  struct Sample {
    StepOperation operation{};
    Bytes size{};
    Role role = Role::kProbe;
    std::uint32_t members = 0;     // of the largest communicator
    std::uint32_t ring_steps = 0;  // that are run of each pass, or of a direct exchange; 0: all
    Bytes amount{};                // of the operation's size, what so many steps move; the size if all are run
    std::uint32_t fewest = 0;      // members of the smallest communicator
    bool shaped = false;           // shape_probe has decided
    bool skipped = false;
    bool some_peers = false;  // ring_steps are those of a direct exchange

    [[nodiscard]] bool settles() const { return role >= Role::kShortSettling; }
  };
  [[nodiscard]] const Sample& sample(std::uint32_t phase) const { return samples_[phase]; }
  /// The operation's phase of that role, or that of the one that it settles as; none: it has none, or it is skipped.
  [[nodiscard]] std::optional<std::uint32_t> phase_of(const StepOperation& operation, Role role) const;
  void skip(std::uint32_t phase) { samples_[phase].skipped = true; }
  /// Of a probe shorter than its operation, before it runs for the first time: if its algorithm goes around rings in so
  /// many steps, and a member's part of it is less than `piece`, a larger part of the operation's size and fewer of the
  /// steps, for as many bytes, or what four steps move if that is more. What a step costs beside its bytes is hidden
  /// behind the rest of a long piece, not of a short one. Where no settling phases follow, rings of few steps have such
  /// pieces too, and all their steps.
  void shape_probe(std::uint32_t phase, std::uint32_t ring_steps, Bytes piece);
  /// The same, of a probe that exchanges parts with `peers` others directly, one to a host or domain: where these are
  /// very many, only some of them, with up to `piece` for each. The longer probe begins as the shorter one.
  void sample_peers(std::uint32_t phase, std::uint32_t peers, Bytes piece);
  /// What ranks do in a phase whose members deal with some of their peers, one request for each member of each of its
  /// communicators; their algorithm is left open as it is there.
  struct SampledRequest {
    workload::RankId rank{};
    const workload::PhasedRequest* phased = nullptr;
  };
  [[nodiscard]] std::vector<SampledRequest> requests_in(std::uint32_t phase) const;
  /// Of a settling sample: the largest size of this operation that is at most `wanted`, but two units, and at most its
  /// whole. Of its steps around rings, `steps` of `all`, if there are rings.
  struct Rings {
    std::uint32_t steps = 0;
    std::uint32_t all = 0;  // 0: no rings
  };
  void resize(std::uint32_t phase, Bytes wanted, Rings rings);
  /// The operation takes what `other` has been measured to take in the same samples.
  void settle_as(const StepOperation& operation, const StepOperation& other) {
    const auto measured = settles_as_.find(other);
    settles_as_[operation] = measured == settles_as_.end() ? other : measured->second;
  }
  /// All that are run in a phase.
  [[nodiscard]] const std::vector<workload::PhasedOperation>& operations_in(std::uint32_t phase) const {
    return operations_[phase];
  }
  [[nodiscard]] const std::map<StepOperation, std::vector<std::uint32_t>>& operations() const { return places_; }
  /// Communicators of a step that have the operation, for each that is run: some stand for others.
  [[nodiscard]] double communicators_per_run(const StepOperation& operation) const;
  /// What the operation of this phase takes in the settled state: the mean time from the end of one to the end of the
  /// next; from rest if there is one alone.
  [[nodiscard]] static Duration settled_time(const workload::PhasedOperation& operation,
                                             const workload::PhaseCoordinator& board);
  /// The whole operation's time in the settled state, or by its probes if it did not settle.
  [[nodiscard]] Duration whole_time(const workload::PhasedOperation& probed, const StepOperation& operation,
                                    const workload::PhaseCoordinator& board, Before before) const;

  /// A sample, and the time that it took.
  struct Taken {
    Bytes amount;
    Duration time;
  };
  [[nodiscard]] Duration least_slope(const StepOperation& operation, const Taken& sample, Bytes span) const;
  [[nodiscard]] Duration fixed_cost_of(Duration mean, const Sample& sample, std::optional<std::uint32_t> shorter,
                                       const std::function<Duration(std::uint32_t)>& settled) const;

  /// The phase of its longest probe. It must be one of those walked through.
  [[nodiscard]] std::uint32_t probe_of(const StepOperation& operation) const;

 private:
  using Place = std::vector<std::uint32_t>;  // an operation's phases, in the order of roles
  /// An operation as costs are asked for it.
  struct Key {
    workload::CommunicatorId communicator{};
    workload::CollectiveKind kind{};
    Bytes size{};
    std::uint32_t sender = 0;  // of sends: the member
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// Where its times are found.
  struct Source {
    workload::CommunicatorId communicator{};  // it, or the one that stands for it
    StepOperation operation{};
  };

  explicit StepPhases(const Options& options);
  void take(workload::RankId rank, const workload::GraphNode& node);
  void add_requests(workload::RankId rank, const workload::CollectiveRequest& request, const Source& source);
  void add_samples(const StepOperation& operation, std::size_t members);
  void put_settling_ones_last();
  [[nodiscard]] const Source& source_of(const workload::CostedOperation& operation) const;
  [[nodiscard]] workload::CommunicatorId stand_in(const StepOperation& operation, workload::CommunicatorId own);
  [[nodiscard]] bool inside_domain(const workload::Communicator& communicator) const;
  /// No two members share a host or domain.
  [[nodiscard]] bool are_apart(const workload::Communicator& communicator) const;

  Options options_;
  std::vector<Sample> samples_;  // by phase
  std::map<StepOperation, Place> places_;
  std::map<std::pair<StepOperation, std::size_t>, workload::CommunicatorId> stand_ins_;
  std::map<Key, Source> sources_;
  std::map<StepOperation, Duration> least_;
  std::map<StepOperation, Duration> path_times_;
  std::map<StepOperation, StepOperation> settles_as_;
  std::vector<std::vector<workload::PhasedRequest>> requests_;
  std::vector<std::vector<workload::PhasedOperation>> operations_;  // by phase
};

}  // namespace weft::study::run
