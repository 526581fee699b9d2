// Normal noise for tests: Box and Muller, from a seed.
#pragma once

#include <cmath>
#include <numbers>

#include "base/random.h"

namespace weft::study::sweep {

class TestNoise {
 public:
  explicit TestNoise(std::uint64_t seed) : random_(seed, "test noise") {}
  double next() {
    const double a = uniform();
    const double b = uniform();
    return std::sqrt(-2 * std::log(a)) * std::cos(2 * std::numbers::pi * b);
  }

 private:
  double uniform() { return (static_cast<double>(random_.next() >> 11) + 0.5) * 0x1p-53; }
  RandomStream random_;
};

}  // namespace weft::study::sweep
