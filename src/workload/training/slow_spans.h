// Times at which a GPU computes more slowly than it should, and how long work takes through them.
#pragma once

#include <vector>

#include "base/probability.h"
#include "base/time.h"

namespace weft::workload {

/// From `from` up to `until`; never: for ever.
struct SlowSpan {
  Time from{};
  Time until = Time::never();
  Probability speed = Probability::one();  // that is left; above 0
  friend bool operator==(const SlowSpan&, const SlowSpan&) = default;
};

class SlowSpans {
 public:
  SlowSpans() = default;
  /// In any order; where several overlap the lowest speed counts.
  explicit SlowSpans(const std::vector<SlowSpan>& spans);

  [[nodiscard]] bool empty() const { return spans_.empty(); }
  /// How long work takes that begins at `now` and takes so long at full speed; rounded up to a picosecond for each span
  /// that it meets.
  [[nodiscard]] Duration stretch(Duration work, Time now) const;
  /// In order of time, none overlap.
  [[nodiscard]] const std::vector<SlowSpan>& spans() const { return spans_; }

 private:
  std::vector<SlowSpan> spans_;
};

}  // namespace weft::workload
