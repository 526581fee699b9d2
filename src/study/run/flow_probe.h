// The error of a run at the flow level, measured by runs of the same scenario with packets.
//
// A probe runs the scenario with packets from its beginning, as far as its packet-hops reach, and compares the messages
// that both levels have: of collectives, how far each pair of ranks has come; of other traffic, how long messages take.
// Messages are compared that were posted in the first half of what the probe saw, so that not only quick ones are; if
// it saw everything, all are. Further probes have the next seeds, and run at both levels.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flow/corrections.h"
#include "study/run/flow_run.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct FlowCheck {
  /// Of the mean over what was compared: the flow level's time over that of packets, less one; none: not measured.
  std::optional<double> error{};
  std::string what{};  // what was compared, with median and 99th percentile, or why nothing was
};

/// `run`: the scenario at the flow level, with these corrections. Of collectives what ended before anything was jumped
/// over is compared. `keep_going` false gives up: not measured.
[[nodiscard]] FlowCheck probe_flow_level(const scenario::Scenario& scenario, const FlowRun& run,
                                         const std::function<bool()>& keep_going,
                                         const flow::Corrections& corrections = {});

/// More endpoints than this are not run with packets to measure an error.
inline constexpr std::uint32_t kMaxProbedEndpoints = 16'384;

}  // namespace weft::study::run
