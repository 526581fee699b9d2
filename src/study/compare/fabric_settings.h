// Settings that have to be configured correctly for a fabric to work well: those that differ from factory defaults, and
// on how many devices each is set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

struct FabricSetting {
  std::string key;    // of the scenario: "ethernet.priority.3.kmin"
  std::string value;  // as `weft show` prints it
  std::string where;  // "switches and NICs"
  std::int64_t devices = 0;
};

/// Settings of classes, flow control, marking, congestion control, routing and streams that this scenario depends on.
/// Of a fabric whose tuning is `untuned`: none, that is what it means.
[[nodiscard]] std::vector<FabricSetting> settings_to_get_right(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph);

/// Devices that any of them is made on.
[[nodiscard]] std::int64_t devices_touched(const std::vector<FabricSetting>& settings);

}  // namespace weft::study::compare
