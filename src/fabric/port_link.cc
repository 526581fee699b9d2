#include "fabric/port_link.h"

namespace weft::fabric {

std::uint16_t whole_picoseconds_per_byte(Rate rate) {
  constexpr std::int64_t kPicosecondBits = 8'000'000'000'000;
  const std::int64_t bits = rate.bits_per_second();
  const bool whole = bits > 0 && kPicosecondBits % bits == 0 && kPicosecondBits / bits <= 0xFFFF;
  return whole ? static_cast<std::uint16_t>(kPicosecondBits / bits) : std::uint16_t{0};
}

}  // namespace weft::fabric
