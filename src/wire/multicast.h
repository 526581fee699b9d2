// How packets name a multicast group of InfiniBand: by its LID, which stands as the destination in the record, above
// all endpoints; and by queue pair number 0xFFFFFF.
//
// A group has one LID and one GID, which follows from it where headers need it: ff12::c001 for LID 0xC001 (a transient
// group of the subnet).
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "wire/address.h"

namespace weft::wire {

//= ibta-1.7 4.1.3
inline constexpr std::uint16_t kFirstMulticastLid = 0xC000;
inline constexpr std::uint16_t kLastMulticastLid = 0xFFFE;
[[nodiscard]] constexpr bool is_multicast_lid(std::uint16_t lid) {
  return lid >= kFirstMulticastLid && lid <= kLastMulticastLid;
}

/// Destination queue pair of every packet to a group.
//= ibta-1.7 10.5
inline constexpr std::uint32_t kMulticastQpn = 0xFFFFFF;

namespace detail {
inline constexpr std::uint32_t kGroupBits = 0x8000'0000;
}  // namespace detail

/// The LID must be one of a group.
[[nodiscard]] constexpr EndpointId multicast_destination(std::uint16_t lid) {
  return EndpointId(detail::kGroupBits | lid);
}
[[nodiscard]] constexpr bool is_multicast(EndpointId destination) {
  return (destination.value() & 0xFFFF'0000) == detail::kGroupBits;
}
/// Of such a destination.
[[nodiscard]] constexpr std::uint16_t multicast_lid(EndpointId destination) {
  return static_cast<std::uint16_t>(destination.value());
}

//= ibta-1.7 4.1.1
[[nodiscard]] constexpr bool is_multicast(const Gid& gid) { return gid.octets[0] == 0xFF; }
[[nodiscard]] constexpr Gid multicast_gid(std::uint16_t lid) {
  Gid gid;
  gid.octets[0] = 0xFF;
  gid.octets[1] = 0x12;
  gid.octets[14] = static_cast<std::uint8_t>(lid >> 8);
  gid.octets[15] = static_cast<std::uint8_t>(lid);
  return gid;
}

}  // namespace weft::wire
