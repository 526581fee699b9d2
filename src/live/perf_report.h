// From times of completion to the figures of a row, as perftest defines them. Figures are for people; nothing is
// computed from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "live/perf_types.h"

namespace weft::live {

struct BandwidthFigures {
  double peak_gbps = 0;  // best rate over any N consecutive messages, N = the larger of a tenth and what is in flight
  double average_gbps = 0;  // all bytes over the time from the first post to the last completion
  double message_mpps = 0;  // 10^6 messages per second, on average
};

/// So many messages were complete at that time.
struct CompletionSample {
  Time at{};
  std::uint64_t completed = 0;
};

struct BandwidthSamples {
  PerfRow row{};
  Time begin{};
  std::span<const CompletionSample> completions{};  // in order, the last has all
  std::uint32_t in_flight = 1;
};
/// `completions` must not be empty.
[[nodiscard]] BandwidthFigures bandwidth_of(const BandwidthSamples& samples);

/// All in microseconds. "Typical" is the median.
struct LatencyFigures {
  double min = 0;
  double max = 0;
  double typical = 0;
  double average = 0;
  double stdev = 0;
  double percentile_99 = 0;
  double percentile_99_9 = 0;
};
/// Must not be empty; sorted in place.
[[nodiscard]] LatencyFigures latency_of(std::vector<Duration>& samples);

struct RowResult {
  PerfRow row{};
  BandwidthFigures bandwidth{};  // of a bandwidth test
  LatencyFigures latency{};      // of a latency test
  std::uint64_t wrong = 0;       // messages whose data were wrong, at either side
};

}  // namespace weft::live
