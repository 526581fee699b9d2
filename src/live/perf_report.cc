#include "live/perf_report.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace weft::live {
namespace {

double microseconds(Duration span) { return span.seconds() * 1e6; }

/// The smallest sample that is not below `permille` of all.
double percentile(std::span<const Duration> sorted, std::size_t permille) {
  const std::size_t rank = (sorted.size() * permille + 999) / 1'000;
  return microseconds(sorted[std::max<std::size_t>(rank, 1) - 1]);
}

}  // namespace

BandwidthFigures bandwidth_of(const BandwidthSamples& samples) {
  WEFT_ASSERT(!samples.completions.empty());
  const auto rate = [](std::uint64_t messages, Duration span) {
    return static_cast<double>(messages) / std::max(span.seconds(), 1e-12);
  };
  const double average = rate(samples.completions.back().completed, samples.completions.back().at - samples.begin);
  const std::uint64_t window = std::max<std::uint64_t>(samples.row.iterations / 10, samples.in_flight);
  double peak = average;
  std::size_t from = 0;
  for (const CompletionSample& to : samples.completions) {
    while (to.completed - samples.completions[from].completed > window)
      ++from;
    const std::uint64_t messages = from > 0 ? to.completed - samples.completions[from - 1].completed : 0;
    if (messages >= window)
      peak = std::max(peak, rate(messages, to.at - samples.completions[from - 1].at));
  }
  const double gigabits = static_cast<double>(samples.row.size) * 8e-9;
  return {.peak_gbps = peak * gigabits, .average_gbps = average * gigabits, .message_mpps = average * 1e-6};
}

LatencyFigures latency_of(std::vector<Duration>& samples) {
  WEFT_ASSERT(!samples.empty());
  std::ranges::sort(samples);
  double sum = 0;
  for (const Duration sample : samples)
    sum += microseconds(sample);
  const double average = sum / static_cast<double>(samples.size());
  double squares = 0;
  for (const Duration sample : samples)
    squares += (microseconds(sample) - average) * (microseconds(sample) - average);
  return {.min = microseconds(samples.front()),
          .max = microseconds(samples.back()),
          .typical = percentile(samples, 500),
          .average = average,
          .stdev = std::sqrt(squares / static_cast<double>(samples.size())),
          .percentile_99 = percentile(samples, 990),
          .percentile_99_9 = percentile(samples, 999)};
}

}  // namespace weft::live
