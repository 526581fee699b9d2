// Simulated time: a point (Time) and a span (Duration), both int64 picoseconds.
//
// The range is +-106 days. Only operators with a physical meaning exist: Time + Time does not compile. Arithmetic is
// plain integer arithmetic; a result outside the range is a programmer's error (checked in debug builds by UBSan).
// Time::never() is later than every other time and marks "no deadline"; nothing may be added to it.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>

#include "base/assert.h"

namespace weft {

/// A span of time in whole picoseconds; may be negative.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration picoseconds(std::int64_t count) { return Duration(count); }
  static constexpr Duration nanoseconds(std::int64_t count) { return Duration(count * 1'000); }
  static constexpr Duration microseconds(std::int64_t count) { return Duration(count * 1'000'000); }
  static constexpr Duration milliseconds(std::int64_t count) { return Duration(count * 1'000'000'000); }
  static constexpr Duration seconds(std::int64_t count) { return Duration(count * 1'000'000'000'000); }
  static constexpr Duration zero() { return Duration(0); }
  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return picoseconds_; }
  /// For display and statistics only: never feed the result back into simulated time.
  [[nodiscard]] constexpr double seconds() const { return static_cast<double>(picoseconds_) * 1e-12; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.picoseconds_ + b.picoseconds_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.picoseconds_ - b.picoseconds_); }
  friend constexpr Duration operator-(Duration a) { return Duration(-a.picoseconds_); }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return Duration(a.picoseconds_ * n); }
  friend constexpr Duration operator*(std::int64_t n, Duration a) { return a * n; }
  /// Rounds towards zero.
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return Duration(a.picoseconds_ / n); }
  /// How many whole `b` fit into `a`.
  friend constexpr std::int64_t operator/(Duration a, Duration b) { return a.picoseconds_ / b.picoseconds_; }
  friend constexpr Duration operator%(Duration a, Duration b) { return Duration(a.picoseconds_ % b.picoseconds_); }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration& operator-=(Duration other) { return *this = *this - other; }

 private:
  explicit constexpr Duration(std::int64_t count) : picoseconds_(count) {}
  std::int64_t picoseconds_ = 0;
};

/// A point in simulated time, counted from the start of the run. Negative values exist only as "before the start".
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time from_picoseconds(std::int64_t count) { return Time(count); }
  static constexpr Time zero() { return Time(0); }
  /// Later than every other time: no deadline.
  static constexpr Time never() { return Time(std::numeric_limits<std::int64_t>::max()); }

  [[nodiscard]] constexpr std::int64_t picoseconds() const { return picoseconds_; }
  [[nodiscard]] constexpr Duration since_start() const { return Duration::picoseconds(picoseconds_); }
  [[nodiscard]] constexpr bool is_never() const { return *this == never(); }

  friend constexpr auto operator<=>(Time, Time) = default;
  friend constexpr Time operator+(Time t, Duration d) {
    WEFT_DCHECK(!t.is_never());
    return Time(t.picoseconds_ + d.picoseconds());
  }
  friend constexpr Time operator+(Duration d, Time t) { return t + d; }
  friend constexpr Time operator-(Time t, Duration d) {
    WEFT_DCHECK(!t.is_never());
    return Time(t.picoseconds_ - d.picoseconds());
  }
  friend constexpr Duration operator-(Time a, Time b) { return Duration::picoseconds(a.picoseconds_ - b.picoseconds_); }
  constexpr Time& operator+=(Duration d) { return *this = *this + d; }
  constexpr Time& operator-=(Duration d) { return *this = *this - d; }

 private:
  explicit constexpr Time(std::int64_t count) : picoseconds_(count) {}
  std::int64_t picoseconds_ = 0;
};

[[nodiscard]] constexpr Time earlier(Time a, Time b) { return a < b ? a : b; }
[[nodiscard]] constexpr Time later(Time a, Time b) { return a < b ? b : a; }

/// The text of base/format_quantity.h, so that a failed test prints it.
std::ostream& operator<<(std::ostream& out, Duration value);
std::ostream& operator<<(std::ostream& out, Time value);

inline namespace literals {
constexpr Duration operator""_ps(unsigned long long n) { return Duration::picoseconds(static_cast<std::int64_t>(n)); }
constexpr Duration operator""_ns(unsigned long long n) { return Duration::nanoseconds(static_cast<std::int64_t>(n)); }
constexpr Duration operator""_us(unsigned long long n) { return Duration::microseconds(static_cast<std::int64_t>(n)); }
constexpr Duration operator""_ms(unsigned long long n) { return Duration::milliseconds(static_cast<std::int64_t>(n)); }
constexpr Duration operator""_s(unsigned long long n) { return Duration::seconds(static_cast<std::int64_t>(n)); }
}  // namespace literals

}  // namespace weft
