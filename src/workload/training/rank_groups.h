// The communicators of a training job, and which of them a rank works with.
//
// All ranks of a job make the same list in the same order. A group of one member needs no communicator and has none.
// Names are stable: the kind and the group's number in the order of its lowest rank, e.g. "tp3". A pipeline has one
// communicator for each direction, so that activations and gradients between the same two stages keep apart.
#pragma once

#include <optional>
#include <vector>

#include "workload/collective/collectives.h"
#include "workload/training/parallelism.h"

namespace weft::workload {

enum class GroupKind : std::uint8_t {
  kTensor,
  kContext,
  kExpert,            // tokens to experts and back
  kData,              // gradients of what is not an expert: data and context ranks
  kExpertData,        // gradients of experts: their replicas
  kPipelineForward,   // activations to the next stage
  kPipelineBackward,  // gradients to the one before
  kEmbedding,         // first and last stage, which both hold the embedding
};
inline constexpr std::size_t kGroupKinds = 8;
/// "tp", "cp", "ep", "dp", "edp", "pp-fwd", "pp-bwd", "embed".
[[nodiscard]] std::string_view to_string(GroupKind kind);

/// A rank's place in one group.
struct Membership {
  CommunicatorId communicator{};
  std::uint32_t size = 1;
  MemberIndex self{0};
};

class RankGroups {
 public:
  /// `parallelism` is checked. Pipeline stages of `tied` embeddings have a group of their own.
  RankGroups(const Parallelism& parallelism, Embeddings embeddings);

  [[nodiscard]] const std::vector<Communicator>& communicators() const { return communicators_; }
  /// None if the rank is alone along these axes, or not a member.
  [[nodiscard]] std::optional<Membership> find(GroupKind kind, RankId rank) const;

 private:
  void add(GroupKind kind, std::initializer_list<Axis> axes);
  void add_group(GroupKind kind, std::vector<RankId> members);
  void add_embedding();

  Parallelism parallelism_;
  std::vector<Communicator> communicators_;
  std::array<std::uint32_t, kGroupKinds> groups_{};             // of each kind, so far
  std::array<std::vector<Membership>, kGroupKinds> by_rank_{};  // by RankId; an invalid id: none
};

}  // namespace weft::workload
