#include "workload/collective/direct.h"

#include <algorithm>
#include <numeric>

namespace weft::workload {
namespace {

/// From one distance of a sample to the next: near the golden section of all, which spreads any number of them evenly,
/// and without a common divisor, so that none comes twice.
std::uint32_t stride_over(std::uint32_t distances) {
  constexpr double kGolden = 0.6180339887498949;
  auto stride = static_cast<std::uint32_t>(distances * kGolden);
  while (stride > 1 && std::gcd(stride, distances) > 1)
    --stride;
  return std::max(stride, 1U);
}

struct DirectView {
  LaneContext context;
  std::uint32_t channel = 0;

  /// Those that are run, counted from 1.
  [[nodiscard]] std::uint32_t steps() const { return context.steps_around(context.size()); }
  /// Between the two that exchange in a step.
  [[nodiscard]] std::uint32_t distance(std::uint32_t step) const {
    const std::uint32_t all = context.size() - 1;
    if (steps() == all)
      return step;
    const std::uint64_t stride = stride_over(all);
    return static_cast<std::uint32_t>((stride / 2 + stride * (step - 1)) % all) + 1;
  }
  [[nodiscard]] MemberIndex ahead(std::uint32_t step) const {
    return MemberIndex((context.self.value() + distance(step)) % context.size());
  }
  [[nodiscard]] MemberIndex behind(std::uint32_t step) const {
    return MemberIndex((context.self.value() + context.size() - distance(step)) % context.size());
  }
  [[nodiscard]] Extent share_of(MemberIndex owner) const {
    return context.chunker().part(context.part_of(owner), channel, context.channels);
  }
  /// Of the longest part.
  [[nodiscard]] std::uint64_t chunks() const { return context.chunker().chunks(share_of(MemberIndex(0))); }
};

Lane scatter_send(DirectView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    for (std::uint32_t step = 1; step <= view.steps(); ++step) {
      const Extent share = view.share_of(view.ahead(step));
      if (chunk < chunker.chunks(share))
        co_yield {.kind = Action::Kind::kSend,
                  .slot = view.context.rail_slot(view.channel, 0),
                  .peer = view.ahead(step),
                  .extent = chunker.chunk(share, chunk)};
    }
  }
}

Lane scatter_receive(DirectView view) {
  const Chunker chunker = view.context.chunker();
  const Extent share = view.share_of(view.context.self);
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
    for (std::uint32_t step = 1; step <= view.steps(); ++step)
      co_yield {.kind = Action::Kind::kReduce,
                .slot = view.context.rail_slot(view.channel, 0),
                .peer = view.behind(step),
                .extent = chunker.chunk(share, chunk),
                .mark = step == view.steps() ? chunk + 1 : 0};
  }
}

/// `reduced`: the lane after whose marks own chunks are ready.
Lane gather_send(DirectView view, std::optional<std::uint32_t> reduced) {
  const Chunker chunker = view.context.chunker();
  const Extent share = view.share_of(view.context.self);
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
    for (std::uint32_t step = 1; step <= view.steps(); ++step)
      co_yield {.kind = Action::Kind::kSend,
                .slot = view.context.rail_slot(view.channel, 1),
                .peer = view.ahead(step),
                .extent = chunker.chunk(share, chunk),
                .after = {Dependency{reduced.value_or(0), reduced ? chunk + 1 : 0}}};
  }
}

Lane gather_receive(DirectView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint64_t chunk = 0; chunk < view.chunks(); ++chunk) {
    for (std::uint32_t step = 1; step <= view.steps(); ++step) {
      const Extent share = view.share_of(view.behind(step));
      if (chunk < chunker.chunks(share))
        co_yield {.kind = Action::Kind::kReceive,
                  .slot = view.context.rail_slot(view.channel, 1),
                  .peer = view.behind(step),
                  .extent = chunker.chunk(share, chunk)};
    }
  }
}

/// Exchanges with peers of another group, one after the other: by groups, and by places in them, so that those of one
/// group do not all come to the same rank of the next one together. With peers that scale-up links reach, which may be
/// one for each pair, a rank exchanges chunk by chunk with all of them, meanwhile.
struct PairwiseView : DirectView {
  bool over_scale_up = false;

