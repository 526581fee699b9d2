// What a scenario says of TIMELY.
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

/// [timely]
struct TimelySettings {
  std::optional<Duration> base_round_trip;  // minRTT; none: of the longest path of the idle network
  Duration low_threshold;                   // T_low
  Duration high_threshold;                  // T_high
  Probability weight;                       // alpha
  Probability decrease;                     // beta
  Rate additive_increase;                   // delta
  std::optional<Rate> reference_rate;       // delta grows with line rate / this; none: as it stands
  std::int64_t hyper_after = 5;             // segments
  std::int64_t hyper_multiple = 5;          // of delta
  Bytes segment;
  Rate minimum_rate;
};

[[nodiscard]] std::span<const Key> timely_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_timely(const Scenario& scenario);

}  // namespace weft::study::scenario
