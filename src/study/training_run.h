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

#include "study/scenario.h"
#include "study/slice_growth.h"
#include "study/step_phases.h"
#include "study/step_rows.h"
#include "study/step_traffic.h"
#include "study/step_work.h"
#include "workload/message_record.h"
#include "workload/program.h"
#include "workload/training/node_log.h"
#include "workload/training/stragglers.h"

namespace weft::study {

class TrainingRun {
 public:
  struct Options {
    const JobSettings& job;  // must outlive the run
    workload::JobOptions identity{};
    workload::JobLayout layout{};
    Rate network_rate{};   // of one GPU's ways out
    Rate scale_up_rate{};  // of its scale-up links; zero: it has none
    // Of the simulated network: what it has done, what the paths of flows allow that have been used, and several
    // bandwidth-delay products of one GPU's ways out.
    std::function<SliceGrowth::Load()> load{};
    std::function<PathLimits(std::span<const FlowDemand>)> limits{};
    std::function<Bytes()> piece{};
    Bytes least_piece{};        // SliceGrowth::Options
    bool shares_hosts = false;  // flows share the cores of a host
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
  [[nodiscard]] Result<StepRow> finish(const std::function<bool()>& keep_going);

  /// Of the run that `finish` reported.
  [[nodiscard]] const workload::NodeLog& log() const { return *log_; }
  [[nodiscard]] std::span<const workload::Communicator> communicators() const { return communicators_of(work_); }
  /// Composed, and between two phases.
  [[nodiscard]] bool rests_at(Time time) const { return board_ && !board_->over() && time < board_->begins_at(); }
  /// Composed, and run to its end: its operations share links, and for them to settle would take as many packet-hops as
  /// the step (study/whole_step.h).
  [[nodiscard]] bool prefers_every_packet() const { return growth_ && growth_->prefers_whole_step(); }
  [[nodiscard]] bool composed() const { return options_.job.training.fidelity == StepFidelity::kComposed; }

 private:
  TrainingRun(Options options, StepWork work);

  [[nodiscard]] Result<void> prepare_phases();
  [[nodiscard]] Result<void> compose(const StepWork& work, const std::function<bool()>& keep_going);
  [[nodiscard]] std::uint64_t nodes_of_a_step() const;
  [[nodiscard]] std::uint64_t instances_of(const StepOperation& operation);
  [[nodiscard]] Result<StepRow> extrapolated(const std::function<bool()>& keep_going);
  [[nodiscard]] workload::Stragglers stragglers_of(workload::RankId rank) const;
  [[nodiscard]] StepRow row(const StepWork& work) const;
  void add_collectives(StepRow& made) const;
  void limit_short_slices();
  /// Of a job that trains; others run packet by packet.
  [[nodiscard]] const workload::TrainingPlan& plan() const { return std::get<workload::TrainingPlan>(work_); }

  Options options_;
  StepWork work_;
  std::unique_ptr<workload::NodeLog> log_;
  std::optional<StepTraffic> traffic_;

  // Composed alone.
  std::optional<StepPhases> phases_;
  std::optional<workload::PhaseBoard> board_;
  std::optional<SliceGrowth> growth_;
  std::map<StepOperation, SliceGrowth::Outcome> outcomes_;
  std::map<StepOperation, std::uint64_t> instances_;  // of a communicator in a step
};

}  // namespace weft::study
