// What a scenario says of Swift.
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

/// [swift]
struct SwiftSettings {
  Duration base_target;                  // of the round trip, without switches
  Duration hop_delay;                    // added per switch
  Duration flow_scaling_range;           // added at most for small windows; 0: no flow scaling
  Probability flow_scaling_least;        // window in packets that gets all of it
  std::int64_t flow_scaling_most = 100;  // window in packets that gets none
  std::int64_t additive_increase = 1;    // packets per round trip
  Probability decrease;                  // beta
  Probability maximum_decrease;          // of the window, at once
  Probability least_window;              // in packets
  std::int64_t timeouts_before_reset = 5;
};

[[nodiscard]] std::span<const Key> swift_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_swift(const Scenario& scenario);

}  // namespace weft::study::scenario
