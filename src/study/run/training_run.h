// The steps of one job of a scenario, of training, decoding or a halo exchange: its programs, and afterwards the row of
// its results.
//
// With every packet, the ranks run their graphs on the simulated network. Composed, they run each kind of collective of
// a step there once (study/step_phases.h); then the graphs run on machines without a network, where each collective
// takes what was measured. Made before the world; used by it; asked for its row when the world has ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "study/results/step_rows.h"
#include "study/run/slice_growth.h"
#include "study/run/step_composition.h"
#include "study/run/step_loads.h"
#include "study/run/step_overlap.h"
#include "study/run/step_phases.h"
#include "study/run/step_representatives.h"
#include "study/run/step_traffic.h"
#include "study/scenario/scenario.h"
#include "study/scenario/step_work.h"
#include "workload/message_record.h"
#include "workload/program.h"
#include "workload/training/node_log.h"
#include "workload/training/stragglers.h"

namespace weft::study::run {

class TrainingRun {
 public:
  static constexpr std::uint64_t kMostNodes = 4'000'000;
  struct Options {
    const scenario::JobSettings& job;  // must outlive the run
    workload::JobOptions identity{};
    workload::JobLayout layout{};
    Rate network_rate{};   // of one GPU's ways out
    Rate scale_up_rate{};  // of its scale-up links; zero: it has none
    // Of the simulated network: what it has done, what the paths of flows allow that have been used, what flows put on
    // them, and several bandwidth-delay products of one GPU's ways out.
    std::function<SliceGrowth::Load()> load{};
    std::function<world::PathLimits(std::span<const world::FlowDemand>)> limits{};
    StepLoads::LoadsOf loads{};
    std::function<Bytes()> piece{};
    Bytes min_piece{};          // SliceGrowth::Options
    bool shares_hosts = false;  // flows share the cores of a host
    bool has_company = false;   // other traffic lasts as long as this job
    bool reacts = false;        // senders slow down by what they see of the network
    double excess = 0;          // study/run/settled_excess.h
    /// Composed, beside others of that kind: its place among them (study/run/job_turns.h).
    std::optional<std::uint32_t> turn{};
    /// When the GPU of a rank is slow.
    std::function<workload::SlowSpans(workload::RankId)> slow{};
    bool connects_first = false;  // all connections at the start, as a divided world needs; else when each is needed
    /// Composed: of a step with very many ranks only some copies of the model are put together
    /// (step_representatives.h).
    bool represents = false;
    /// Composed: of direct exchanges with very many peers each some stand for all, with parts of so much for each
    /// (StepPhases::sample_peers); zero: all peers are dealt with.
    Bytes peer_piece{};
    std::uint64_t most_connections = 0;  // StepPhases::Options
    /// Told each phase before anything of it begins; its sample is shaped.
    std::function<void(std::uint32_t phase)> begins = [](std::uint32_t) {};
    /// Nodes of a step over all its ranks that are kept; of a longer one only some copies, or micro-batches.
    std::uint64_t max_nodes = kMostNodes;
  };
  /// Errors, with the numbers: a parallelism that does not divide the model, the batch or the ranks; a job that does
  /// not fit into the memory of its GPUs.
  [[nodiscard]] static Result<std::unique_ptr<TrainingRun>> make(Options options);

  /// One rank's program on the simulated network. Machine and collectives must outlive it. All ranks, in their order.
  [[nodiscard]] Result<std::unique_ptr<workload::Program>> make_program(workload::RankId rank, verbs::Machine& machine,
                                                                        workload::Collectives& collectives);

  /// A message of this job has ended on the simulated network. Whether it went to another domain, through the network.
  bool take(const workload::MessageRecord& message);

  /// The simulated network's programs are all done. Composed: makes the steps of what they measured; `keep_going` is
  /// asked now and then, false gives up with an error.
  [[nodiscard]] Result<results::StepRow> finish(const std::function<bool()>& keep_going);

  [[nodiscard]] const scenario::StepWork& work() const { return work_; }
  /// Of the run that `finish` reported.
  [[nodiscard]] const workload::NodeLog& log() const { return *log_; }
  [[nodiscard]] std::span<const workload::Communicator> communicators() const {
    return scenario::communicators_of(work_);
  }
  /// Those that the log speaks of.
  [[nodiscard]] std::span<const workload::Communicator> log_communicators() const {
    return representatives_ ? representatives_->communicators() : communicators();
  }
  /// Copies of the model whose ranks the log has; none: all.
  [[nodiscard]] std::optional<std::size_t> copies_composed() const {
    return representatives_ ? std::optional(representatives_->copies()) : std::nullopt;
  }
  /// Composed, and between two phases.
  [[nodiscard]] bool is_between_phases(Time time) const {
    return board_ && !board_->over() && time < board_->begins_at();
  }
  /// Composed, and at rest until then: traffic beside it need not be simulated until shortly before the next phase, and
  /// behind the last never again.
  [[nodiscard]] std::optional<Time> rests_until(Time time) const;
  /// So long before a phase traffic beside the job begins anew, for the phase to meet it as it is.
  static constexpr Duration kLead = Duration::milliseconds(1);
  /// Composed, and run to its end: its operations share links, and for them to settle would take as many packet-hops as
  /// the step (study/whole_step.h).
  /// Or those that share none by themselves have met others while senders react, which no slice shows, and the step is
  /// a short one.
  [[nodiscard]] bool prefers_every_packet() const {
    return growth_ && (growth_->prefers_whole_step() ||
                       (options_.reacts && overlap_ && overlap_->has_met() && growth_->affords_whole_step()));
  }
  // Of a job that takes turns with others, for whoever leads them.

