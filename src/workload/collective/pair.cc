#include "workload/collective/pair.h"

namespace weft::workload {
namespace {

// An empty buffer still is a message, so that receiving it means something.
Lane move_buffer(LaneContext context, Action::Kind kind) {
  const Cutter cutter = context.cutter();
  for (std::uint64_t chunk = 0; chunk == 0 || chunk < cutter.chunks(context.whole()); ++chunk)
    co_yield {.kind = kind,
              .slot = context.pair_slot,
              .peer = context.request.peer,
              .extent = cutter.chunk(context.whole(), chunk)};
}

Lane disseminate(LaneContext context) {
  const std::uint32_t ranks = context.size();
  const std::uint32_t self = context.self.value();
  for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
    co_yield {.kind = Action::Kind::kSend, .slot = slot_of(0, 3), .peer = MemberIndex((self + distance) % ranks)};
    co_yield {
        .kind = Action::Kind::kReceive, .slot = slot_of(0, 3), .peer = MemberIndex((self + ranks - distance) % ranks)};
  }
}

}  // namespace

void add_send(const LaneContext& context, Lanes& lanes) { lanes.add(move_buffer(context, Action::Kind::kSend)); }

void add_receive(const LaneContext& context, Lanes& lanes) { lanes.add(move_buffer(context, Action::Kind::kReceive)); }

void add_barrier(const LaneContext& context, Lanes& lanes) { lanes.add(disseminate(context)); }

}  // namespace weft::workload
