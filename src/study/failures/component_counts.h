// How many components of each kind can fail under the jobs of a scenario.
#pragma once

#include <cstdint>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::failures {

struct ComponentCounts {
  std::int64_t gpus = 0;          // of the jobs; without jobs, all
  std::int64_t hosts = 0;         // that they are on, if they fill them
  std::int64_t nic_ports = 0;     // of these hosts
  std::int64_t host_links = 0;    // the same: a cable each
  std::int64_t fabric_links = 0;  // between switches
  std::int64_t leaves = 0;        // switches with a cable to a host
  std::int64_t spines = 0;        // all others
  std::int64_t managers = 0;      // 1 of InfiniBand
};

[[nodiscard]] ComponentCounts count_components(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::failures
