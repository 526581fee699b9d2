// The packets of one partition: hot records, and cold ones for those that have them.
#pragma once

#include "base/slab.h"
#include "wire/packet.h"

namespace weft::fabric {

using PacketHandle = Slab<wire::Packet>::Handle;
using ColdHandle = Slab<wire::ColdPacket>::Handle;

class PacketPool {
 public:
  [[nodiscard]] PacketHandle allocate() { return packets_.allocate(); }
  [[nodiscard]] wire::Packet& operator[](PacketHandle handle) { return packets_[handle]; }
  [[nodiscard]] const wire::Packet& operator[](PacketHandle handle) const { return packets_[handle]; }

  /// Gives the packet a copy of `cold`; its flag must be set already.
  void attach_cold(wire::Packet& packet, const wire::ColdPacket& cold) {
    packet.common.cold = cold_.allocate(cold).value();
  }
  /// Only of a packet with kHasCold.
  [[nodiscard]] const wire::ColdPacket& cold_of(const wire::Packet& packet) const {
    return cold_[ColdHandle(packet.common.cold)];
  }

  void release(PacketHandle handle) {
    const wire::Packet& packet = packets_[handle];
    if (packet.has(wire::kHasCold)) [[unlikely]] {
      cold_.release(ColdHandle(packet.common.cold));
    }
    packets_.release(handle);
  }

  // Inlined by force: out of line, a function that only prefetches counts as one without effect, and goes.
  [[gnu::always_inline]] void prefetch(PacketHandle handle) const { __builtin_prefetch(&packets_[handle]); }
  [[nodiscard]] std::uint32_t live_count() const { return packets_.live_count(); }
  [[nodiscard]] std::size_t heap_bytes() const { return packets_.heap_bytes() + cold_.heap_bytes(); }

 private:
  Slab<wire::Packet> packets_;
  Slab<wire::ColdPacket> cold_;
};

}  // namespace weft::fabric
