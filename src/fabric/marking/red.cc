#include "fabric/marking/red.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/random.h"
#include "fabric/marking/depth.h"

namespace weft::fabric {
Red::Red(const RedOptions& options, std::uint64_t seed)
    : kmin_(depth_of(options.kmin)), kmax_(depth_of(options.kmax)), state_(seed) {
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
