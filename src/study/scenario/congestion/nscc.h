// What a scenario says of NSCC, the sender's congestion control of Ultra Ethernet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/result.h"
#include "base/time.h"

namespace weft::study::scenario {

struct Key;
struct Scenario;

/// [nscc]; parameters that are `none` follow from line, round trip and packet as transport/congestion/nscc.h says.
struct NsccSettings {
  std::optional<Duration> round_trip;  // none: of the longest path of the idle network
  std::optional<Duration> target;      // none: 0.75 round trips with trimming, one without
  Probability decrease;                // gamma
  Probability least_left;              // of a window that is decreased
  Probability delay_gain;              // of the averaged delay
  Duration fast_delay;
  std::int64_t quick_adapt_targets = 4;   // a delay of so many targets needs no loss
  std::int64_t quick_adapt_fraction = 3;  // window >> this
  std::int64_t adjust_packets = 8;
  std::int64_t window_percent = 150;  // of a bandwidth-delay product
  std::optional<Bytes> first_window;  // none: the largest
};

[[nodiscard]] std::span<const Key> nscc_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_nscc(const Scenario& scenario);

}  // namespace weft::study::scenario
