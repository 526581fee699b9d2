// A note for each packet of a pool, by handle: for what some disciplines add to packets and records have no room for.
//
// A note is zero until it is written, and stays when its packet is released: whoever reads one has written it for that
// packet. Memory is taken as notes are written. Several workers may write notes of different packets.
#pragma once

#include <type_traits>

#include "base/huge_pages.h"
#include "fabric/packet_pool.h"

namespace weft::fabric {

template <class Note>
class PacketNotes {
  static_assert(std::is_trivially_copyable_v<Note> && std::is_trivially_destructible_v<Note>);

 public:
  PacketNotes() : storage_(PacketPool::kMaxPackets * sizeof(Note)), notes_(static_cast<Note*>(storage_.data())) {}

  [[nodiscard]] Note& operator[](PacketHandle handle) {
    WEFT_DCHECK(handle.value() < storage_.bytes() / sizeof(Note));
    return notes_[handle.value()];
  }

 private:
  HugeReserve storage_;
  Note* notes_;
};

}  // namespace weft::fabric
