// Management datagrams: the common header, and the directed-route form of subnet management packets.
//
// A MAD is always 256 bytes, the payload of one UD SEND to QP0 (subnet management) or QP1 (everything else).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

inline constexpr std::size_t kMadSize = 256;

/// Management classes; the field is a plain byte because vendors have their own.
//= ibta-1.7 13.4.4
inline constexpr std::uint8_t kClassSubnetLidRouted = 0x01;
inline constexpr std::uint8_t kClassSubnetAdministration = 0x03;
inline constexpr std::uint8_t kClassPerformance = 0x04;
inline constexpr std::uint8_t kClassConnection = 0x07;
inline constexpr std::uint8_t kClassSubnetDirectedRoute = 0x81;

//= ibta-1.7 13.4.5
inline constexpr std::uint8_t kMethodGet = 0x01;
inline constexpr std::uint8_t kMethodSet = 0x02;
inline constexpr std::uint8_t kMethodSend = 0x03;
inline constexpr std::uint8_t kMethodTrap = 0x05;
inline constexpr std::uint8_t kMethodTrapRepress = 0x07;
inline constexpr std::uint8_t kMethodGetResponse = 0x81;

/// The 24 bytes that every MAD begins with.
//= ibta-1.7 13.4.2
struct MadHeader {
  static constexpr std::size_t kSize = 24;

  std::uint8_t base_version = 1;
  std::uint8_t management_class = 0;
  std::uint8_t class_version = 1;
  std::uint8_t method = 0;
  std::uint16_t status = 0;
  std::uint16_t class_specific = 0;
  std::uint64_t transaction_id = 0;
  std::uint16_t attribute_id = 0;
  std::uint16_t reserved = 0;  // ignored by receivers
  std::uint32_t attribute_modifier = 0;

  /// The base version must be 1.
  [[nodiscard]] static Result<MadHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const MadHeader&, const MadHeader&) = default;
};

/// Subnet management packet with a directed route. Its status has bit 15 as the direction (set on the way back), and
/// the class-specific word of the header is hop pointer and hop count.
//= ibta-1.7 14.2.1.2
struct DirectedRouteSmp {
  static constexpr std::size_t kSize = kMadSize;
  static constexpr std::size_t kMaxHops = 64;
  static constexpr std::size_t kDataSize = 64;
  static constexpr std::uint16_t kReturning = 0x8000;
  static constexpr std::uint16_t kPermissiveLid = 0xFFFF;

  MadHeader header{.management_class = kClassSubnetDirectedRoute};
  std::uint64_t m_key = 0;
  std::uint16_t dr_source_lid = kPermissiveLid;
  std::uint16_t dr_destination_lid = kPermissiveLid;
  std::array<std::byte, 28> reserved{};  // ignored by receivers
  std::array<std::byte, kDataSize> data{};
  std::array<std::uint8_t, kMaxHops> initial_path{};
  std::array<std::uint8_t, kMaxHops> return_path{};

  [[nodiscard]] bool is_returning() const { return (header.status & kReturning) != 0; }
  [[nodiscard]] std::uint8_t hop_pointer() const { return static_cast<std::uint8_t>(header.class_specific >> 8); }
  [[nodiscard]] std::uint8_t hop_count() const { return static_cast<std::uint8_t>(header.class_specific & 0xFFU); }

  /// Errors: another management class, a hop count above 63, a hop pointer above 64.
  [[nodiscard]] static Result<DirectedRouteSmp> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const DirectedRouteSmp&, const DirectedRouteSmp&) = default;
};

}  // namespace weft::wire
