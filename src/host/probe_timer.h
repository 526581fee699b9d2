// Probe timer of a group in an aggregation tree: when to probe its peers, and when to give up.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "base/time.h"
#include "host/reduction_options.h"

namespace weft::host {

class ProbeTimer {
 public:
  enum class Verdict : std::uint8_t { kWait, kProbe, kGiveUp };

  /// Something has moved on.
  void begin(Time now, const ReductionOptions& options) {
    tried_ = 0;
    due_ = now + options.probe_interval;
  }
  /// To be asked while the group waits.
  [[nodiscard]] Verdict evaluate(Time now, const ReductionOptions& options) {
    WEFT_DCHECK(tried_ <= options.probes && tried_ < 32);  // the interval doubles with each probe
    if (now < due_) {
      return Verdict::kWait;
    }
    if (tried_ == options.probes) {
      return Verdict::kGiveUp;
    }
    ++tried_;
    due_ = now + options.probe_interval * (std::int64_t{1} << tried_);
    return Verdict::kProbe;
  }
  /// When to ask again.
  [[nodiscard]] Time due() const { return due_; }

 private:
  Time due_;
  std::uint32_t tried_ = 0;
};

}  // namespace weft::host
