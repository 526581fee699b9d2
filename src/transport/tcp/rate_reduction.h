// Proportional rate reduction: how much may leave for each acknowledgement of a fast recovery, so that the window
// reaches its new size at the end of it without a pause or a burst.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/assert.h"

namespace weft::transport {

/// Quantities in bytes.
//= rfc6937 3
class RateReduction {
 public:
  /// What holds when the recovery begins: unacknowledged then, > 0, and the window to reach.
  struct Goal {
    std::int64_t flight = 1;
    std::int64_t threshold = 0;
  };
  void start(const Goal& goal) {
    goal_ = goal;
    goal_.flight = std::max<std::int64_t>(goal.flight, 1);
    delivered_ = 0;
    sent_ = 0;
  }
  void on_sent(std::int64_t bytes) { sent_ += bytes; }

  struct Progress {
    std::int64_t delivered = 0;  // by this acknowledgement
    std::int64_t in_flight = 0;  // after it, losses deducted
    std::int64_t segment = 0;
    bool advanced = false;  // it acknowledged in sequence, and no further loss was found
  };
  /// The window from now to the next acknowledgement.
  [[nodiscard]] std::int64_t window(const Progress& progress) {
    WEFT_DCHECK(progress.delivered >= 0 && progress.in_flight >= 0 && progress.segment > 0);
    delivered_ += progress.delivered;
    std::int64_t send = 0;
    if (progress.in_flight > goal_.threshold) {
      // Fits 64 bits: windows are below 2^31.
      WEFT_DCHECK(goal_.threshold == 0 || delivered_ < std::numeric_limits<std::int64_t>::max() / goal_.threshold);
      send = (delivered_ * goal_.threshold + goal_.flight - 1) / goal_.flight - sent_;
    } else {
      send = std::max(delivered_ - sent_, progress.delivered) + (progress.advanced ? progress.segment : 0);
      send = std::min(goal_.threshold - progress.in_flight, send);
    }
    // The retransmission that begins the recovery leaves whatever the proportion says.
    send = std::max(send, sent_ == 0 ? progress.segment : 0);
    return progress.in_flight + std::max<std::int64_t>(send, 0);
  }

 private:
  Goal goal_;
  std::int64_t delivered_ = 0;
  std::int64_t sent_ = 0;
};

}  // namespace weft::transport
