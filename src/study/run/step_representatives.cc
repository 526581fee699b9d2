#include "study/run/step_representatives.h"

#include <algorithm>

#include "base/assert.h"
#include "workload/training/transformer_step.h"

namespace weft::study::run {

using workload::CommunicatorId;
using workload::MemberIndex;
using workload::RankId;

namespace {

MemberIndex place_of(RankId rank, const workload::Communicator& communicator) {
  const auto found = std::ranges::find(communicator.members, rank);
  return found == communicator.members.end()
             ? MemberIndex(0)
             : MemberIndex(static_cast<std::uint32_t>(found - communicator.members.begin()));
}

}  // namespace

/// That of the job, with the communicators and members that are left.
class StepRepresentatives::Graph final : public workload::StepGraph {
 public:
  Graph(const StepRepresentatives& all, RankId rank) : all_(all), graph_(all.plan_, rank) {}

  [[nodiscard]] std::span<const workload::Communicator> communicators() const override { return all_.communicators_; }
  [[nodiscard]] std::uint32_t streams() const override { return graph_.streams(); }
  [[nodiscard]] std::optional<workload::GraphNode> next() override {
    std::optional<workload::GraphNode> node = graph_.next();
    if (auto* const work = node ? std::get_if<workload::CommunicationNode>(&node->work) : nullptr; work != nullptr) {
      workload::CollectiveRequest& request = work->request;
      const CommunicatorId own = all_.new_ids_[request.communicator.value()];
      WEFT_ASSERT(own.is_valid());
      request.root = all_.member_left(request.root, own);
      request.peer = all_.member_left(request.peer, own);
      request.communicator = own;
    }
    return node;
  }

 private:
  const StepRepresentatives& all_;
  workload::TransformerStep graph_;
};

StepRepresentatives::StepRepresentatives(const workload::TrainingPlan& plan, std::span<const std::int64_t> copies)
    : plan_(plan), copies_(copies.begin(), copies.end()) {
  const workload::Parallelism& parallelism = plan.job().parallelism;
  const auto world = static_cast<std::uint32_t>(parallelism.world());
  std::vector<RankId> numbers(world);  // new ones
  for (std::uint32_t i = 0; i < world; ++i) {
    const std::int64_t copy = workload::coordinates_of(parallelism, RankId(i))[workload::Axis::kData];
    if (std::ranges::find(copies, copy) != copies.end()) {
      numbers[i] = RankId(static_cast<std::uint32_t>(ranks_.size()));
      ranks_.push_back(RankId(i));
    }
  }
  share_ = static_cast<double>(ranks_.size()) / world;
  for (const workload::Communicator& all : plan.groups().communicators()) {
    workload::Communicator left{.name = all.name};
    for (const RankId member : all.members) {
      if (numbers[member.value()].is_valid()) {
        left.members.push_back(numbers[member.value()]);
      }
    }
    const bool any = !left.members.empty();
    new_ids_.push_back(any ? CommunicatorId(static_cast<std::uint32_t>(ids_.size())) : CommunicatorId());
    if (any) {
      ids_.push_back(CommunicatorId(static_cast<std::uint32_t>(new_ids_.size() - 1)));
      communicators_.push_back(std::move(left));
      whole_.push_back(all);
    }
  }
}

std::vector<RankId> StepRepresentatives::stands_for(RankId rank) const {
  const workload::Parallelism& parallelism = plan_.job().parallelism;
  const RankId own = ranks_[rank.value()];
  std::vector<RankId> all = {own};
  workload::RankCoordinates place = workload::coordinates_of(parallelism, own);
  std::int64_t& copy = place.at[static_cast<std::size_t>(workload::Axis::kData)];
  const auto turn = std::ranges::find(copies_, copy) - copies_.begin();
  const std::int64_t every = workload::degree(parallelism, workload::Axis::kData);
  std::int64_t left_out = 0;
  for (copy = 0; copy < every; ++copy) {
    if (std::ranges::find(copies_, copy) != copies_.end()) {
      continue;
    }
    if (left_out++ % std::ssize(copies_) == turn) {
      all.push_back(workload::rank_at(parallelism, place));
    }
  }
  return all;
}

double StepRepresentatives::weight(CommunicatorId communicator) const {
  const double left = static_cast<double>(communicators_[communicator.value()].members.size());
  return left / static_cast<double>(whole_[communicator.value()].members.size()) / share_;
}

MemberIndex StepRepresentatives::member_left(MemberIndex of_job, CommunicatorId own) const {
  const auto& members = whole_[own.value()].members;
  if (!of_job.is_valid() || of_job.value() >= members.size()) {
    return of_job;
  }
  const auto found = std::ranges::lower_bound(ranks_, members[of_job.value()]);
  if (found == ranks_.end() || *found != members[of_job.value()]) {
    return MemberIndex(0);
  }
  return place_of(RankId(static_cast<std::uint32_t>(found - ranks_.begin())), communicators_[own.value()]);
}

StepRepresentatives::Whole StepRepresentatives::whole(const workload::CostedOperation& operation) const {
  const CommunicatorId own = operation.request.communicator;
  const auto of_job = [this](RankId rank) {
    return rank.is_valid() && rank.value() < ranks_.size() ? ranks_[rank.value()] : rank;
  };
  Whole made{.request = operation.request,
             .sender = of_job(operation.sender),
             .receiver = of_job(operation.receiver),
             .communicator = &whole_[own.value()]};
  made.request.communicator = ids_[own.value()];
  const auto member = [&](MemberIndex left) {
    const auto& members = communicators_[own.value()].members;
    return left.is_valid() && left.value() < members.size()
               ? place_of(ranks_[members[left.value()].value()], *made.communicator)
               : left;
  };
  made.request.peer = member(made.request.peer);
  made.request.root = member(made.request.root);
  return made;
}

std::unique_ptr<workload::StepGraph> StepRepresentatives::graph(RankId rank) const {
  return std::make_unique<Graph>(*this, ranks_[rank.value()]);
}

}  // namespace weft::study::run
