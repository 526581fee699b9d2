// What a scenario says of congestion control beside DCQCN and that of InfiniBand: Swift and HPCC.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::scenario {

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

/// [hpcc]
struct HpccSettings {
  std::optional<Duration> base_round_trip;  // T; none: of the longest path of the idle network, and a tenth more
  Probability target;                       // eta
  std::int64_t stages = 5;                  // maxStage
  Bytes additive_increase;                  // W_AI
  std::optional<Rate> reference_rate;       // W_AI grows with line rate / this; none: as it stands
  Rate minimum_rate;
};

}  // namespace weft::study::scenario