  [[nodiscard]] workload::PhaseCoordinator& board() { return *board_; }
  [[nodiscard]] const StepPhases& phases() const { return *phases_; }
  /// Composed: the longest that an operation of the kind takes on any of its communicators, by its samples.
  [[nodiscard]] Duration time_of(const StepOperation& operation, StepPhases::Before before) const;
  [[nodiscard]] const Options& options() const { return options_; }
  /// Its phases begin now: what the network did before is no part of them.
  void begin_turn() { load_before_ = options_.load(); }
  /// Asked whether a phase that runs again beside another job's goes on.
  void set_beside(std::function<bool()> goes_on) { goes_on_beside_ = std::move(goes_on); }
  /// Through the network, in one of its phases, by flow.
  [[nodiscard]] std::vector<world::FlowDemand> demands_of(std::uint32_t phase) const {
    return traffic_->demands_of(phase);
  }
  /// What the phases have found of each operation; then its step can be composed.
  void take_outcomes();
  [[nodiscard]] ComposedStep composed_step() { return composed_step(work_); }
  [[nodiscard]] results::StepRow row() const { return row(work_); }
  /// Then: how its operations change one another's speed; null: no two of them share a link.
  [[nodiscard]] StepOverlap* overlap() { return overlap_ ? &*overlap_ : nullptr; }
  /// The place of an operation there.
  [[nodiscard]] std::uint32_t place_of(const workload::CostedOperation& operation) const {
    return loads_ ? loads_->member_of(operation) : 0;
  }

  [[nodiscard]] bool composed() const { return options_.job.training.fidelity == scenario::StepFidelity::kComposed; }

 private:
  TrainingRun(Options options, scenario::StepWork work);

  [[nodiscard]] Result<void> prepare_phases();
  [[nodiscard]] ComposedStep composed_step(const scenario::StepWork& work);
  [[nodiscard]] Result<void> compose(const scenario::StepWork& work, const std::function<bool()>& keep_going);
  [[nodiscard]] SliceGrowth::Load load() const;
  [[nodiscard]] bool is_too_long() const;  // for every operation of its step to be kept
  /// At most one more than are kept.
  [[nodiscard]] std::uint64_t nodes_of_a_rank(const workload::TrainingPlan& plan) const;
  /// The step with so many micro-batches of each copy's.
  [[nodiscard]] Result<workload::TrainingPlan> shortened(std::int64_t micro_batches) const;
  [[nodiscard]] std::uint32_t composed_ranks() const;
  // Which copies stand for all: training_run_copies.cc.
  [[nodiscard]] std::int64_t replicas() const;
  [[nodiscard]] std::uint64_t least_ranks() const;  // that may stand for all
  [[nodiscard]] std::optional<std::int64_t> copy_of(const workload::Communicator& communicator) const;
  [[nodiscard]] std::vector<std::int64_t> slowest_copies() const;
  void choose_copies();
  /// Of a step of some copies: the operation of the job that one stands for; none: it is that.
  [[nodiscard]] std::optional<StepRepresentatives::Whole> whole_of(const workload::CostedOperation& operation) const {
    return representatives_ ? std::optional(representatives_->whole(operation)) : std::nullopt;
  }
  [[nodiscard]] std::uint64_t instances_of(const StepOperation& operation);
  [[nodiscard]] Result<results::StepRow> extrapolated(const std::function<bool()>& keep_going);
  [[nodiscard]] workload::Stragglers stragglers_of(workload::RankId rank) const;
  [[nodiscard]] results::StepRow row(const scenario::StepWork& work) const;
  void add_collectives(results::StepRow& made) const;
  /// Of a step of every packet: what the paths of each kind of operation allow.
  void add_limits(results::StepRow& made) const;
  void limit_by_paths();
  void examine_overlap();
  /// Of a job that trains; others run packet by packet.
  [[nodiscard]] const workload::TrainingPlan& plan() const { return std::get<workload::TrainingPlan>(work_); }

  Options options_;
  scenario::StepWork work_;
  std::unique_ptr<workload::NodeLog> log_;
  std::optional<StepTraffic> traffic_;

  // Composed alone.
  std::optional<StepPhases> phases_;
  std::optional<workload::PhaseCoordinator> board_;
  std::optional<SliceGrowth> growth_;
  std::map<StepOperation, SliceGrowth::Outcome> outcomes_;
  std::optional<StepLoads> loads_;
  std::optional<StepOverlap> overlap_;
  std::vector<std::int64_t> copies_;  // that stand for all; empty: all
  std::optional<StepRepresentatives> representatives_;
  std::map<StepOperation, std::uint64_t> instances_;  // of a communicator in a step
  SliceGrowth::Load load_before_;                     // its turn
  std::function<bool()> goes_on_beside_;
  std::optional<std::uint32_t> begun_;  // the last phase that has
};

}  // namespace weft::study::run
