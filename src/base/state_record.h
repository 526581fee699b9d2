// What a simulation goes on from, as numbers: after two instants whose records repeat, the same follows.
//
// Counts must be the same; times, from the record's instant on, up to what rounding of rates to whole picoseconds may
// make of them, and amounts up to rounding. One time that has passed is as good as another. What goes in, and in which
// order, is up to those whose state it is.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace weft {

class StateRecord {
 public:
  explicit StateRecord(Time now) : now_(now) {}

  [[nodiscard]] Time now() const { return now_; }
  void count(std::uint64_t value) { counts_.push_back(value); }
  void time(Time at) { times_.push_back(at.is_never() ? Duration::max() : later(at, now_) - now_); }
  void amount(double value) { amounts_.push_back(value); }

  [[nodiscard]] bool repeats(const StateRecord& earlier) const {
    constexpr Duration kSlack = Duration::picoseconds(2);
    constexpr double kRounding = 1e-9;
    if (counts_ != earlier.counts_ || times_.size() != earlier.times_.size() ||
        amounts_.size() != earlier.amounts_.size()) {
      return false;
    }
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const Duration apart = times_[i] - earlier.times_[i];
      if (apart > kSlack || -apart > kSlack) {
        return false;
      }
    }
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
      const double apart = amounts_[i] - earlier.amounts_[i];
      const double most = 1 + kRounding * (amounts_[i] < 0 ? -amounts_[i] : amounts_[i]);
      if (!(apart <= most && -apart <= most)) {
        return false;
      }
    }
    return true;
  }

 private:
  Time now_;
  std::vector<std::uint64_t> counts_;
  std::vector<Duration> times_;
  std::vector<double> amounts_;
};

}  // namespace weft
