// The coded times of reliable connections: local ACK timeout and RNR timer.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace weft::transport {

/// Local ACK timeout of a 5-bit code: 4.096 us * 2^code; code 0 = Duration::max(), never.
//= ibta-1.7 9.7.6.1.3
[[nodiscard]] constexpr Duration ack_timeout(std::uint8_t code) {
  return code == 0 ? Duration::max() : Duration::nanoseconds(4'096) * (std::int64_t{1} << (code & 31));
}

}  // namespace weft::transport
