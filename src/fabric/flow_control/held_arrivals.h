// Credits that an endpoint holds back, because its receive buffer had no room for what came in: per packet, in order of
// arrival, and so in order of time.
#pragma once

#include <cstdint>

#include "base/ring.h"
#include "base/time.h"

namespace weft::fabric {

struct HeldArrival {
  Time until;  // then its credits are given back
  std::uint32_t credits = 0;
  std::uint8_t lane = 0;  // priority, or virtual lane
};

using HeldArrivals = Ring<HeldArrival>;

}  // namespace weft::fabric
