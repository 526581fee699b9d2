// The order in which oblivious spraying takes the paths: all of them once, in the order of a counter xor a mask, then
// again with another mask. Consecutive packets take different paths, and flows that began together do not stay
// together.
#pragma once

#include <bit>
#include <cstdint>

#include "base/assert.h"
#include "base/random.h"

namespace weft::transport {

class SprayCycle {
 public:
  /// `paths`: a power of two, at most 32,768.
  SprayCycle(std::uint16_t paths, RandomStream random)
      : random_(random), paths_(paths), mask_(static_cast<std::uint16_t>(random_.uniform(paths))) {
    WEFT_ASSERT(std::has_single_bit(paths));
  }

  /// Path of the next packet, below `paths`.
  [[nodiscard]] std::uint32_t current() const { return static_cast<std::uint32_t>(count_ ^ mask_); }
  void advance() {
    if (++count_ == paths_) {
      count_ = 0;
      mask_ = static_cast<std::uint16_t>(random_.uniform(paths_));
    }
  }

 private:
  RandomStream random_;
  std::uint16_t paths_;
  std::uint16_t mask_;
  std::uint16_t count_ = 0;
};

}  // namespace weft::transport
