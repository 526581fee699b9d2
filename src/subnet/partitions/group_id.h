// A GID as text: eight groups of hexadecimal digits, of which "::" stands for some that are zero.
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

}  // namespace weft::subnet
