#include "workload/collective/choice.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace weft::workload {
namespace {

/// What a rank spends on each of many messages that it sends by its NIC at a time.
constexpr Duration kPerMessage = Duration::nanoseconds(200);
/// Of the rate of scale-up links, what is left beside headers and what else takes their time: NVLink's 256 of 272
/// bytes, of 87.55 % (share/catalogue/scale_up.toml).
constexpr std::int64_t kScaleUpPercent = 82;
/// Where nodes of a tree have two children, its links reach this share of their rate, as NCCL's model has it.
constexpr std::int64_t kTreePercent = 92;

std::int64_t log2_of(std::int64_t count) { return std::bit_width(static_cast<std::uint64_t>(count - 1)); }
constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t by) { return (count + by - 1) / by; }

/// One rail of a rank, with what the library costs there.
struct Link {
  Duration latency{};
  Rate rate{};
  std::optional<Rate> lane_rate{};

  /// Of a message, beside the time on its link: its lane hands it over when it has copied it.
  [[nodiscard]] Duration start(Bytes message) const {
    return latency + (lane_rate ? lane_rate->transmit_time(message) : Duration::zero());
  }
  /// For messages of so many channels that leave together.
  [[nodiscard]] Duration time(Bytes each, std::int64_t channels = 1) const {
    const Duration all = rate.transmit_time(each * channels);
    return lane_rate && channels > 0 ? std::max(all, lane_rate->transmit_time(each)) : all;
  }
};

Link link_of(const TierModel& tier, const TierCosts& costs) {
  return {.latency = tier.latency + costs.message, .rate = tier.rate, .lane_rate = costs.lane_rate};
}

/// The two binary trees of a pair of channels over so many nodes. Links are full duplex, so what goes up one edge and
/// comes down another meets only where both leave, or enter, the same node.
struct DoubleTree {
  std::int64_t edges = 0;  // of a node in both, at most: a chunk leaves it over each once, up or down
  std::int64_t path = 0;   // a single chunk's, up and down again, in times for which it has a link
};

// Two nodes have one edge in each tree. Of more, an inner node has three edges (two to children) and is a leaf of the
// other tree. On each level but the topmost two children send to one parent, which sends to both.
DoubleTree double_tree(std::int64_t nodes) {
  if (nodes < 2)
    return {};
  if (nodes <= 3)
    return {.edges = nodes, .path = 2 * (nodes - 1)};
  return {.edges = 4, .path = 4 * log2_of(nodes) - 2};
}

/// The numbers of the model.
struct Model {
  const LaneContext& context;
  const MemberLayout& layout;
  std::int64_t ranks = 1;
  std::int64_t groups = 1;
  std::int64_t locals = 1;    // of the largest group
  std::int64_t channels = 1;  // of a tree: pairs of them
  bool scale_up = false;      // groups have links of their own
  Link inside{};              // between members of a group
  Link between{};             // between groups
  Link reducers{};            // to those of all members
  Bytes size{};
  Bytes chunk{};

  [[nodiscard]] bool in_domain() const { return scale_up && groups == 1; }
  /// Of a rank that sends to others itself.
  [[nodiscard]] Rate flat_rate() const { return in_domain() ? inside.rate : rails_rate(); }
  [[nodiscard]] Rate rails_rate() const { return between.rate * layout.rails(); }
  [[nodiscard]] Rate inside_rate() const { return scale_up ? inside.rate : rails_rate(); }
  /// Channels that enter and leave by one rail. The members of a group take turns, and those of the smallest have most.
  [[nodiscard]] std::int64_t busiest() const {
    return rounded_up(channels, std::int64_t{layout.rails()} * (scale_up ? layout.smallest_group() : 1));
  }
  /// Of what goes through all groups one after the other.
  [[nodiscard]] Rate through_rate() const {
    const Rate rails = between.rate * channels / busiest();
    return scale_up ? (groups == 1 ? inside.rate : std::min(inside.rate, rails)) : rails;
  }
};

Model model_of(const LaneContext& context, CollectiveAlgorithm algorithm, const TierModels& tiers) {
  const MemberLayout& layout = *context.layout;
  const CollectiveCosts& costs = context.options->costs;
  const bool scale_up = layout.has_scale_up() && tiers.scale_up.rate > Rate::zero();
  const bool in_domain = scale_up && layout.groups() == 1;
  // In one domain nothing goes over the network, whose rails there may not be.
  const Link between = in_domain ? link_of(tiers.scale_up, costs.scale_up) : link_of(tiers.scale_out, costs.scale_out);
  return {.context = context,
          .layout = layout,
          .ranks = layout.size(),
          .groups = layout.groups(),
          .locals = layout.largest_group(),
          .channels = std::max<std::int64_t>(1, context.channels / (algorithm == CollectiveAlgorithm::kTree ? 2 : 1)),
          .scale_up = scale_up,
          .inside = scale_up ? link_of(tiers.scale_up, costs.scale_up) : between,
          .between = between,
          .reducers = link_of(in_domain ? tiers.scale_up : tiers.scale_out, costs.in_network),
          .size = context.request.size,
          .chunk = context.options->chunk};
}

