// A probability as a fixed-point fraction: exact 0 and 1, the same on every platform.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>

#include "base/assert.h"
#include "base/int128.h"

namespace weft {

/// A number in [0, 1] in units of 2^-63.
class Probability {
 public:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 63;

  /// An exact quotient; a struct, so that the two cannot be exchanged unseen.
  struct Ratio {
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
  };

  constexpr Probability() = default;
  /// `raw` <= 2^63.
  static constexpr Probability from_raw(std::uint64_t raw) {
    WEFT_ASSERT(raw <= kOne);
    return Probability(raw);
  }
  /// Rounded to the nearest unit. 0 <= numerator <= denominator, denominator > 0.
  static constexpr Probability from_ratio(Ratio ratio) {
    WEFT_ASSERT(ratio.denominator > 0 && ratio.numerator <= ratio.denominator);
    const auto scaled = (static_cast<Uint128>(ratio.numerator) << 63) + ratio.denominator / 2;
    return Probability(static_cast<std::uint64_t>(scaled / ratio.denominator));
  }
  static constexpr Probability zero() { return Probability(0); }
  static constexpr Probability one() { return Probability(kOne); }

  [[nodiscard]] constexpr std::uint64_t raw() const { return raw_; }
  [[nodiscard]] constexpr Probability complement() const { return Probability(kOne - raw_); }

  friend constexpr auto operator<=>(Probability, Probability) = default;
  /// Both of two independent events, rounded down.
  friend constexpr Probability operator*(Probability a, Probability b) {
    return Probability(static_cast<std::uint64_t>((static_cast<Uint128>(a.raw_) * b.raw_) >> 63));
  }

 private:
  explicit constexpr Probability(std::uint64_t raw) : raw_(raw) {}
  std::uint64_t raw_ = 0;
};

/// The text of base/format_quantity.h, so that a failed test prints it.
std::ostream& operator<<(std::ostream& out, Probability value);

}  // namespace weft