  [[nodiscard]] MemberIndex ahead(std::uint32_t step) const { return at(step, false); }
  [[nodiscard]] MemberIndex behind(std::uint32_t step) const { return at(step, true); }
  [[nodiscard]] bool has(MemberIndex peer) const {
    const MemberLayout& layout = *context.layout;
    return (layout.has_scale_up() && layout.over_scale_up(context.self, peer)) == over_scale_up;
  }

 private:
  [[nodiscard]] MemberIndex at(std::uint32_t step, bool back) const {
    const MemberLayout& layout = *context.layout;
    const std::uint32_t locals = layout.largest_group();
    if (!layout.is_regular() || locals == 1)
      return back ? DirectView::behind(step) : DirectView::ahead(step);
    const auto moved = [back](std::uint32_t from, std::uint32_t by, std::uint32_t all) {
      return (from + (back ? all - by : by)) % all;
    };
    const std::uint32_t by = distance(step);
    const std::uint32_t group = moved(layout.group_of(context.self), by / locals, layout.groups());
    return layout.group(group)[moved(layout.local_of(context.self), by % locals, locals)];
  }
};

Action pairwise_action(const PairwiseView& view, Action::Kind kind, MemberIndex peer, std::uint64_t chunk) {
  return {.kind = kind,
          .buffer = kind == Action::Kind::kReceive ? BufferKind::kResult : BufferKind::kData,
          .slot = view.context.rail_slot(view.channel, 0),
          .peer = peer,
          .extent = view.context.chunker().chunk(view.share_of(peer), chunk)};
}

/// Sends to those ahead, or receives from those behind.
Lane pairwise_lane(PairwiseView view, Action::Kind kind) {
  const Chunker chunker = view.context.chunker();
  const auto peer_of = [&](std::uint32_t step) {
    return kind == Action::Kind::kSend ? view.ahead(step) : view.behind(step);
  };
  // Peers over scale-up links take turns with each chunk, others have all of theirs in one turn.
  const std::uint64_t turns = view.over_scale_up ? view.chunks() : 1;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    for (std::uint32_t step = 1; step <= view.steps(); ++step) {
      const MemberIndex peer = peer_of(step);
      if (!view.has(peer))
        continue;
      const std::uint64_t chunks = chunker.chunks(view.share_of(peer));
      const std::uint64_t end = view.over_scale_up ? std::min(turn + 1, chunks) : chunks;
      for (std::uint64_t chunk = turn; chunk < end; ++chunk)
        co_yield pairwise_action(view, kind, peer, chunk);
    }
  }
}

void add_pairwise(const PairwiseView& view, Lanes& lanes) {
  lanes.add(pairwise_lane(view, Action::Kind::kSend));
  lanes.add(pairwise_lane(view, Action::Kind::kReceive));
}

}  // namespace

std::uint32_t exchange_steps_of(const CollectiveRequest& request, std::uint32_t members) {
  const bool exchanges = request.kind == CollectiveKind::kAllReduce || request.kind == CollectiveKind::kReduceScatter ||
                         request.kind == CollectiveKind::kAllGather || request.kind == CollectiveKind::kAllToAll;
  return exchanges && request.algorithm == CollectiveAlgorithm::kDirect ? members - 1 : 0;
}

Lane copy_own(LaneContext context) {
  const Extent own = context.part_of(context.self);
  if (own.size > 0)
    co_yield {.kind = Action::Kind::kCopy, .buffer = BufferKind::kResult, .extent = own, .to = own.offset};
}

void add_direct_all_reduce(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const DirectView view{context, channel};
    lanes.add(scatter_send(view));
    const std::uint32_t reduced = lanes.add(scatter_receive(view));
    lanes.add(gather_send(view, reduced));
    lanes.add(gather_receive(view));
  }
}

void add_direct_reduce_scatter(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    lanes.add(scatter_send({context, channel}));
    lanes.add(scatter_receive({context, channel}));
  }
}

void add_direct_all_gather(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    lanes.add(gather_send({context, channel}, std::nullopt));
    lanes.add(gather_receive({context, channel}));
  }
}

void add_pairwise_all_to_all(const LaneContext& context, Lanes& lanes) {
  const bool has_scale_up = context.layout->has_scale_up();
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    if (!has_scale_up || context.layout->groups() > 1)
      add_pairwise({{context, channel}, false}, lanes);
    if (has_scale_up)
      add_pairwise({{context, channel}, true}, lanes);
  }
  lanes.add(copy_own(context));
}

}  // namespace weft::workload
