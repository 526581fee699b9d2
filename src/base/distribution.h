// Random quantities (Duration or Bytes): constant, uniform, exponential, or from a table.
//
// All arithmetic is integer; a stream in a given state yields the same values on every platform. Each distribution is
// a small immutable value made by `make`, which refuses parameters it cannot honour; `sample` never fails.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "base/cdf_table.h"
#include "base/data_size.h"
#include "base/format_quantity.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"

namespace weft {

/// How a quantity becomes the int64 that distributions calculate with, and back.
template <class Quantity>
struct QuantityCount;

template <>
struct QuantityCount<Duration> {
  static constexpr std::int64_t to_count(Duration value) { return value.picoseconds(); }
  static constexpr Duration from_count(std::int64_t count) { return Duration::picoseconds(count); }
};

template <>
struct QuantityCount<Bytes> {
  static constexpr std::int64_t to_count(Bytes value) { return value.count(); }
  static constexpr Bytes from_count(std::int64_t count) { return Bytes(count); }
};

/// A draw from the exponential distribution of mean `mean` (0 <= mean <= kMaxExponentialMean), rounded to nearest.
/// The largest possible value is mean * 64 * ln 2, about 44 means. Uses one 64-bit draw.
[[nodiscard]] std::int64_t sample_exponential(std::int64_t mean, RandomStream& random);
inline constexpr std::int64_t kMaxExponentialMean = std::numeric_limits<std::int64_t>::max() / 64;

/// Always the same value; draws nothing.
template <class Quantity>
class Constant {
 public:
  explicit constexpr Constant(Quantity value) : value_(value) {}
  [[nodiscard]] constexpr Quantity mean() const { return value_; }
  [[nodiscard]] constexpr Quantity sample(RandomStream&) const { return value_; }

 private:
  Quantity value_;
};

/// Every whole step (picosecond, byte) from low to high, both included, equally likely.
template <class Quantity>
class Uniform {
 public:
  struct Range {
    Quantity low;
    Quantity high;
  };

  [[nodiscard]] static Result<Uniform> make(Range range) {
    if (range.high < range.low) {
      return fail("uniform distribution from {} to {}: the first must not be larger", range.low, range.high);
    }
    return Uniform({.low = Count::to_count(range.low), .high = Count::to_count(range.high)});
  }

  /// Rounded towards the low end.
  [[nodiscard]] Quantity mean() const {
    const auto width = static_cast<std::uint64_t>(range_.high) - static_cast<std::uint64_t>(range_.low);
    return Count::from_count(range_.low + static_cast<std::int64_t>(width / 2));
  }
  [[nodiscard]] Quantity sample(RandomStream& random) const {
    return Count::from_count(random.uniform_between(range_));
  }

 private:
  using Count = QuantityCount<Quantity>;
  explicit Uniform(IntegerRange range) : range_(range) {}
  IntegerRange range_;
};

/// Time between the events of a Poisson process, or sizes of the same shape.
template <class Quantity>
class Exponential {
 public:
  [[nodiscard]] static Result<Exponential> make(Quantity mean) {
    const auto count = Count::to_count(mean);
    if (count < 0 || count > kMaxExponentialMean) {
      return fail("mean {} of an exponential distribution is out of range; from 0 to {}", mean,
                  Count::from_count(kMaxExponentialMean));
    }
    return Exponential(count);
  }

  [[nodiscard]] Quantity mean() const { return Count::from_count(mean_); }
  [[nodiscard]] Quantity sample(RandomStream& random) const {
    return Count::from_count(sample_exponential(mean_, random));
  }

 private:
  using Count = QuantityCount<Quantity>;
  explicit Exponential(std::int64_t mean) : mean_(mean) {}
  std::int64_t mean_;
};

/// Values from a measured distribution function; see base/cdf_table.h.
template <class Quantity>
class Empirical {
 public:
  /// The table's values are counts of picoseconds or bytes.
  explicit Empirical(CdfTable table) : table_(std::move(table)) {}

  [[nodiscard]] Quantity mean() const { return Count::from_count(table_.mean()); }
  [[nodiscard]] Quantity sample(RandomStream& random) const { return Count::from_count(table_.sample(random)); }

 private:
  using Count = QuantityCount<Quantity>;
  CdfTable table_;
};

/// Any of the above, for a parameter that a scenario may give in several ways.
template <class Quantity>
using Distribution = std::variant<Constant<Quantity>, Uniform<Quantity>, Exponential<Quantity>, Empirical<Quantity>>;

template <class Quantity>
[[nodiscard]] Quantity sample(const Distribution<Quantity>& distribution, RandomStream& random) {
  return std::visit([&random](const auto& kind) { return kind.sample(random); }, distribution);
}

/// The expected value, exact up to rounding to a whole step.
template <class Quantity>
[[nodiscard]] Quantity mean(const Distribution<Quantity>& distribution) {
  return std::visit([](const auto& kind) { return kind.mean(); }, distribution);
}

}  // namespace weft
