// How long the messages of a run took, from post to completion: the median and the 99th percentile, and the latter
// against the time of the same message on an empty network.
#pragma once

#include "study/results/results.h"

namespace weft::study::claims {

struct MessageTimes {
  double median_us = 0;
  double p99_us = 0;
  double p99_slowdown = 0;  // of time over ideal time, sorted by itself
};

/// Of all messages that ended well; zeros for none.
[[nodiscard]] MessageTimes message_times(const results::RunResults& results);

}  // namespace weft::study::claims
