// When a switch may forward a packet.
#pragma once

#include <cstdint>

namespace weft::fabric {

enum class Forwarding : std::uint8_t { kStoreAndForward, kCutThrough };

}  // namespace weft::fabric
