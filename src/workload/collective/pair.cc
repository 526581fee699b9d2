#include "workload/collective/pair.h"

#include <vector>

namespace weft::workload {
namespace {

// An empty buffer still is a message, so that receiving it means something.
Lane move_buffer(LaneContext context, Action::Kind kind) {
  const Chunker chunker = context.chunker();
  for (std::uint64_t chunk = 0; chunk == 0 || chunk < chunker.chunks(context.whole()); ++chunk)
    co_yield {.kind = kind,
              .slot = context.pair_slot,
              .peer = context.request.peer,
              .extent = chunker.chunk(context.whole(), chunk)};
}

struct Neighbours {
  MemberIndex ahead;
  MemberIndex behind;
};

/// Members at this distance around a circle: all of them, or first those with the own place in their groups and then
/// the own group, where the network joins no others.
std::vector<Neighbours> rounds_of(const LaneContext& context) {
  std::vector<Neighbours> rounds;
  const MemberLayout& layout = *context.layout;
  const auto add = [&rounds](std::uint32_t self, std::uint32_t count, const auto& member) {
    for (std::uint32_t distance = 1; distance < count; distance *= 2)
      rounds.push_back({member((self + distance) % count), member((self + count - distance) % count)});
  };
  if (layout.reach() == Reach::kAnyTwo) {
    add(context.self.value(), context.size(), [](std::uint32_t at) { return MemberIndex(at); });
    return rounds;
  }
  const std::uint32_t group = layout.group_of(context.self);
  const std::uint32_t local = layout.local_of(context.self);
  add(group, layout.groups(), [&](std::uint32_t at) { return layout.group(at)[local]; });
  add(local, layout.largest_group(), [&](std::uint32_t at) { return layout.group(group)[at]; });
  return rounds;
}

Lane disseminate(LaneContext context) {
  for (const auto& [ahead, behind] : rounds_of(context)) {
    co_yield {.kind = Action::Kind::kSend, .slot = slot_of(0, 3), .peer = ahead};
    co_yield {.kind = Action::Kind::kReceive, .slot = slot_of(0, 3), .peer = behind};
  }
}

}  // namespace

void add_send(const LaneContext& context, Lanes& lanes) { lanes.add(move_buffer(context, Action::Kind::kSend)); }

void add_receive(const LaneContext& context, Lanes& lanes) { lanes.add(move_buffer(context, Action::Kind::kReceive)); }

void add_barrier(const LaneContext& context, Lanes& lanes) { lanes.add(disseminate(context)); }

}  // namespace weft::workload
