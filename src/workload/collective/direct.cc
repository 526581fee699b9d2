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

/// Exchanges in which a rank has done with one before it deals with the next: by groups, and by places in them. What
/// stays in a group takes no time beside the rest, so in the order of the ranks alone all of one group would come to
/// the first rank of the next one together.
struct PairwiseView : DirectView {
  [[nodiscard]] MemberIndex ahead(std::uint32_t step) const { return at(step, false); }
  [[nodiscard]] MemberIndex behind(std::uint32_t step) const { return at(step, true); }

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

Lane pairwise_send(PairwiseView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step <= view.steps(); ++step) {
    const Extent share = view.share_of(view.ahead(step));
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
      co_yield {.kind = Action::Kind::kSend,
                .slot = view.context.rail_slot(view.channel, 0),
                .peer = view.ahead(step),
                .extent = chunker.chunk(share, chunk)};
  }
}

Lane pairwise_receive(PairwiseView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step <= view.steps(); ++step) {
    const Extent share = view.share_of(view.behind(step));
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
      co_yield {.kind = Action::Kind::kReceive,
                .buffer = BufferKind::kResult,
                .slot = view.context.rail_slot(view.channel, 0),
                .peer = view.behind(step),
                .extent = chunker.chunk(share, chunk)};
  }
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
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    lanes.add(pairwise_send({{context, channel}}));
    lanes.add(pairwise_receive({{context, channel}}));
  }
  lanes.add(copy_own(context));
}

}  // namespace weft::workload
