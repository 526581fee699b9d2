#include "base/distribution.h"

#include "base/assert.h"
#include "base/fixed_log.h"
#include "base/int128.h"

namespace weft {
namespace {

/// ln(2^64) in Q48, rounded to nearest.
constexpr std::uint64_t kLnOf2To64Q48 = 0x2c5c85fdf473de;

}  // namespace

std::int64_t sample_exponential(std::int64_t mean, RandomStream& random) {
  WEFT_DCHECK(mean >= 0 && mean <= kMaxExponentialMean);
  // -ln(u) for u = (bits + 1) / 2^64, uniform in (0, 1]; the sum wraps to 0 for u = 1.
  const std::uint64_t numerator = random.next() + 1;
  const std::uint64_t log = numerator == 0 ? kLnOf2To64Q48 : ln_q48(numerator);
  const std::uint64_t deviate = kLnOf2To64Q48 > log ? kLnOf2To64Q48 - log : 0;
  const auto product = static_cast<Uint128>(deviate) * static_cast<std::uint64_t>(mean);
  return static_cast<std::int64_t>((product + (std::uint64_t{1} << (kQ48Bits - 1))) >> kQ48Bits);
}

}  // namespace weft
