#include "workload/training/rank_groups.h"

#include <fmt/core.h>

#include <utility>

namespace weft::workload {

std::string_view to_string(GroupKind kind) {
  constexpr std::array<std::string_view, kGroupKinds> kWords{"tp",  "cp",     "ep",     "dp",
                                                             "edp", "pp-fwd", "pp-bwd", "embed"};
  return kWords[static_cast<std::size_t>(kind)];
}

RankGroups::RankGroups(const Parallelism& parallelism, Embeddings embeddings) : parallelism_(parallelism) {
  add(GroupKind::kTensor, {Axis::kTensor});
  add(GroupKind::kContext, {Axis::kContext});
  add(GroupKind::kExpert, {Axis::kExpert});
  add(GroupKind::kData, {Axis::kContext, Axis::kExpert, Axis::kData});
  if (parallelism.expert > 1) {
    add(GroupKind::kExpertData, {Axis::kContext, Axis::kData});
  }
  add(GroupKind::kPipelineForward, {Axis::kPipeline});
  add(GroupKind::kPipelineBackward, {Axis::kPipeline});
  if (embeddings == Embeddings::kTied) {
    add_embedding();
  }
}

void RankGroups::add(GroupKind kind, std::initializer_list<Axis> axes) {
  const auto world = static_cast<std::uint32_t>(parallelism_.world());
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    auto members = group_along(parallelism_, RankId(rank), axes);
    if (members.front() == RankId(rank) && members.size() > 1) {
      add_group(kind, std::move(members));
    }
  }
}

void RankGroups::add_embedding() {
  if (parallelism_.pipeline == 1) {
    return;
  }
  const auto world = static_cast<std::uint32_t>(parallelism_.world());
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    RankCoordinates at = coordinates_of(parallelism_, RankId(rank));
    if (at[Axis::kPipeline] == 0) {
      at.at[static_cast<std::size_t>(Axis::kPipeline)] = parallelism_.pipeline - 1;
      add_group(GroupKind::kEmbedding, {RankId(rank), rank_at(parallelism_, at)});
    }
  }
}

void RankGroups::add_group(GroupKind kind, std::vector<RankId> members) {
  const auto index = static_cast<std::size_t>(kind);
  const CommunicatorId id(static_cast<std::uint32_t>(communicators_.size()));
  auto& by_rank = by_rank_[index];
  by_rank.resize(static_cast<std::size_t>(parallelism_.world()));
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    by_rank[members[i].value()] = {
        .communicator = id, .size = static_cast<std::uint32_t>(members.size()), .self = MemberIndex(i)};
  }
  communicators_.push_back(
      {.name = fmt::format("{}{}", to_string(kind), groups_[index]++), .members = std::move(members)});
}

std::optional<Membership> RankGroups::find(GroupKind kind, RankId rank) const {
  const auto& by_rank = by_rank_[static_cast<std::size_t>(kind)];
  if (by_rank.empty() || !by_rank[rank.value()].communicator.is_valid()) {
    return std::nullopt;
  }
  return by_rank[rank.value()];
}

}  // namespace weft::workload
