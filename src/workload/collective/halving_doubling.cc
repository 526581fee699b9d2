#include "workload/collective/halving_doubling.h"

#include <bit>

namespace weft::workload {
namespace {

/// One step of one rank: what goes to the partner, and what comes.
struct Halving {
  MemberIndex partner{};
  Extent out{};
  Extent in{};
  bool reduces = false;
};

struct HalvingView {
  LaneContext context;
  std::uint32_t channel = 0;

  [[nodiscard]] std::uint32_t halvings() const { return static_cast<std::uint32_t>(std::countr_zero(context.size())); }
  [[nodiscard]] std::uint32_t steps() const { return 2 * halvings(); }
  /// The parts of the block of `count` ranks around `member`, of this channel's share of the buffer. The share is the
  /// same in every step: if each block were divided among channels, a channel would send what another one has yet to
  /// add.
  [[nodiscard]] Extent block(std::uint32_t member, std::uint32_t count) const {
    const Chunker chunker = context.chunker();
    const Extent share = chunker.part(context.whole(), channel, context.channels);
    const std::uint32_t first = member / count * count;
    const Extent begin = chunker.part(share, first, context.size());
    const Extent last = chunker.part(share, first + count - 1, context.size());
    return {begin.offset, last.offset + last.size - begin.offset};
  }
  [[nodiscard]] Halving exchange(std::uint32_t step) const {
    const bool halves = step < halvings();
    const std::uint32_t distance = context.size() >> (halves ? step + 1 : steps() - step);
    const std::uint32_t self = context.self.value();
    const std::uint32_t partner = self ^ distance;
    const Extent of_self = block(self, distance);
    const Extent of_partner = block(partner, distance);
    return {.partner = MemberIndex(partner),
            .out = halves ? of_partner : of_self,
            .in = halves ? of_self : of_partner,
            .reduces = halves};
  }
};

Lane halving_receive(HalvingView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 0; step < view.steps(); ++step) {
    const Halving exchange = view.exchange(step);
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(exchange.in); ++chunk)
      co_yield {.kind = exchange.reduces ? Action::Kind::kReduce : Action::Kind::kReceive,
                .slot = view.context.rail_slot(view.channel, exchange.reduces ? 0 : 1),
                .peer = exchange.partner,
                .extent = chunker.chunk(exchange.in, chunk)};
    co_yield {.kind = Action::Kind::kMark, .mark = step + std::uint64_t{1}};
  }
}

Lane halving_send(HalvingView view, std::uint32_t receiving) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 0; step < view.steps(); ++step) {
    const Halving exchange = view.exchange(step);
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(exchange.out); ++chunk)
      co_yield {.kind = Action::Kind::kSend,
                .slot = view.context.rail_slot(view.channel, exchange.reduces ? 0 : 1),
                .peer = exchange.partner,
                .extent = chunker.chunk(exchange.out, chunk),
                .after = {Dependency{receiving, step}}};
  }
}

}  // namespace

void add_halving_doubling(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const HalvingView view{context, channel};
    const std::uint32_t receiving = lanes.add(halving_receive(view));
    lanes.add(halving_send(view, receiving));
  }
}

}  // namespace weft::workload
