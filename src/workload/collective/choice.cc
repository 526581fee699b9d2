#include "workload/collective/choice.h"

#include <algorithm>
#include <bit>

namespace weft::workload {
namespace {

/// What a rank spends on each message that it sends itself.
constexpr Duration kPerMessage = Duration::nanoseconds(300);
/// Trees reach this share of a ring's bandwidth, as NCCL's model has it: inner nodes both send and receive twice.
constexpr std::int64_t kTreePercent = 92;

/// The numbers of the model.
struct Model {
  std::int64_t ranks = 1;
  std::int64_t groups = 1;
  std::int64_t locals = 1;
  TierModel inside{};   // between members of a group
  TierModel between{};  // between groups
  Bytes size{};
  Bytes chunk{};

  /// Of a ring through everything: all rails of a group together, or the links inside if they are slower.
  [[nodiscard]] Rate ring_rate() const {
    return groups == 1 ? inside.rate : std::min(inside.rate, between.rate * locals);
  }
  /// Of a rank that sends to everybody itself.
  [[nodiscard]] const TierModel& flat() const { return groups == 1 ? inside : between; }
  [[nodiscard]] Duration ring_step() const {
    return (inside.latency * (ranks - groups) + between.latency * (groups == 1 ? 0 : groups)) / ranks;
  }
  [[nodiscard]] static std::int64_t log2_of(std::int64_t count) {
    return std::bit_width(static_cast<std::uint64_t>(count - 1));
  }
  [[nodiscard]] Duration tree_descent() const {
    return between.latency * log2_of(groups) + inside.latency * (locals - 1);
  }
};

Model model_of(const LaneContext& context, const TierModels& tiers) {
  const MemberLayout& layout = *context.layout;
  return {.ranks = layout.size(),
          .groups = layout.groups(),
          .locals = layout.largest_group(),
          .inside = layout.has_scale_up() && tiers.scale_up.rate > Rate::zero() ? tiers.scale_up : tiers.scale_out,
          .between = tiers.scale_out,
          .size = context.request.size,
          .chunk = context.chunk};
}

/// Once over all data, as reduce-scatter and all-gather do; all-reduce does it twice.
Duration one_pass(const Model& m, CollectiveAlgorithm algorithm) {
  const Bytes most = m.size * (m.ranks - 1) / m.ranks;
  switch (algorithm) {
    case CollectiveAlgorithm::kTree:
      return m.tree_descent() + m.ring_rate().transmit_time(m.size) * 100 / kTreePercent;
    case CollectiveAlgorithm::kHalvingDoubling:
    case CollectiveAlgorithm::kRecursiveDoubling:
      return m.flat().latency * Model::log2_of(m.ranks) + m.flat().rate.transmit_time(most);
    case CollectiveAlgorithm::kDirect:
      return m.flat().latency + kPerMessage * (m.ranks - 1) + m.flat().rate.transmit_time(most);
    case CollectiveAlgorithm::kHierarchical: {
      const Bytes share = m.size / m.locals;
      const Duration rails =
          m.between.latency * (m.groups - 1) + m.between.rate.transmit_time(share * (m.groups - 1) / m.groups);
      const Duration domain = m.inside.rate.transmit_time(share * (m.locals - 1));
      const Duration fill = m.inside.latency + kPerMessage * (m.locals - 1) + domain / m.groups;
      return fill + std::max(rails, domain);
    }
    case CollectiveAlgorithm::kNvlsTree: {
      // In and out of the domain's switch, each at S (1 + 1/n) for there and back, beside the trees of the rails.
      const Duration domain = m.inside.rate.transmit_time(m.size + m.size / m.locals) / 2;
      const Duration rails = m.between.rate.transmit_time(m.size / m.locals) * 100 / kTreePercent;
      return m.inside.latency + m.between.latency * Model::log2_of(m.groups) + std::max(rails, domain);
    }
    case CollectiveAlgorithm::kAutomatic:
    case CollectiveAlgorithm::kInNetwork:  // in_network_pass()
    case CollectiveAlgorithm::kRing:
      break;
  }
  return m.ring_step() * (m.ranks - 1) + m.ring_rate().transmit_time(most);
}

/// All vectors go up and the results come down at the same time, in one pass also of an all-reduce. Up to a reducer and
/// down again is the way of one message between two ranks.
Duration in_network_pass(const Model& m) { return m.flat().latency + m.flat().rate.transmit_time(m.size); }

Duration rooted(const Model& m, CollectiveAlgorithm algorithm) {
  const Duration chunk = m.ring_rate().transmit_time(std::min(m.chunk, m.size));
  const Duration all = m.ring_rate().transmit_time(m.size);
  if (algorithm == CollectiveAlgorithm::kTree && m.groups > 1)
    return m.tree_descent() + chunk * (Model::log2_of(m.groups) + m.locals - 1) + all * 100 / kTreePercent;
  if (algorithm == CollectiveAlgorithm::kTree)
    return (m.flat().latency + chunk) * Model::log2_of(m.ranks) + all * 100 / kTreePercent;
  return (m.ring_step() + chunk) * (m.ranks - 1) + all;
}

}  // namespace

TierModels tier_models(std::span<const verbs::Rail> rails) {
  TierModels models;
  for (const verbs::Rail& rail : rails) {
    TierModel& tier = rail.kind == verbs::RailKind::kScaleUp ? models.scale_up : models.scale_out;
    tier.rate = tier.rate + rail.rate;
  }
  return models;
}

Duration estimate(const LaneContext& context, CollectiveAlgorithm algorithm, const TierModels& tiers) {
  const Model model = model_of(context, tiers);
  if (model.ranks == 1)
    return Duration::zero();
  if (algorithm == CollectiveAlgorithm::kInNetwork)
    return in_network_pass(model);
  switch (context.request.kind) {
    case CollectiveKind::kAllReduce:
      return one_pass(model, algorithm) * 2;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
      return one_pass(model, algorithm);
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return rooted(model, algorithm);
    case CollectiveKind::kAllToAll: {
      const Bytes most = model.size * (model.ranks - 1) / model.ranks;
      const bool relayed = algorithm == CollectiveAlgorithm::kHierarchical;
      return model.flat().latency + (relayed ? model.inside.latency : Duration::zero()) +
             kPerMessage * (model.ranks - 1) + model.flat().rate.transmit_time(most);
    }
    case CollectiveKind::kBarrier:
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
      break;
  }
  return Duration::zero();
}

}  // namespace weft::workload
