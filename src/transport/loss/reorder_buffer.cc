#include "transport/loss/reorder_buffer.h"

#include "base/assert.h"

namespace weft::transport {

ReorderBuffer::Outcome ReorderBuffer::hold(const ReceivedPacket& received, Psn expected) {
  return keep(received, expected, false);
}

ReorderBuffer::Outcome ReorderBuffer::note_placed(const ReceivedPacket& received, Psn expected) {
  return keep(received, expected, true);
}

ReorderBuffer::Outcome ReorderBuffer::keep(const ReceivedPacket& received, Psn expected, bool placed) {
  const Psn psn = received.packet.ib.psn;
  WEFT_ASSERT(psn - expected > 0 && psn - expected < kWindow);
  Entry& place = entry(psn);
  if (place.used) {
    if (place.packet.ib.psn == psn)
      return Outcome::kDuplicate;
    // Left over from before the expected PSN jumped past it.
    release(place);
  }
  if (!placed && held_ >= capacity_)
    return Outcome::kNoRoom;
  place.packet = received.packet;
  if (received.packet.has(wire::kHasCold))
    place.cold = received.cold;
  place.used = true;
  ++used_;
  place.placed = placed;
  if (!placed) {
    place.payload.assign(received.payload.begin(), received.payload.end());
    ++held_;
  }
  return Outcome::kKept;
}

ReorderBuffer::Entry* ReorderBuffer::find(Psn psn) {
  Entry& place = entry(psn);
  return place.used && place.packet.ib.psn == psn ? &place : nullptr;
}

void ReorderBuffer::release(Entry& taken) {
  if (!taken.placed)
    --held_;
  --used_;
  taken.used = false;
  taken.placed = false;
  taken.payload.clear();
}

wire::SackBitmap ReorderBuffer::bitmap(Psn expected) const {
  wire::SackBitmap bitmap;
  for (int i = 1; i < kWindow; ++i) {
    if (contains(expected + i))
      bitmap.set(i);
  }
  return bitmap;
}

void ReorderBuffer::clear() {
  for (Entry& place : entries_) {
    if (place.used)
      release(place);
  }
}

}  // namespace weft::transport
