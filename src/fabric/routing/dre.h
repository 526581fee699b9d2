// Discounting rate estimator: the load of a link, as a register that grows by what is sent and decays with time.
//
// The register X grows by the bytes of each packet and is multiplied by 1 - alpha once per period T. Of traffic at rate
// R it holds about R x tau bytes, with tau = T / alpha, so X / (C tau) is the utilisation of a link of rate C.
// Quantised to Q bits: 2^Q - 1 is the most. Periods are those of the run's clock; nothing happens between packets.
// Source: Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for Datacenters", SIGCOMM 2014, 3.2.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "base/int128.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::fabric {

struct DreOptions {
  Duration period = 16_us;                                                           // T, above zero
  Probability alpha = Probability::from_ratio({.numerator = 1, .denominator = 10});  // above zero
  std::uint8_t bits = 3;                                                             // Q: 1 to 8
};

class Dre {
 public:
  /// `now` does not go back.
  void add(std::uint32_t bytes, const DreOptions& options, Time now) {
    decay(options, now);
    register_ += std::uint64_t{bytes} << kFractionBits;
  }
  /// 0 to 2^bits - 1, of a link of that rate.
  [[nodiscard]] std::uint8_t metric(Rate rate, const DreOptions& options, Time now) {
    decay(options, now);
    const auto full = static_cast<Uint128>(rate.bytes_in(options.period).count()) << (63 + kFractionBits);
    const auto scaled = (static_cast<Uint128>(register_) * options.alpha.raw()) << options.bits;
    const auto most = (std::uint64_t{1} << options.bits) - 1;
    return static_cast<std::uint8_t>(std::min<Uint128>(scaled / full, most));
  }

 private:
  static constexpr std::uint32_t kFractionBits = 8;

  void decay(const DreOptions& options, Time now) {
    const std::int64_t period = now.since_start() / options.period;
    WEFT_DCHECK(period >= period_);
    for (; period_ < period && register_ != 0; ++period_) {
      register_ = static_cast<std::uint64_t>(static_cast<Uint128>(register_) * options.alpha.complement().raw() >> 63);
    }
    period_ = period;
  }

  std::uint64_t register_ = 0;  // bytes, in units of 2^-kFractionBits
  std::int64_t period_ = 0;     // up to which it has decayed
};

}  // namespace weft::fabric
