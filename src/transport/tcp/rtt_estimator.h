// Round-trip time of a connection, and the retransmission timeout that follows from it.
#pragma once

#include <algorithm>

#include "base/assert.h"
#include "base/time.h"

namespace weft::transport {

class RttEstimator {
 public:
  struct Limits {
    Duration initial;  // timeout before the first sample
    Duration minimum;
    Duration maximum;
  };

  void start(const Limits& limits) { timeout_ = limits.initial; }

  /// `sample` >= 0, of a segment that was sent once (Karn) or whose echo tells which sending it answers.
  //= rfc6298 2
  void add(Duration sample, const Limits& limits) {
    WEFT_DCHECK(sample >= Duration::zero() && limits.minimum <= limits.maximum);
    if (smoothed_ == Duration::zero()) {
      smoothed_ = std::max(sample, Duration::picoseconds(1));
      variation_ = sample / 2;
      minimum_ = sample;
    } else {
      const Duration error = sample - smoothed_;
      variation_ += ((error < Duration::zero() ? -error : error) - variation_) / 4;
      smoothed_ = std::max(smoothed_ + error / 8, Duration::picoseconds(1));
      minimum_ = std::min(minimum_, sample);
    }
    timeout_ = std::clamp(smoothed_ + 4 * variation_, limits.minimum, limits.maximum);
    WEFT_DCHECK(minimum_ <= smoothed_ && variation_ >= Duration::zero());
  }

  /// Zero before the first sample.
  [[nodiscard]] Duration smoothed() const { return smoothed_; }
  [[nodiscard]] Duration minimum() const { return minimum_; }
  /// Without back-off.
  [[nodiscard]] Duration timeout() const { return timeout_; }

 private:
  Duration smoothed_;
  Duration variation_;
  Duration minimum_;
  Duration timeout_;
};

}  // namespace weft::transport