/// Once around, as reduce-scatter and all-gather go. A step ends when the slowest link has sent its segments, or, where
/// these are short, when the chunk of one channel has come.
Duration ring_pass(const Model& m) {
  const Bytes segment = m.size / m.ranks / m.channels;
  const Bytes first = std::min(segment, m.chunk);
  const std::int64_t inside = m.scale_up ? rounded_up(m.channels * (m.locals - 1), m.locals) : m.busiest();
  const std::int64_t leaves = m.groups == 1 ? 0 : std::min(m.groups, m.ranks - 1);
  const Bytes most = m.size * (m.ranks - 1) / m.ranks / m.channels;
  const Duration outward = m.groups == 1 ? Duration::zero() : m.between.time(most, m.busiest());
  const Duration chain =
      (m.between.start(first) + m.between.time(first, m.busiest())) * leaves +
      (m.inside.start(first) + m.inside.time(first, m.scale_up ? 1 : inside)) * (m.ranks - 1 - leaves);
  const Duration last = (m.groups == 1 ? m.inside : m.between).start(first);
  return std::max(chain, std::max(outward, m.inside.time(most, inside)) + last);
}

// Every chunk goes up a chain through its group, over the tree of the groups' heads, and back the same way; both trees
// of a pair carry half each. All links work at once but for the time in which the first chunk comes and the last one
// goes.
Duration tree_all_reduce(const Model& m) {
  const Bytes half = m.size / m.channels / 2;
  const Bytes first = std::min(half, m.chunk);
  const DoubleTree tree = double_tree(m.groups);
  const std::int64_t chain = m.locals - 1;
  // Of chains, in a rank's messages: heads and tails have one neighbour, all others two.
  const std::int64_t turns = m.scale_up ? m.channels : m.busiest();
  const std::int64_t ends = m.locals == 2 ? turns : m.scale_up ? turns / m.locals * 2 : 0;
  const std::int64_t chained = chain == 0 ? 0 : 2 * (2 * turns - ends);
  const std::int64_t at_head = tree.edges + (m.scale_up || chain == 0 ? 0 : 2);
  const Duration outward =
      m.between.time(half, at_head * m.busiest()) * 100 / (m.groups > 2 ? kTreePercent : std::int64_t{100});
  const Duration filling =
      m.between.time(first, std::max<std::int64_t>(tree.path - tree.edges, 0) * m.busiest()) +
      m.inside.time(first, std::max<std::int64_t>(2 * turns / (m.scale_up ? m.locals : 1), 1)) * (2 * chain);
  return (m.between.start(first) * log2_of(m.groups) + m.inside.start(first) * chain) * 2 + filling +
         std::max(outward, m.inside.time(half, chained));
}

/// Trees of each rank's share, between sums in the domain's switch and their distribution by it.
Duration nvls_tree_all_reduce(const Model& m) {
  const Bytes share = m.size / m.locals;
  const std::int64_t rails = m.layout.rails();
  const Bytes half = share / rails / 2;
  const Bytes first = std::min(half, m.chunk);
  const DoubleTree tree = double_tree(m.groups);
  const CollectiveCosts& costs = m.context.options->costs;
  const Rate rate = std::min(m.inside.rate, costs.in_network_tree_rate.value_or(m.inside.rate));
  const Duration outward = m.between.time(half, tree.edges) * 100 / (m.groups > 2 ? kTreePercent : std::int64_t{100});
  // In and out of the switch goes all of the vector, and the own share once more.
  const Duration domain = m.locals == 1 ? Duration::zero() : rate.transmit_time(m.size + share);
  const Duration filling = m.between.time(first, std::max<std::int64_t>(tree.path - tree.edges, 0)) +
                           rate.transmit_time(first * (m.locals + 1) * 2 * rails);
  return (m.between.start(first) * log2_of(m.groups) + m.reducers.latency) * 2 + filling + std::max(outward, domain);
}

