// The payloads of packets on their way, in runs that carry real bytes; others have none and need none.
//
// Packets hold no bytes: each packet of the pool has a place here, of the largest payload, under the same handle. What
// lies there is valid from the packet's departure until its handle is given to another packet.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>

#include "base/assert.h"
#include "fabric/packet_pool.h"

namespace weft::host {

class PayloadStore {
 public:
  static constexpr std::size_t kMaxPayload = 9216;  // of a TCP segment in a jumbo frame; a path MTU is less

  /// Room for a packet that has no handle yet, or may come to nothing.
  [[nodiscard]] std::span<std::byte> scratch() { return scratch_; }
  /// The whole place of a packet.
  [[nodiscard]] std::span<std::byte> room(fabric::PacketHandle packet) {
    while (places_.size() <= packet.value()) {
      places_.emplace_back();
    }
    return places_[packet.value()];
  }
  /// What was written there; as long as the packet says.
  [[nodiscard]] std::span<const std::byte> of(fabric::PacketHandle handle, const wire::Packet& packet) const {
    WEFT_DCHECK(handle.value() < places_.size() && packet.common.payload_bytes <= kMaxPayload);
    return std::span(places_[handle.value()]).first(packet.common.payload_bytes);
  }
  [[nodiscard]] std::size_t heap_bytes() const { return places_.size() * kMaxPayload; }

 private:
  std::array<std::byte, kMaxPayload> scratch_{};
  std::deque<std::array<std::byte, kMaxPayload>> places_;
};

}  // namespace weft::host
