#include "workload/collective/in_network.h"

namespace weft::workload {
namespace {

/// `root` is invalid if the result goes to all.
Lane reduce_extent(LaneContext context, std::uint32_t channel, Extent extent, MemberIndex root) {
  const Chunker chunker = context.chunker();
  const Extent share = chunker.part(extent, channel, context.channels);
  for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
    co_yield {.kind = Action::Kind::kReduceInNetwork,
              .slot = slot_of(channel, 0),
              .peer = root,
              .extent = chunker.chunk(share, chunk)};
}

Lane reduce_parts(LaneContext context, std::uint32_t channel) {
  const Chunker chunker = context.chunker();
  for (std::uint32_t owner = 0; owner < context.size(); ++owner) {
    const Extent share = chunker.part(context.part_of(MemberIndex(owner)), channel, context.channels);
    for (std::uint64_t chunk = 0; chunk < chunker.chunks(share); ++chunk)
      co_yield {.kind = Action::Kind::kReduceInNetwork,
                .slot = slot_of(channel, 0),
                .peer = MemberIndex(owner),
                .extent = chunker.chunk(share, chunk)};
  }
}

}  // namespace

void add_in_network_all_reduce(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel)
    lanes.add(reduce_extent(context, channel, context.whole(), MemberIndex()));
}

void add_in_network_reduce(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel)
    lanes.add(reduce_extent(context, channel, context.whole(), context.request.root));
}

void add_in_network_reduce_scatter(const LaneContext& context, Lanes& lanes) {
  for (std::uint32_t channel = 0; channel < context.channels; ++channel)
    lanes.add(reduce_parts(context, channel));
}

}  // namespace weft::workload
