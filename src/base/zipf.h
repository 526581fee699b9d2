// The Zipf distribution: item k of 1..n is drawn with a probability proportional to k^-s.
//
// A table of n cumulative 64-bit weights and a binary search; the weights come from integer powers of two
// (base/fixed_log.h), so draws are the same on every platform. Each probability is within (s + 1) * 2^-47
// of the exact one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/probability.h"
#include "base/random.h"
#include "base/result.h"

namespace weft {

class Zipf {
 public:
  /// The exponent s as a quotient: {6, 5} is 1.2.
  struct Exponent {
    std::uint32_t numerator = 1;
    std::uint32_t denominator = 1;
  };
  struct Options {
    std::uint32_t items = 1;
    Exponent exponent;
  };
  static constexpr std::uint32_t kMaxItems = 1U << 24;
  static constexpr std::uint32_t kMaxExponent = 16;

  /// Refuses 0 or more than 2^24 items, a zero denominator, an exponent of 16 or more. An exponent of 0 is uniform.
  [[nodiscard]] static Result<Zipf> make(Options options);

  /// A number in [0, items); 0 is the most frequent. Uses one 64-bit draw.
  [[nodiscard]] std::uint32_t sample(RandomStream& random) const;

  /// The probability of `item`, rounded to 2^-63.
  [[nodiscard]] Probability probability(std::uint32_t item) const;

  [[nodiscard]] std::size_t heap_bytes() const { return cumulative_.capacity() * sizeof(std::uint64_t); }

 private:
  explicit Zipf(std::vector<std::uint64_t> cumulative) : cumulative_(std::move(cumulative)) {}

  /// Probability of the items up to and including this one, in units of 2^-63; the last is 2^63.
  std::vector<std::uint64_t> cumulative_;
};

}  // namespace weft
