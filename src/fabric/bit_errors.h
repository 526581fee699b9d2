// Bit errors of one direction of a cable: whether a packet comes through undamaged.
//
// Errors of bits are independent. The chance of a whole packet is computed in fixed point, so that it is the same on
// every platform; one number is drawn per packet.
#pragma once

#include <array>
#include <cstdint>

#include "base/probability.h"

namespace weft::fabric {

class BitErrors {
 public:
  /// `seed` is f(run, stable name of the direction).
  BitErrors(Probability bit_error_rate, std::uint64_t seed);

  /// Whether a packet of `bytes` on the wire (up to 65535) arrives damaged.
  [[nodiscard]] bool damages(std::uint32_t bytes);
  /// The chance of that.
  [[nodiscard]] Probability damage_probability(std::uint32_t bytes) const;

 private:
  std::array<Probability, 20> survival_;  // of 2^i bits
  std::uint64_t state_;
};

}  // namespace weft::fabric
