// Packet sequence number: 24-bit serial arithmetic as InfiniBand's transports count packets and messages.
//
// A difference lies in [-2^23, 2^23 - 1]; comparisons are by that difference, so they hold only between numbers less
// than 2^23 apart, which the transport's window guarantees. The same arithmetic serves MSN and SSN (message numbers).
#pragma once

#include <cstdint>
#include <iosfwd>

namespace weft {

//= ibta-1.7 9.7.1
class Psn {
 public:
  static constexpr std::uint32_t kModulus = 1U << 24;
  static constexpr std::uint32_t kMask = kModulus - 1;
  /// Half the number space: a window of this many numbers is the largest in which order is defined.
  static constexpr std::int32_t kHalf = 1 << 23;

  constexpr Psn() = default;
  /// Takes the low 24 bits.
  explicit constexpr Psn(std::uint32_t value) : value_(value & kMask) {}

  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }

  friend constexpr bool operator==(Psn, Psn) = default;
  /// Signed distance from b to a, in [-2^23, 2^23 - 1].
  friend constexpr std::int32_t operator-(Psn a, Psn b) {
    const auto shifted = (a.value_ - b.value_) << 8;
    return static_cast<std::int32_t>(shifted) >> 8;
  }
  friend constexpr Psn operator+(Psn p, std::int64_t n) {
    return Psn(static_cast<std::uint32_t>(p.value_ + static_cast<std::uint64_t>(n)));
  }
  friend constexpr Psn operator-(Psn p, std::int64_t n) { return p + -n; }
  constexpr Psn& operator++() { return *this = *this + 1; }
  constexpr Psn& operator+=(std::int64_t n) { return *this = *this + n; }
  constexpr Psn& operator-=(std::int64_t n) { return *this = *this - n; }
  friend constexpr bool operator<(Psn a, Psn b) { return a - b < 0; }
  friend constexpr bool operator>(Psn a, Psn b) { return a - b > 0; }
  friend constexpr bool operator<=(Psn a, Psn b) { return a - b <= 0; }
  friend constexpr bool operator>=(Psn a, Psn b) { return a - b >= 0; }

 private:
  std::uint32_t value_ = 0;
};

std::ostream& operator<<(std::ostream& out, Psn value);

}  // namespace weft
