// Whether two P_Keys match.
#pragma once

#include <cstdint>

namespace weft::transport {

/// The low 15 bits name the partition, the top bit is full membership: same partition, and at least one of the two a
/// full member. A key whose low 15 bits are 0 names none.
//= ibta-1.7 9.6.1.1.1
[[nodiscard]] constexpr bool partitions_match(std::uint16_t a, std::uint16_t b) {
  return ((a ^ b) & 0x7FFF) == 0 && ((a | b) & 0x8000) != 0 && (a & 0x7FFF) != 0;
}

}  // namespace weft::transport
