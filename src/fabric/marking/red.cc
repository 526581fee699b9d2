#include "fabric/marking/red.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/random.h"

namespace weft::fabric {
namespace {

std::uint32_t narrow(Bytes bytes) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes.count(), 0, kMax));
}

}  // namespace

Red::Red(const RedOptions& options, std::uint64_t seed)
    : kmin_(narrow(options.kmin)), kmax_(narrow(options.kmax)), state_(seed) {
  WEFT_ASSERT(options.kmin <= options.kmax);
  slope_ = kmax_ > kmin_ ? options.pmax.raw() / (kmax_ - kmin_) : 0;
}

bool Red::draw(std::uint32_t depth) {
  WEFT_DCHECK(depth > kmin_ && depth <= kmax_);  // so that the product below fits 63 bits
  state_ += 0x9e3779b97f4a7c15;
  const std::uint64_t random = SplitMix64(state_).next() >> 1;
  return random < slope_ * (depth - kmin_);
}

}  // namespace weft::fabric