/// To everybody the part that belongs there.
Duration direct_pass(const Model& m) {
  const std::int64_t near = m.scale_up ? m.layout.smallest_group() : 1;
  const Duration outward =
      m.in_domain() ? Duration::zero() : m.rails_rate().transmit_time(m.size * (m.ranks - near) / m.ranks);
  const Duration inside = m.inside_rate().transmit_time(m.size * (near - 1) / m.ranks);
  const Duration start = m.between.start(std::min(m.size / m.ranks, m.chunk));
  return start + (m.in_domain() ? Duration::zero() : kPerMessage * (m.ranks - near)) + std::max(outward, inside);
}

/// Of a rank's rails when each rank sends to the one so far behind it in order: who is behind a cut fills it together.
Rate rate_at(const Model& m, std::int64_t distance) {
  Rate rate = m.rails_rate();
  for (const NetworkCut& cut : m.layout.cuts()) {
    if (distance >= cut.groups * m.locals)
      rate = std::min(rate, cut.share * m.layout.rails());
  }
  return rate;
}

/// Halves of halves, each exchanged before the next; the first member's partners stand for those of all.
Duration halving_pass(const Model& m) {
  Duration sum;
  for (std::int64_t distance = m.ranks / 2; distance > 0; distance /= 2) {
    const Bytes part = m.size * distance / m.ranks;
    const MemberIndex partner(static_cast<std::uint32_t>(distance));
    const bool inside = m.layout.over_scale_up(MemberIndex(0), partner);
    sum += (inside ? m.inside : m.between).start(std::min(part, m.chunk)) +
           (inside ? m.inside.rate : rate_at(m, distance)).transmit_time(part);
  }
  return sum;
}

/// A ring on each rail, which begins when the domain has summed up its first chunk, or ends a chunk before the domain.
Duration hierarchical_pass(const Model& m) {
  const Bytes share = m.size / m.locals;
  const Bytes first = std::min(share / m.groups, m.chunk);
  const Duration segment = m.rails_rate().transmit_time(share / m.groups);
  const Duration start = m.between.start(first);
  const Duration step = std::max(segment, start + m.rails_rate().transmit_time(first));
  const Duration rails = m.groups == 1 ? Duration::zero() : step * (m.groups - 2) + segment + start;
  if (m.locals == 1)
    return rails;
  const Duration domain = m.inside_rate().transmit_time(share * (m.locals - 1));
  if (m.groups == 1)
    return m.inside.start(first) + domain;
  if (!m.scale_up)  // both over the same rails
    return m.inside.start(first) + kPerMessage * (m.locals - 1) + rails + domain;
  return m.inside.start(first) + std::max(m.inside.time(first * (m.locals - 1)) + rails, domain);
}

/// Once over all data, as reduce-scatter and all-gather do; all-reduce does it twice.
Duration one_pass(const Model& m, CollectiveAlgorithm algorithm) {
  switch (algorithm) {
    case CollectiveAlgorithm::kHalvingDoubling:
    case CollectiveAlgorithm::kRecursiveDoubling:
      return halving_pass(m);
    case CollectiveAlgorithm::kDirect:
      return direct_pass(m);
    case CollectiveAlgorithm::kHierarchical:
      return hierarchical_pass(m);
    case CollectiveAlgorithm::kAutomatic:
    case CollectiveAlgorithm::kInNetwork:  // in_network_pass()
    case CollectiveAlgorithm::kTree:       // all_reduce()
    case CollectiveAlgorithm::kNvlsTree:
    case CollectiveAlgorithm::kRing:
      break;
  }
  return ring_pass(m);
}

Duration all_reduce(const Model& m, CollectiveAlgorithm algorithm) {
  if (algorithm == CollectiveAlgorithm::kTree)
    return tree_all_reduce(m);
  return algorithm == CollectiveAlgorithm::kNvlsTree ? nvls_tree_all_reduce(m) : one_pass(m, algorithm) * 2;
}

/// All vectors go up and the results come down at the same time, in one pass also of an all-reduce. Up to a reducer and
/// down again is the way of one message between two ranks.
Duration in_network_pass(const Model& m) {
  const Rate rate = std::min(m.flat_rate(), m.reducers.lane_rate.value_or(m.flat_rate()));
  return m.reducers.latency + rate.transmit_time(m.size);
}

