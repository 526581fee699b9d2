// The packets of one partition: hot records, and cold ones for those that have them.
//
// Hot records lie side by side in one range of addresses, so that a handle becomes an address without a load, and stay
// where they are. Released ones are reused last in, first out, while they are still in the caches; new ones come in
// ascending order: the handles a run sees depend only on its calls.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "base/huge_pages.h"
#include "base/slab.h"
#include "wire/packet.h"

namespace weft::fabric {

using PacketHandle = Id<class PacketPool>;
using ColdHandle = Slab<wire::ColdPacket>::Handle;

class PacketPool {
 public:
  /// At most 67 million packets live at once.
  PacketPool() : storage_(kMaxPackets * sizeof(wire::Packet)), packets_(static_cast<wire::Packet*>(storage_.data())) {}

  [[nodiscard]] PacketHandle allocate() {
    const std::uint32_t index = first_free_ != kNone ? first_free_ : fresh();
    if (index == first_free_) {
      std::memcpy(&first_free_, static_cast<const void*>(packets_ + index), sizeof(first_free_));
    }
    std::construct_at(packets_ + index);
    ++live_;
    mark(index, true);
    return PacketHandle(index);
  }
  [[nodiscard]] wire::Packet& operator[](PacketHandle handle) {
    check_live(handle);
    return packets_[handle.value()];
  }
  [[nodiscard]] const wire::Packet& operator[](PacketHandle handle) const {
    check_live(handle);
    return packets_[handle.value()];
  }

  /// Gives the packet a copy of `cold`; its flag must be set already.
  void attach_cold(wire::Packet& packet, const wire::ColdPacket& cold) {
    WEFT_DCHECK(packet.has(wire::kHasCold));  // or nobody would release the cold record
    packet.common.cold = cold_.allocate(cold).value();
  }
  /// Only of a packet with kHasCold.
  [[nodiscard]] wire::ColdPacket& cold_of(wire::Packet& packet) {
    WEFT_DCHECK(packet.has(wire::kHasCold));
    return cold_[ColdHandle(packet.common.cold)];
  }
  [[nodiscard]] const wire::ColdPacket& cold_of(const wire::Packet& packet) const {
    return cold_[ColdHandle(packet.common.cold)];
  }

  /// Releasing twice is caught in checked builds.
  void release(PacketHandle handle) {
    check_live(handle);
    wire::Packet& packet = packets_[handle.value()];
    if (packet.has(wire::kHasCold)) [[unlikely]] {
      cold_.release(ColdHandle(packet.common.cold));
    }
    std::memcpy(static_cast<void*>(&packet), &first_free_, sizeof(first_free_));
    first_free_ = handle.value();
    --live_;
    mark(handle.value(), false);
  }

  // Forced inline: out of line, the compiler removes a function that only prefetches.
  [[gnu::always_inline]] void prefetch(PacketHandle handle) const { __builtin_prefetch(packets_ + handle.value()); }
  [[nodiscard]] std::uint32_t live_count() const { return live_; }
  [[nodiscard]] std::size_t heap_bytes() const { return used_ * sizeof(wire::Packet) + cold_.heap_bytes(); }

 private:
  static constexpr std::size_t kMaxPackets = std::size_t{1} << 26;
  static constexpr std::uint32_t kNone = PacketHandle::kInvalidValue;

  std::uint32_t fresh() {
    WEFT_ASSERT(used_ < storage_.bytes() / sizeof(wire::Packet));
    return used_++;
  }

#if defined(WEFT_DCHECKS)
  void mark(std::uint32_t index, bool live) {
    is_live_.resize(used_);
    is_live_[index] = live;
  }
  void check_live(PacketHandle handle) const { WEFT_ASSERT(handle.value() < used_ && is_live_[handle.value()]); }
  std::vector<bool> is_live_;
#else
  void mark(std::uint32_t, bool) {}
  void check_live(PacketHandle) const {}
#endif

  HugeReserve storage_;
  wire::Packet* packets_;
  std::uint32_t used_ = 0;  // slots from here on were never given out
  std::uint32_t first_free_ = kNone;
  std::uint32_t live_ = 0;
  Slab<wire::ColdPacket> cold_;
};

}  // namespace weft::fabric
