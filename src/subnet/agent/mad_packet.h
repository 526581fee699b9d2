// A MAD on its way: what the packet's headers say of it, and its 256 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "subnet/subnet.h"
#include "wire/mad.h"

namespace weft::subnet {

inline constexpr Lid kPermissiveLid = 0xFFFF;  // of packets with a directed route
inline constexpr std::uint32_t kSubnetQp = 0;  // QP0: subnet management, on VL15
inline constexpr std::uint32_t kGeneralQp = 1;

struct MadPacket {
  Lid source = 0;
  Lid destination = 0;
  std::uint32_t source_qp = 0;
  std::uint32_t destination_qp = 0;
  std::uint16_t length = wire::kMadSize;  // of what its program sent; the rest is zero
  std::array<std::byte, wire::kMadSize> mad{};

  friend bool operator==(const MadPacket&, const MadPacket&) = default;
};

/// Where fields lie in a MAD's bytes; from the M_Key on those of subnet management.
//= ibta-1.7 14.2.1.2
namespace mad_offset {
inline constexpr std::size_t kMethod = 3;
inline constexpr std::size_t kStatus = 4;
inline constexpr std::size_t kHopPointer = 6;
inline constexpr std::size_t kHopCount = 7;
inline constexpr std::size_t kMKey = 24;
inline constexpr std::size_t kDirectedSource = 32;
inline constexpr std::size_t kDirectedDestination = 34;
inline constexpr std::size_t kSmpData = 64;
inline constexpr std::size_t kInitialPath = 128;
inline constexpr std::size_t kReturnPath = 192;
}  // namespace mad_offset

/// LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4 bytes: what a data counter counts of each, in words.
inline constexpr std::uint64_t kMadPacketWords = 288 / 4;

/// A method that answers another: Get, Set and their like have the bit clear.
[[nodiscard]] constexpr bool is_response(std::uint8_t method) { return (method & 0x80U) != 0; }

/// The same packet on its way back: LIDs and queue pairs change places.
[[nodiscard]] inline MadPacket turned_around(const MadPacket& packet) {
  MadPacket back = packet;
  back.source = packet.destination;
  back.destination = packet.source;
  back.source_qp = packet.destination_qp;
  back.destination_qp = packet.source_qp;
  return back;
}

}  // namespace weft::subnet
