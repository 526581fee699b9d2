#include "workload/collective/direct.h"

namespace weft::workload {
namespace {

struct DirectView {
  LaneContext context;
  std::uint32_t channel = 0;

  [[nodiscard]] MemberIndex ahead(std::uint32_t steps) const {
    return MemberIndex((context.self.value() + steps) % context.size());
  }
  [[nodiscard]] MemberIndex behind(std::uint32_t steps) const {
    return MemberIndex((context.self.value() + context.size() - steps) % context.size());
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
    for (std::uint32_t step = 1; step < view.context.size(); ++step) {
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
    for (std::uint32_t step = 1; step < view.context.size(); ++step)
      co_yield {.kind = Action::Kind::kReduce,
                .slot = view.context.rail_slot(view.channel, 0),
                .peer = view.behind(step),
                .extent = chunker.chunk(share, chunk),
                .mark = step + 1 == view.context.size() ? chunk + 1 : 0};
  }
}

/// `reduced`: the lane after whose marks own chunks are ready.
Lane gather_send(DirectView view, std::optional<std::uint32_t> reduced) {
  const Chunker chunker = view.context.chunker();
  const Extent share = view.share_of(view.context.self);
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk) {
    for (std::uint32_t step = 1; step < view.context.size(); ++step)
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
    for (std::uint32_t step = 1; step < view.context.size(); ++step) {
      const Extent share = view.share_of(view.behind(step));
      if (chunk < chunker.chunks(share))
        co_yield {.kind = Action::Kind::kReceive,
                  .slot = view.context.rail_slot(view.channel, 1),
                  .peer = view.behind(step),
                  .extent = chunker.chunk(share, chunk)};
    }
  }
}

Lane pairwise_send(DirectView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step < view.context.size(); ++step) {
    const Extent share = view.share_of(view.ahead(step));
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
      co_yield {.kind = Action::Kind::kSend,
                .slot = view.context.rail_slot(view.channel, 0),
                .peer = view.ahead(step),
                .extent = chunker.chunk(share, chunk)};
  }
}

Lane pairwise_receive(DirectView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 1; step < view.context.size(); ++step) {
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
    lanes.add(pairwise_send({context, channel}));
    lanes.add(pairwise_receive({context, channel}));
  }
  lanes.add(copy_own(context));
}

}  // namespace weft::workload
