// How long an event loop polls its socket before it lets the kernel wake it: adaptive busy polling.
//
// Waking from a sleep costs several microseconds, polling costs a processor. The budget follows the gaps between
// events: gaps short enough to be spun over make it larger, a longer one halves it.
#pragma once

#include <algorithm>

#include "base/time.h"

namespace weft::live {

class SpinBudget {
 public:
  static constexpr Duration kMin = Duration::microseconds(2);

  /// Never spins longer than `max`; zero = never spins at all.
  explicit SpinBudget(Duration max) : max_(max), budget_(max) {}

  [[nodiscard]] Duration budget() const { return budget_; }

  /// An event came `gap` after the one before.
  void on_event(Duration gap) {
    budget_ = gap <= max_ ? std::max(budget_, std::min(gap * 4, max_)) : std::min(max_, std::max(kMin, budget_ / 2));
  }

 private:
  Duration max_;
  Duration budget_;
};

}  // namespace weft::live
