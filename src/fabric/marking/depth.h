// Depths of queues as markers keep them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/data_size.h"

namespace weft::fabric {

/// Bytes in 32 bits: what is below zero is zero, what is above 4 GiB - 1 is that.
[[nodiscard]] constexpr std::uint32_t depth_of(Bytes bytes) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes.count(), 0, kMax));
}

}  // namespace weft::fabric
