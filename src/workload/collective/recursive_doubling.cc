#include "workload/collective/recursive_doubling.h"

#include <bit>

namespace weft::workload {
namespace {

struct DoublingView {
  LaneContext context;
  std::uint32_t channel = 0;

  [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(std::countr_zero(context.size())); }
  [[nodiscard]] MemberIndex partner(std::uint32_t step) const {
    return MemberIndex(context.self.value() ^ (std::uint32_t{1} << step));
  }
  /// In how many ranges the channel finds the parts that a member has before a step.
  [[nodiscard]] std::uint32_t ranges(std::uint32_t step) const {
    return context.channels == 1 ? 1 : std::uint32_t{1} << step;
  }
  [[nodiscard]] Extent range(MemberIndex member, std::uint32_t step, std::uint32_t index) const {
    const std::uint32_t count = std::uint32_t{1} << step;
    const std::uint32_t first = member.value() / count * count;
    if (context.channels > 1)
      return context.chunker().part(context.part_of(MemberIndex(first + index)), channel, context.channels);
    const Extent begin = context.part_of(MemberIndex(first));
    const Extent last = context.part_of(MemberIndex(first + count - 1));
    return {begin.offset, last.offset + last.size - begin.offset};
  }
};

Lane doubling_receive(DoublingView view) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 0; step < view.steps(); ++step) {
    const MemberIndex partner = view.partner(step);
    for (std::uint32_t index = 0; index < view.ranges(step); ++index) {
      const Extent in = view.range(partner, step, index);
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(in); ++chunk)
        co_yield {.kind = Action::Kind::kReceive,
                  .slot = view.context.rail_slot(view.channel, 0),
                  .peer = partner,
                  .extent = chunker.chunk(in, chunk)};
    }
    co_yield {.kind = Action::Kind::kMark, .mark = step + std::uint64_t{1}};
  }
}

Lane doubling_send(DoublingView view, std::uint32_t receiving) {
  const Chunker chunker = view.context.chunker();
  for (std::uint32_t step = 0; step < view.steps(); ++step) {
    for (std::uint32_t index = 0; index < view.ranges(step); ++index) {
      const Extent out = view.range(view.context.self, step, index);
      for (std::uint64_t chunk = 0; chunk < chunker.chunks(out); ++chunk)
        co_yield {.kind = Action::Kind::kSend,
                  .slot = view.context.rail_slot(view.channel, 0),
                  .peer = view.partner(step),
                  .extent = chunker.chunk(out, chunk),
                  .after = {Dependency{receiving, step}}};
    }
  }
}

}  // namespace

void add_recursive_doubling(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel) {
    const DoublingView view{context, channel};
    const std::uint32_t receiving = lanes.add(doubling_receive(view));
    lanes.add(doubling_send(view, receiving));
  }
}

}  // namespace weft::workload
