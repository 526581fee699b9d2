// Errors of one direction of a cable: whether a packet comes through undamaged.
//
// Errors of bits are independent; packets may also be hit as a whole, whatever their length. The chance of a whole
// packet is computed in fixed point, so that it is the same on every platform; one number is drawn per packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/probability.h"

namespace weft::fabric {

class BitErrors {
 public:
  /// `seed` is f(run, stable name of the direction).
  BitErrors(Probability bit_error_rate, std::uint64_t seed, Probability packet_error_rate = Probability::zero());

  /// Whether a packet of `bytes` on the wire (up to 65535) arrives damaged.
  [[nodiscard]] bool damages(std::uint32_t bytes);
  /// The chance of that.
  [[nodiscard]] Probability damage_probability(std::uint32_t bytes) const;
  /// From now on; what is drawn goes on where it was.
  void set_bit_error_rate(Probability rate);

 private:
  std::array<Probability, 20> survival_;  // of 2^i bits
  Probability packet_error_rate_;
  std::uint64_t state_;
};

/// Of a list by link, which may be empty.
[[nodiscard]] inline Probability rate_of_link(const std::vector<Probability>& rates, std::size_t link) {
  return link < rates.size() ? rates[link] : Probability::zero();
}

}  // namespace weft::fabric
