// Some copies of a model whose ranks stand for all of them when a step of very many ranks is composed.
//
// Copies do the same work. What they send one another takes what it took among all of them; what a copy sends inside
// itself is taken from its own measurement, so whoever chooses takes the slowest. Ranks that are left have new numbers,
// in the order of their own, and communicators keep those of their members that are left.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "workload/collective/costed_collectives.h"
#include "workload/training/step_graph.h"
#include "workload/training/training_plan.h"

namespace weft::study::run {

class StepRepresentatives {
 public:
  /// `copies`: coordinates along Axis::kData, each once, at least one. The plan must outlive this.
  StepRepresentatives(const workload::TrainingPlan& plan, std::span<const std::int64_t> copies);
  StepRepresentatives(const StepRepresentatives&) = delete;
  StepRepresentatives& operator=(const StepRepresentatives&) = delete;

  /// Of the job, by their new numbers.
  [[nodiscard]] std::span<const workload::RankId> ranks() const { return ranks_; }
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }
  /// With members by their new numbers, and the same as the job has them.
  [[nodiscard]] std::span<const workload::Communicator> communicators() const { return communicators_; }
  [[nodiscard]] std::span<const workload::Communicator> whole_communicators() const { return whole_; }
  /// Of the job: those for which a rank, by its new number, stands, with its own: of every copy that is left out, the
  /// rank with the same place stands behind one that is kept.
  [[nodiscard]] std::vector<workload::RankId> stands_for(workload::RankId rank) const;
  /// Communicators of the job for which one stands.
  [[nodiscard]] double weight(workload::CommunicatorId communicator) const;
  /// An operation of a step of the ranks that are left, as the job has it.
  struct Whole {
    workload::CollectiveRequest request{};
    workload::RankId sender{};
    workload::RankId receiver{};
    const workload::Communicator* communicator = nullptr;
    [[nodiscard]] workload::CostedOperation operation() const {
      return {.communicator = *communicator, .request = request, .sender = sender, .receiver = receiver};
    }
  };
  [[nodiscard]] Whole whole(const workload::CostedOperation& operation) const;

  /// The graph of a rank by its new number. This must outlive it.
  [[nodiscard]] std::unique_ptr<workload::StepGraph> graph(workload::RankId rank) const;

 private:
  class Graph;
  /// A member of the job's communicator among those that are left; the first if it is not.
  [[nodiscard]] workload::MemberIndex member_left(workload::MemberIndex of_job, workload::CommunicatorId own) const;

  const workload::TrainingPlan& plan_;
  std::vector<std::int64_t> copies_;     // that are left
  double share_ = 1;                     // of all ranks
  std::vector<workload::RankId> ranks_;  // of the job
  std::vector<workload::Communicator> communicators_;
  std::vector<workload::Communicator> whole_;
  std::vector<workload::CommunicatorId> ids_;      // of the job, by the new one
  std::vector<workload::CommunicatorId> new_ids_;  // by that of the job; invalid: nobody is left
};

}  // namespace weft::study::run
