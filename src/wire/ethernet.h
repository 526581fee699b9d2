// Ethernet header: addresses, up to two VLAN tags, EtherType. The frame check sequence is not part of it.
//
// A third tag is left alone: its tag protocol identifier is then the EtherType.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/address.h"

namespace weft::wire {

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeVlan = 0x8100;         // customer tag
inline constexpr std::uint16_t kEtherTypeServiceVlan = 0x88A8;  // service tag
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86DD;
inline constexpr std::uint16_t kEtherTypeMacControl = 0x8808;
inline constexpr std::uint16_t kEtherTypeRoceV1 = 0x8915;

//= ieee-802.1Q 9.6
struct VlanTag {
  std::uint16_t protocol = kEtherTypeVlan;  // 0x8100 or 0x88A8
  std::uint8_t priority = 0;                // PCP, 3 bits
  bool drop_eligible = false;
  std::uint16_t vlan = 0;  // 12 bits

  friend bool operator==(const VlanTag&, const VlanTag&) = default;
};

//= ieee-802.3 3.2
struct EthernetHeader {
  static constexpr std::size_t kSize = 14;  // without tags
  static constexpr std::size_t kTagSize = 4;
  static constexpr std::size_t kMaxTags = 2;
  /// Shortest frame, without and with its four-byte check sequence.
  static constexpr std::size_t kMinFrameWithoutFcs = 60;
  static constexpr std::size_t kFcsSize = 4;

  MacAddress destination{};
  MacAddress source{};
  std::array<VlanTag, kMaxTags> tags{};  // outermost first
  std::uint8_t tag_count = 0;
  std::uint16_t ether_type = 0;

  [[nodiscard]] std::size_t size() const { return kSize + tag_count * kTagSize; }
  [[nodiscard]] static Result<EthernetHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const EthernetHeader&, const EthernetHeader&) = default;
};

}  // namespace weft::wire
