// Ranges that keys share, in the smallest step of their type.
#pragma once

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "study/scenario/key.h"
#include "study/scenario/quantities.h"

namespace weft::study::scenario {

[[nodiscard]] constexpr KeyRange between(Duration low, Duration high) {
  return {.low = low.picoseconds(), .high = high.picoseconds()};
}
[[nodiscard]] constexpr KeyRange between(Bytes low, Bytes high) { return {.low = low.count(), .high = high.count()}; }
[[nodiscard]] constexpr KeyRange between(Rate low, Rate high) {
  return {.low = low.bits_per_second(), .high = high.bits_per_second()};
}

/// A stage of a device or a delay on the way.
inline constexpr KeyRange kLatency = between(Duration::zero(), Duration::seconds(1));
/// A point or a span of simulated time.
inline constexpr KeyRange kSpan = between(Duration::zero(), Duration::seconds(1'000'000));
inline constexpr KeyRange kTimer = between(Duration::nanoseconds(1), Duration::seconds(10));
/// Of a port.
inline constexpr KeyRange kPortRate =
    between(Rate::bits_per_second(1'000'000), Rate::bits_per_second(10'000'000'000'000));
inline constexpr KeyRange kAnyRate = between(Rate::bits_per_second(1), Rate::bits_per_second(10'000'000'000'000));
/// Memory of a device; a port's queue counts in 32 bits.
inline constexpr KeyRange kBuffer = between(Bytes::zero(), Bytes(4'000'000'000));
inline constexpr KeyRange kMessage = between(Bytes(1), Bytes(std::int64_t{1} << 40));
inline constexpr KeyRange kPriority = {.low = 0, .high = 7};
inline constexpr KeyRange kNonNegative = {.low = 0, .high = 1'000'000'000};
inline constexpr KeyRange kPositive = {.low = 1, .high = 1'000'000'000};
inline constexpr KeyRange kDevices = {.low = 0, .high = 1'000'000};
inline constexpr KeyRange kPerDevice = {.low = 1, .high = 1'024};
inline constexpr KeyRange kLength = {.low = 0, .high = 100'000'000};
inline constexpr KeyRange kPower = {.low = 0, .high = 1'000'000'000};
inline constexpr KeyRange kMoney = {.low = 0, .high = 1'000'000'000'000};

}  // namespace weft::study::scenario
