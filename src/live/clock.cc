#include "live/clock.h"

#include <time.h>

namespace weft::live {
namespace {

std::int64_t monotonic_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Clock::Clock() : start_nanoseconds_(monotonic_nanoseconds()) {}

Time Clock::now() const { return Time::zero() + Duration::nanoseconds(monotonic_nanoseconds() - start_nanoseconds_); }

}  // namespace weft::live