Duration rooted(const Model& m, CollectiveAlgorithm algorithm) {
  const Duration chunk = m.through_rate().transmit_time(std::min(m.chunk, m.size));
  const Duration all = m.through_rate().transmit_time(m.size);
  const std::int64_t leaves = m.groups == 1 ? 0 : std::min(m.groups, m.ranks - 1);
  if (algorithm != CollectiveAlgorithm::kTree)
    return m.between.latency * leaves + m.inside.latency * (m.ranks - 1 - leaves) + chunk * (m.ranks - 1) + all;
  if (m.scale_up && m.groups > 1)
    return m.between.latency * log2_of(m.groups) + m.inside.latency * (m.locals - 1) +
           chunk * (log2_of(m.groups) + m.locals - 1) + all * 100 / kTreePercent;
  return (m.between.latency + chunk) * log2_of(m.ranks) + all * 100 / kTreePercent;
}

Duration all_to_all(const Model& m, CollectiveAlgorithm algorithm) {
  const bool relayed = algorithm == CollectiveAlgorithm::kHierarchical;
  return direct_pass(m) + (relayed ? m.inside.latency : Duration::zero());
}

/// What an operation sends across a cut in each direction, over all rails behind it.
Bytes across(const Model& m, CollectiveAlgorithm algorithm, CollectiveKind kind, const NetworkCut& cut) {
  // Of what goes over all rails of a group, since some of them may be behind other cuts.
  const Bytes of_groups = m.size * cut.members / (cut.groups * m.locals);
  const std::int64_t passes = kind == CollectiveKind::kAllReduce ? 2 : 1;
  const bool rooted = kind == CollectiveKind::kBroadcast || kind == CollectiveKind::kReduce;
  switch (algorithm) {
    case CollectiveAlgorithm::kInNetwork:
      return m.size;
    case CollectiveAlgorithm::kTree:
    case CollectiveAlgorithm::kNvlsTree:  // half of the data on each edge, both ways but for a broadcast and a reduce
      return of_groups * cut.tree_edges / (rooted ? 4 : 2);
    case CollectiveAlgorithm::kDirect: {
      const std::int64_t near = m.scale_up ? m.locals - cut.members / cut.groups : 0;
      return m.size * passes * std::max<std::int64_t>(m.ranks - cut.members - near, 0) / m.ranks * cut.members;
    }
    case CollectiveAlgorithm::kRing:
      return (rooted ? of_groups : of_groups / m.ranks * (m.ranks - 1) * passes) * cut.rings;
    case CollectiveAlgorithm::kHierarchical:
      if (kind == CollectiveKind::kAllToAll)
        return across(m, CollectiveAlgorithm::kDirect, kind, cut);
      return of_groups / m.groups * (m.groups - 1) * passes * cut.rings;
    case CollectiveAlgorithm::kAutomatic:
    case CollectiveAlgorithm::kHalvingDoubling:  // rate_at()
    case CollectiveAlgorithm::kRecursiveDoubling:
      break;
  }
  return Bytes::zero();
}

/// No operation is faster than what it sends over shared uplinks allows.
Duration least_across(const Model& m, CollectiveAlgorithm algorithm, CollectiveKind kind) {
  Duration least;
  for (const NetworkCut& cut : m.layout.cuts()) {
    const Rate uplinks = cut.share * (cut.members * m.layout.rails());
    const Bytes crossing = across(m, algorithm, kind, cut);
    if (crossing > Bytes::zero())
      least = std::max(least, m.between.start(std::min(m.chunk, m.size)) + uplinks.transmit_time(crossing));
  }
  return least;
}

Duration by_links(const Model& m, CollectiveAlgorithm algorithm, CollectiveKind kind) {
  if (algorithm == CollectiveAlgorithm::kInNetwork)
    return in_network_pass(m);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return all_reduce(m, algorithm);
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
      return one_pass(m, algorithm);
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return rooted(m, algorithm);
    case CollectiveKind::kAllToAll:
      return all_to_all(m, algorithm);
    case CollectiveKind::kBarrier:
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
      break;
  }
  return Duration::zero();
}

}  // namespace

TierModels tier_models(std::span<const verbs::Rail> rails) {
  TierModels models;
  for (const verbs::Rail& rail : rails) {
    const bool scale_up = rail.kind == verbs::RailKind::kScaleUp;
    TierModel& tier = scale_up ? models.scale_up : models.scale_out;
    const Rate rate = scale_up ? rail.rate * kScaleUpPercent / 100 : rail.rate;
    tier.rate = tier.rate == Rate::zero() ? rate : std::min(tier.rate, rate);
  }
  return models;
}

Duration estimate(const LaneContext& context, CollectiveAlgorithm algorithm, const TierModels& tiers) {
  const Model model = model_of(context, algorithm, tiers);
  if (model.ranks == 1)
    return Duration::zero();
  const CollectiveKind kind = context.request.kind;
  return std::max(by_links(model, algorithm, kind), least_across(model, algorithm, kind));
}

}  // namespace weft::workload
