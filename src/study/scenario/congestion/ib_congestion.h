// What a scenario says of InfiniBand's congestion control.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"

namespace weft::study::scenario {

struct Key;
struct Scenario;

/// [ib_congestion]
struct IbCongestionSettings {
  std::int64_t threshold = 15;    // of the switch, 0 (off) to 15 (most eager)
  std::int64_t marking_rate = 0;  // packets between two marks, on average
  std::int64_t packet_size = 8;   // 64-byte units; shorter packets are not marked
  std::int64_t ccti_increase = 1;
  std::int64_t ccti_limit = 127;
  std::int64_t ccti_min = 0;
  std::int64_t ccti_timer = 150;  // 1.024 us each
  std::int64_t trigger_threshold = 0;
  std::int64_t cct_step = 1;   // entry i of the table: multiplier i * cct_step
  std::int64_t cct_shift = 0;  // 0..3
};

[[nodiscard]] std::span<const Key> ib_congestion_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_ib_congestion(const Scenario& scenario);

}  // namespace weft::study::scenario
