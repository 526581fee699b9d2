// Random early detection as ECN marking uses it: the probability of a mark rises with the depth of the queue.
//
// Not below kmin, linearly up to pmax at kmax, always above kmax. The depth is that of the egress queue when the packet
// leaves it, with the packet itself and without the one on the wire.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/int128.h"
#include "base/probability.h"

namespace weft::fabric {

struct RedOptions {
  Bytes kmin;
  Bytes kmax;  // >= kmin
  Probability pmax = Probability::one();
};

/// A marker of one queue. 32 bytes; draws nothing outside kmin..kmax.
class Red {
 public:
  Red() = default;
  /// `seed` is f(run, stable name of the queue).
  Red(const RedOptions& options, std::uint64_t seed);

  /// False: marks() is false and draws nothing.
  [[nodiscard]] bool may_mark(std::uint32_t depth) const { return depth > kmin_; }
  [[nodiscard]] bool marks(std::uint32_t depth) {
    if (depth <= kmin_) [[likely]] {
      return false;
    }
    return depth > kmax_ || draw(depth);
  }

 private:
  [[nodiscard]] bool draw(std::uint32_t depth);

  std::uint32_t kmin_ = 0xFFFFFFFF;
  std::uint32_t kmax_ = 0xFFFFFFFF;
  std::uint64_t slope_ = 0;  // probability per byte above kmin, in 2^-63
  std::uint64_t state_ = 0;
};

}  // namespace weft::fabric
