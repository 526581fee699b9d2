// Link and network addresses as they stand in headers, with their usual text forms.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace weft::wire {

/// IEEE 802 MAC address, first transmitted octet first.
struct MacAddress {
  std::array<std::uint8_t, 6> octets{};

  friend constexpr bool operator==(const MacAddress&, const MacAddress&) = default;
};

/// IPv4 address in host order: 10.0.0.1 is 0x0A000001.
struct Ipv4Address {
  std::uint32_t value = 0;

  friend constexpr bool operator==(const Ipv4Address&, const Ipv4Address&) = default;
};

/// IPv6 address, first transmitted octet first.
struct Ipv6Address {
  std::array<std::uint8_t, 16> octets{};

  friend constexpr bool operator==(const Ipv6Address&, const Ipv6Address&) = default;
};

/// A port's global identifier has the form of an IPv6 address.
//= ibta-1.7 4.1.1
using Gid = Ipv6Address;

/// The GID of a RoCEv2 port with an IPv4 address: ::ffff:a.b.c.d.
//= ibta-1.7 A17
[[nodiscard]] constexpr Gid gid_of(Ipv4Address address) {
  Gid gid;
  gid.octets[10] = gid.octets[11] = 0xFF;
  for (unsigned i = 0; i < 4; ++i) {
    gid.octets[12 + i] = static_cast<std::uint8_t>(address.value >> (24 - 8 * i));
  }
  return gid;
}

/// "02:00:00:00:00:01".
[[nodiscard]] std::string to_string(const MacAddress& address);
/// "10.0.0.1".
[[nodiscard]] std::string to_string(Ipv4Address address);
/// The canonical text: lower case, the longest run of zero groups as "::", a mapped IPv4 address as "::ffff:10.0.0.1".
//= rfc5952 4
[[nodiscard]] std::string to_string(const Ipv6Address& address);

}  // namespace weft::wire
