// Two sets of DCQCN parameters for tests and benchmarks. Scenarios take theirs from share/catalogue/protocols.toml.
#pragma once

#include "transport/congestion/dcqcn.h"

namespace weft::transport {

// Paper, sections 5 and 6: K and the increase timer 55 us, byte counter 10 MB, F 5, g 1/256, RAI 40 Mb/s, CNPs 50 us
// apart. It names no hyper increase (ten times RAI here) and no minimum (the firmware's here).
[[nodiscard]] inline DcqcnParameters dcqcn_paper(Rate line) {
  using namespace literals;
  return {.line_rate = line,
          .minimum_rate = 1_mbps,
          .additive_increase = 40_mbps,
          .hyper_increase = 400_mbps,
          .alpha_timer = 55_us,
          .decrease_interval = Duration::zero(),
          .increase_timer = 55_us,
          .byte_counter = 10_mb,
          .fast_recovery_threshold = 5,
          .gain = Probability::from_ratio({.numerator = 1, .denominator = 256}),
          .cnp_interval = 50_us};
}

// NVIDIA's DCQCN parameters: DCE_TCP_RTT 1, RATE_REDUCE_MONITOR_PERIOD 4, RPG_TIME_RESET 300, RPG_BYTE_RESET 32767
// units of 64 bytes, RPG_THRESHOLD 1, DCE_TCP_G 1019, RPG_AI_RATE 5, RPG_HAI_RATE 50, RPG_MIN_RATE 1,
// INITIAL_ALPHA 1023, RPG_MIN_DEC_FAC 50, CLAMP_TGT_RATE_AFTER_TIME_INC 1, MIN_TIME_BETWEEN_CNPS 4.
[[nodiscard]] inline DcqcnParameters dcqcn_connectx(Rate line) {
  using namespace literals;
  return {.line_rate = line,
          .minimum_rate = 1_mbps,
          .additive_increase = 5_mbps,
          .hyper_increase = 50_mbps,
          .alpha_timer = 1_us,
          .decrease_interval = 4_us,
          .increase_timer = 300_us,
          .byte_counter = Bytes(32'767 * 64),
          .fast_recovery_threshold = 1,
          .gain = Probability::from_ratio({.numerator = 1024 - 1019, .denominator = 1024}),
          .initial_alpha = Probability::from_ratio({.numerator = 1023, .denominator = 1024}),
          .target_clamp = TargetClamp::kAfterTimeIncrease,
          .hyper_steps = HyperIncrease::kConstant,
          .cnp_interval = 4_us};
}

}  // namespace weft::transport
