// From a scenario to the two halves of its congestion control, as a NIC makes them for each queue pair.
//
// A new algorithm is a file beside this one, its declaration in makers.h and its row in congestion_control.cc.
#pragma once

#include <optional>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "host/nic_options.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// What parameters follow from. The scenario must outlive the call alone.
struct CongestionContext {
  const scenario::Scenario& scenario;
  Rate line;                      // of the NIC
  std::optional<Bytes> window{};  // that a queue pair may have in flight; none: unlimited
  Duration round_trip{};          // the longest of the idle network, if needs_round_trip
};

/// What makes the halves of a queue pair's congestion control; null: there is none. They keep their parameters alive.
struct CongestionControls {
  host::MakeControl sender{};
  host::MakeReceiver receiver{};
};

[[nodiscard]] CongestionControls make_congestion_control(const CongestionContext& context);
/// Whether the scenario's algorithm measures against the round trip of the idle network.
[[nodiscard]] bool needs_round_trip(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
