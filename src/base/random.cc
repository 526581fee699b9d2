#include "base/random.h"

#include "base/stable_hash.h"

namespace weft {
namespace {

Xoshiro256::State state_from(std::uint64_t seed) {
  // SplitMix64 is a bijection of a counter: four calls in a row are never all zero.
  SplitMix64 mix(seed);
  Xoshiro256::State state{};
  for (auto& word : state.words) {
    word = mix.next();
  }
  return state;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
    : generator_(state_from(stable_hash(seed, name))) {}

std::int64_t RandomStream::uniform_between(IntegerRange range) {
  WEFT_DCHECK(range.low <= range.high);
  const auto low = static_cast<std::uint64_t>(range.low);
  const std::uint64_t width = static_cast<std::uint64_t>(range.high) - low;
  // A width of 2^64 values has no representation; it needs no reduction either.
  const std::uint64_t offset = width + 1 == 0 ? next() : uniform(width + 1);
  return static_cast<std::int64_t>(low + offset);
}

}  // namespace weft
