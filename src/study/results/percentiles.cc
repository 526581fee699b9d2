#include "study/results/percentiles.h"

#include "base/assert.h"
#include "base/format_quantity.h"
#include "base/int128.h"

namespace weft::study::results {

std::size_t percentile_rank(Probability share, std::size_t count) {
  WEFT_ASSERT(count > 0);
  // 99.9 % is not a whole number of units: a share that is rounded up must not ask for one value more.
  const Uint128 exact = static_cast<Uint128>(share.raw()) * count;
  const Uint128 scaled = exact > count ? exact - count : 0;
  const auto needed = static_cast<std::size_t>((scaled + Probability::kOne - 1) / Probability::kOne);
  return needed == 0 ? 0 : needed - 1;
}

// In units of the largest share / 2^20, so that squares of any rate can be added up exactly.
std::optional<double> jain_index(std::span<const Rate> shares) {
  std::int64_t largest = 0;
  for (const Rate share : shares) {
    largest = std::max(largest, share.bits_per_second());
  }
  if (largest == 0) {
    return std::nullopt;
  }
  constexpr std::uint64_t kScale = 1 << 20;
  Uint128 sum = 0;
  Uint128 squares = 0;
  for (const Rate share : shares) {
    const auto scaled = static_cast<std::uint64_t>(static_cast<Uint128>(share.bits_per_second()) * kScale /
                                                   static_cast<std::uint64_t>(largest));
    sum += scaled;
    squares += static_cast<Uint128>(scaled) * scaled;
  }
  return static_cast<double>(sum) * static_cast<double>(sum) /
         (static_cast<double>(shares.size()) * static_cast<double>(squares));
}

std::string percentile_name(Probability share) {
  std::string text = "p" + to_string(share);
  text.pop_back();  // the sign for percent
  return text;
}

}  // namespace weft::study::results
