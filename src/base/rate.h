// Data rates in bits per second, and the time a rate needs for an amount of data.
//
// kbps, Mbps, Gbps, Tbps are powers of 1000. Range 0 to 9.2e18 bit/s. Times are rounded up to the next picosecond
// in 128-bit arithmetic (docs/decisions: rounding of serialisation time), so that a link never sends faster than
// its rate and the result does not depend on the platform.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>

#include "base/assert.h"
#include "base/data_size.h"
#include "base/int128.h"
#include "base/time.h"

namespace weft {

/// A data rate; 0 means that nothing is ever sent.
class Rate {
 public:
  constexpr Rate() = default;
  static constexpr Rate bits_per_second(std::int64_t count) { return Rate(count); }
  static constexpr Rate zero() { return Rate(0); }
  static constexpr Rate max() { return Rate(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t bits_per_second() const { return bits_per_second_; }

  /// Time to put `size` (>= 0) on a wire of this rate, rounded up to a picosecond. The rate must not be zero and the
  /// time must be representable.
  [[nodiscard]] constexpr Duration transmit_time(Bytes size) const {
    WEFT_DCHECK(bits_per_second_ > 0 && size >= Bytes::zero());
    const auto rate = static_cast<std::uint64_t>(bits_per_second_);
    // Every packet takes this path: the sum stays below 2^64, and a 64-bit division is several times faster.
    if (size.count() <= kNarrowBytes) {
      const auto scaled = static_cast<std::uint64_t>(size.count()) * 8 * kPicosecondsPerSecond;
      return Duration::picoseconds(static_cast<std::int64_t>((scaled + rate - 1) / rate));
    }
    const auto scaled = static_cast<Uint128>(size.count()) * 8 * kPicosecondsPerSecond;
    const auto time = (scaled + rate - 1) / rate;
    WEFT_DCHECK(time <= static_cast<Uint128>(std::numeric_limits<std::int64_t>::max()));
    return Duration::picoseconds(static_cast<std::int64_t>(time));
  }

  /// Whole bytes that this rate carries in `span` (>= 0), rounded down.
  [[nodiscard]] constexpr Bytes bytes_in(Duration span) const {
    WEFT_DCHECK(span >= Duration::zero());
    const auto product = static_cast<Uint128>(bits_per_second_) * static_cast<std::uint64_t>(span.picoseconds());
    return Bytes(static_cast<std::int64_t>(product / (8 * kPicosecondsPerSecond)));
  }

  friend constexpr auto operator<=>(Rate, Rate) = default;
  friend constexpr Rate operator+(Rate a, Rate b) { return Rate(a.bits_per_second_ + b.bits_per_second_); }
  friend constexpr Rate operator-(Rate a, Rate b) { return Rate(a.bits_per_second_ - b.bits_per_second_); }
  friend constexpr Rate operator*(Rate a, std::int64_t n) { return Rate(a.bits_per_second_ * n); }
  friend constexpr Rate operator*(std::int64_t n, Rate a) { return a * n; }
  /// Rounds towards zero.
  friend constexpr Rate operator/(Rate a, std::int64_t n) { return Rate(a.bits_per_second_ / n); }

 private:
  static constexpr std::uint64_t kPicosecondsPerSecond = 1'000'000'000'000;
  static constexpr auto kNarrowBytes =
      static_cast<std::int64_t>(std::numeric_limits<std::int64_t>::max() / 8 / kPicosecondsPerSecond);

  explicit constexpr Rate(std::int64_t count) : bits_per_second_(count) {}
  std::int64_t bits_per_second_ = 0;
};

/// The rate at which `size` (>= 0) passes in `span` (> 0), rounded down to a bit per second; for reports.
[[nodiscard]] constexpr Rate average_rate(Bytes size, Duration span) {
  WEFT_DCHECK(size >= Bytes::zero() && span > Duration::zero());
  const auto scaled = static_cast<Int128>(size.count()) * 8 * 1'000'000'000'000;
  return Rate::bits_per_second(static_cast<std::int64_t>(scaled / span.picoseconds()));
}

/// The text of base/format_quantity.h, so that a failed test prints it.
std::ostream& operator<<(std::ostream& out, Rate value);

inline namespace literals {
constexpr Rate operator""_bps(unsigned long long n) { return Rate::bits_per_second(static_cast<std::int64_t>(n)); }
constexpr Rate operator""_kbps(unsigned long long n) { return 1'000_bps * static_cast<std::int64_t>(n); }
constexpr Rate operator""_mbps(unsigned long long n) { return 1'000'000_bps * static_cast<std::int64_t>(n); }
constexpr Rate operator""_gbps(unsigned long long n) { return 1'000'000'000_bps * static_cast<std::int64_t>(n); }
constexpr Rate operator""_tbps(unsigned long long n) { return 1'000'000'000'000_bps * static_cast<std::int64_t>(n); }
}  // namespace literals

}  // namespace weft
