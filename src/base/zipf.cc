#include "base/zipf.h"

#include <algorithm>

#include "base/assert.h"
#include "base/fixed_log.h"
#include "base/int128.h"

namespace weft {
namespace {

// k^-s = 2^(-s log2 k), in Q63.
std::uint64_t weight(std::uint64_t k, Zipf::Exponent s) {
  const auto power = static_cast<Uint128>(log2_q48(k)) * s.numerator / s.denominator;
  return exp2_minus_q63(static_cast<std::uint64_t>(power));
}

// part * 2^63 / total, rounded down, in two steps because the product can have 150 bits. part <= total < 2^87.
std::uint64_t share_q63(Uint128 part, Uint128 total) {
  WEFT_ASSERT(part <= total && total != 0);
  const Uint128 upper = (part << 40) / total;
  const Uint128 rest = (part << 40) % total;
  return static_cast<std::uint64_t>((upper << 23) + (rest << 23) / total);
}

}  // namespace

Result<Zipf> Zipf::make(Options options) {
  const auto [items, exponent] = options;
  if (items == 0 || items > kMaxItems) {
    return fail("a Zipf distribution over {} items; from 1 to {}", items, kMaxItems);
  }
  if (exponent.denominator == 0 || exponent.numerator / exponent.denominator >= kMaxExponent) {
    return fail("Zipf exponent {}/{} is out of range; from 0 to below {}", exponent.numerator, exponent.denominator,
                kMaxExponent);
  }
  std::vector<std::uint64_t> weights(items);
  Uint128 total = 0;
  for (std::uint32_t i = 0; i < items; ++i) {
    weights[i] = weight(i + 1, exponent);
    total += weights[i];
  }
  Uint128 sum = 0;
  for (auto& entry : weights) {
    sum += entry;
    entry = share_q63(sum, total);
  }
  return Zipf(std::move(weights));
}

std::uint32_t Zipf::sample(RandomStream& random) const {
  const auto found = std::ranges::upper_bound(cumulative_, random.next() >> 1);
  return static_cast<std::uint32_t>(found - cumulative_.begin());
}

Probability Zipf::probability(std::uint32_t item) const {
  WEFT_ASSERT(item < cumulative_.size());
  return Probability::from_raw(cumulative_[item] - (item == 0 ? 0 : cumulative_[item - 1]));
}

}  // namespace weft
