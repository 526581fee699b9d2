#include "study/claims/message_times.h"

#include <algorithm>
#include <span>
#include <vector>

#include "study/results/percentiles.h"

namespace weft::study::claims {

MessageTimes message_times(const results::RunResults& results) {
  constexpr Probability kHalf = Probability::from_ratio({.numerator = 1, .denominator = 2});
  constexpr Probability kTail = Probability::from_ratio({.numerator = 99, .denominator = 100});
  std::vector<double> times;
  std::vector<double> slowdowns;
  for (const results::MessageRow& row : results.messages) {
    if (row.record.status == verbs::WcStatus::kSuccess) {
      const double time = (row.record.finished - row.record.posted).seconds();
      times.push_back(time * 1e6);
      slowdowns.push_back(row.ideal > Duration::zero() ? time / row.ideal.seconds() : 1);
    }
  }
  if (times.empty()) {
    return {};
  }
  std::ranges::sort(times);
  std::ranges::sort(slowdowns);
  return {.median_us = results::percentile(std::span<const double>(times), kHalf),
          .p99_us = results::percentile(std::span<const double>(times), kTail),
          .p99_slowdown = results::percentile(std::span<const double>(slowdowns), kTail)};
}

}  // namespace weft::study::claims
