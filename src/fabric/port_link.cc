#include "fabric/port_link.h"

namespace weft::fabric {

void PortLink::set_rate(Rate value) {
  constexpr std::int64_t kPicosecondBits = 8'000'000'000'000;
  rate = value;
  const std::int64_t bits = value.bits_per_second();
  const bool whole = bits > 0 && kPicosecondBits % bits == 0 && kPicosecondBits / bits <= 0xFFFF;
  picoseconds_per_byte = whole ? static_cast<std::uint16_t>(kPicosecondBits / bits) : std::uint16_t{0};
}

}  // namespace weft::fabric
