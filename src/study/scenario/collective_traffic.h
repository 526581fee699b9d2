// Which of a scenario's traffic are collectives.
#pragma once

#include <algorithm>

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

[[nodiscard]] constexpr bool is_collective(TrafficKind kind) {
  return kind == TrafficKind::kCollective || kind == TrafficKind::kRingAllReduce;
}

/// Of its traffic, or within the steps of its jobs.
[[nodiscard]] inline bool has_collectives(const Scenario& scenario) {
  return std::ranges::any_of(scenario.jobs, &JobSettings::runs_steps) ||
         std::ranges::any_of(scenario.traffic, is_collective, &TrafficSettings::kind);
}

}  // namespace weft::study::scenario
