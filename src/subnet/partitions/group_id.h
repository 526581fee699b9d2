// A GID as text: eight groups of hexadecimal digits, of which "::" stands for some that are zero; the
// last two may be four decimal numbers between points.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::subnet {

using GidWords = std::array<std::uint16_t, 8>;  // the first one first

/// None: it is no GID.
[[nodiscard]] std::optional<GidWords> parse_gid(std::string_view text);

/// Whether it names a multicast group: its first byte is 0xFF.
[[nodiscard]] inline bool is_multicast(const GidWords& gid) { return gid[0] >> 8U == 0xFF; }

/// Whether it names a group of IP multicast, by IPv4 or IPv6. Source: RFC 4391, section 4.
[[nodiscard]] inline bool is_of_ip(const GidWords& gid) { return gid[1] == 0x401B || gid[1] == 0x601B; }

}  // namespace weft::subnet
