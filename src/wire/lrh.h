// Local route header of InfiniBand: the link layer's addresses, lane and length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// What follows the LRH.
//= ibta-1.7 7.7.5
enum class LinkNextHeader : std::uint8_t { kRaw = 0, kRawIpv6 = 1, kIbaLocal = 2, kIbaGlobal = 3 };

/// Unicast LIDs are 1 to this.
//= ibta-1.7 4.1.1
inline constexpr std::uint16_t kLastUnicastLid = 0xBFFF;

//= ibta-1.7 7.7
struct LrhHeader {
  static constexpr std::size_t kSize = 8;
  /// Virtual lane of subnet management packets.
  static constexpr std::uint8_t kManagementLane = 15;
  static constexpr std::uint16_t kMaxPacketLength = 0x7FF;

  std::uint8_t virtual_lane = 0;   // 4 bits
  std::uint8_t service_level = 0;  // 4 bits
  std::uint8_t reserved_high = 0;  // 2 bits, ignored by receivers
  LinkNextHeader next_header = LinkNextHeader::kIbaLocal;
  std::uint16_t destination_lid = 0;
  std::uint8_t reserved_length = 0;  // 5 bits, ignored by receivers
  std::uint16_t packet_length = 0;   // 11 bits: words of 4 bytes from the LRH to the ICRC, both included
  std::uint16_t source_lid = 0;

  /// The link version must be 0; `packet_length` is not compared with the input.
  [[nodiscard]] static Result<LrhHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const LrhHeader&, const LrhHeader&) = default;
};

}  // namespace weft::wire
