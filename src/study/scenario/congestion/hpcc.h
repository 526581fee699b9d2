// What a scenario says of HPCC.
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

/// [hpcc]
struct HpccSettings {
  std::optional<Duration> base_round_trip;  // T; none: of the longest path of the idle network, and a tenth more
  Probability target;                       // eta
  std::int64_t stages = 5;                  // maxStage
  Bytes additive_increase;                  // W_AI
  std::optional<Rate> reference_rate;       // W_AI grows with line rate / this; none: as it stands
  Rate minimum_rate;
};

[[nodiscard]] std::span<const Key> hpcc_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_hpcc(const Scenario& scenario);

}  // namespace weft::study::scenario
