// Contents of a congestion notification between switches: the leaf whose packets should avoid the port that receives
// it.
//
// A frame of 64 bytes to the neighbour alone, sent in front of all data and taken around the receiver's pipeline as
// other link-level control frames are. Vendors do not publish the form of theirs (docs/decisions/0029).
#pragma once

#include <cstdint>
#include <cstring>

#include "wire/packet.h"

namespace weft::fabric {

struct NotificationContent {
  static constexpr std::uint16_t kFrameBytes = 64;

  std::uint32_t leaf = 0;  // its name_of

  /// 31 bits of f(seed, name): a number that other switches do not change.
  [[nodiscard]] static std::uint32_t name_of(std::uint64_t name_hash) {
    return static_cast<std::uint32_t>(name_hash) & ~kPackedMark;
  }

  void store(wire::Packet& packet) const {
    packet.raw = {};
    std::memcpy(packet.raw.data(), &leaf, sizeof(leaf));
  }
  [[nodiscard]] static NotificationContent load(const wire::Packet& packet) {
    NotificationContent content;
    std::memcpy(&content.leaf, packet.raw.data(), sizeof(content.leaf));
    return content;
  }

  // InfiniBand, where link-level frames are four bytes without a record: beside flow control packets, which leave the
  // upper bits zero.
  [[nodiscard]] std::uint32_t packed() const { return kPackedMark | leaf; }
  [[nodiscard]] static bool is_packed(std::uint32_t frame) { return (frame & kPackedMark) != 0; }
  [[nodiscard]] static NotificationContent unpacked(std::uint32_t frame) { return {.leaf = frame & ~kPackedMark}; }

 private:
  static constexpr std::uint32_t kPackedMark = 0x8000'0000;
};

}  // namespace weft::fabric
