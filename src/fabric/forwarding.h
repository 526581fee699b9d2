// When a switch may pass a packet on.
#pragma once

#include <cstdint>

namespace weft::fabric {

enum class Forwarding : std::uint8_t { kStoreAndForward, kCutThrough };

}  // namespace weft::fabric
