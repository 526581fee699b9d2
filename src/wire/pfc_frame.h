// Priority flow control frame: pauses each of eight priorities for a time, or lets it go again.
//
// A time is in quanta of 512 bit times of the link it arrives on; 0 means go. A frame is padded to Ethernet's minimum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "wire/address.h"
#include "wire/ethernet.h"

namespace weft::wire {

//= ieee-802.1Q 36
struct PfcFrame {
  static constexpr std::size_t kSize = EthernetHeader::kMinFrameWithoutFcs;
  static constexpr std::size_t kPriorities = 8;
  static constexpr std::uint16_t kOpcode = 0x0101;
  static constexpr MacAddress kDestination{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};
  static constexpr std::uint16_t kMaxQuanta = 0xFFFF;
  static constexpr std::size_t kPadSize = kSize - EthernetHeader::kSize - 4 - 2 * kPriorities;

  MacAddress source{};
  std::uint8_t reserved_classes = 0;  // upper half of the class-enable vector, ignored by receivers
  std::uint8_t enabled = 0;           // bit p: `quanta[p]` applies to priority p
  std::array<std::uint16_t, kPriorities> quanta{};
  std::array<std::byte, kPadSize> pad{};  // sent as zero, ignored by receivers

  /// `bytes` begin with the destination address; what follows the 60 bytes (an FCS) is ignored. Errors: a VLAN tag,
  /// another address, EtherType or opcode (link-level PAUSE has 0x0001).
  [[nodiscard]] static Result<PfcFrame> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PfcFrame&, const PfcFrame&) = default;
};

/// How long `quanta` pause a link of this rate; a quantum is the time of 64 bytes.
[[nodiscard]] constexpr Duration pause_time(Rate rate, std::uint16_t quanta) {
  return rate.transmit_time(Bytes(64) * quanta);
}

}  // namespace weft::wire
