// The packets of a world: hot records, and cold ones for those that have them (base/shared_pool.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/ids.h"
#include "base/shared_pool.h"
#include "wire/packet.h"

namespace weft::fabric {

using PacketHandle = Id<class PacketPool>;

class PacketPool {
 public:
  static constexpr std::size_t kMaxPackets = std::size_t{1} << 26;

  /// At most 67 million packets live at once, a quarter of them with cold records.
  PacketPool() : packets_(kMaxPackets), cold_(kMaxPackets / 4) {}

  /// Before the first run on so many threads; never fewer than before.
  void set_workers(std::uint32_t workers) {
    packets_.set_workers(workers);
    cold_.set_workers(workers);
  }

  [[nodiscard]] PacketHandle allocate() { return PacketHandle(packets_.allocate()); }
  [[nodiscard]] wire::Packet& operator[](PacketHandle handle) { return packets_[handle.value()]; }
  [[nodiscard]] const wire::Packet& operator[](PacketHandle handle) const { return packets_[handle.value()]; }

  /// Gives the packet a copy of `cold`; its flag must be set already.
  void attach_cold(wire::Packet& packet, const wire::ColdPacket& cold) {
    WEFT_DCHECK(packet.has(wire::kHasCold));  // or nobody would release the cold record
    packet.common.cold = cold_.allocate();
    cold_[packet.common.cold] = cold;
  }
  /// Only of a packet with kHasCold.
  [[nodiscard]] wire::ColdPacket& cold_of(wire::Packet& packet) {
    WEFT_DCHECK(packet.has(wire::kHasCold));
    return cold_[packet.common.cold];
  }
  [[nodiscard]] const wire::ColdPacket& cold_of(const wire::Packet& packet) const { return cold_[packet.common.cold]; }

  /// Releasing twice is caught in checked builds.
  void release(PacketHandle handle) {
    const wire::Packet& packet = packets_[handle.value()];
    if (packet.has(wire::kHasCold)) [[unlikely]] {
      cold_.release(packet.common.cold);
    }
    packets_.release(handle.value());
  }

  /// For another process: the packet as bytes, which leaves this pool; and one that has come in this way.
  void give_away(PacketHandle handle, std::string& bytes);
  [[nodiscard]] PacketHandle take_in(std::string_view bytes);

  // Forced inline: out of line, the compiler removes a function that only prefetches.
  [[gnu::always_inline]] void prefetch(PacketHandle handle) const { packets_.prefetch(handle.value()); }
  /// Between runs.
  [[nodiscard]] std::uint32_t live_count() const { return packets_.live_count(); }
  [[nodiscard]] std::size_t heap_bytes() const { return packets_.heap_bytes() + cold_.heap_bytes(); }

 private:
  SharedPool<wire::Packet> packets_;
  SharedPool<wire::ColdPacket> cold_;
};

}  // namespace weft::fabric
