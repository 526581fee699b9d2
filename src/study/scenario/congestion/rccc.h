// What a scenario says of RCCC, the receiver's congestion control of Ultra Ethernet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/probability.h"
#include "base/result.h"
#include "base/time.h"

namespace weft::study::scenario {

struct Key;
struct Scenario;

/// [rccc]
struct RcccSettings {
  bool with_nscc = false;              // both limits at once
  std::optional<Duration> round_trip;  // none: of the longest path of the idle network
  Probability part_of_line;            // that is granted
  std::int64_t window_percent = 150;   // of a bandwidth-delay product
  bool mark_last_hop = false;
  std::optional<bool> follow_core;  // none: where the core is oversubscribed, without NSCC
  // Of that:
  Probability core_target;  // of averaged marks
  Probability core_gain;
  Probability core_decrease;
  Probability core_increase;
  std::optional<Probability> core_least;  // none: what the core leaves each host, about
};

[[nodiscard]] std::span<const Key> rccc_keys();
/// Errors: what the ranges of single keys do not tell, with its place.
[[nodiscard]] Result<void> validate_rccc(const Scenario& scenario);
/// Whether NSCC limits senders, alone or beside RCCC.
[[nodiscard]] bool uses_nscc(const Scenario& scenario);
/// Whether receivers grant credit.
[[nodiscard]] bool uses_rccc(const Scenario& scenario);

}  // namespace weft::study::scenario
