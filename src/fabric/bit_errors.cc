#include "fabric/bit_errors.h"

#include "base/assert.h"
#include "base/random.h"

namespace weft::fabric {

BitErrors::BitErrors(Probability bit_error_rate, std::uint64_t seed, Probability packet_error_rate)
    : packet_error_rate_(packet_error_rate), state_(seed) {
  set_bit_error_rate(bit_error_rate);
}

void BitErrors::set_bit_error_rate(Probability rate) {
  Probability survival = rate.complement();
  for (Probability& power : survival_) {
    power = survival;
    survival = survival * survival;
  }
}

Probability BitErrors::damage_probability(std::uint32_t bytes) const {
  WEFT_DCHECK(bytes <= 0xFFFF);
  Probability intact = Probability::one();
  std::uint32_t bits = bytes * 8;
  for (std::size_t i = 0; bits != 0; ++i, bits >>= 1U) {
    if ((bits & 1U) != 0) {
      intact = intact * survival_[i];
    }
  }
  if (packet_error_rate_ > Probability::zero()) {
    intact = intact * packet_error_rate_.complement();
  }
  return intact.complement();
}

bool BitErrors::damages(std::uint32_t bytes) {
  state_ += 0x9e3779b97f4a7c15;
  return SplitMix64(state_).next() >> 1 < damage_probability(bytes).raw();
}

}  // namespace weft::fabric
