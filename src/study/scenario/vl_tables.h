// The tables of VL arbitration that ports get.
#pragma once

#include <vector>

#include "study/scenario/scenario_devices.h"

namespace weft::study::scenario {

struct VlTables {
  std::vector<VlWeight> high{};
  std::vector<VlWeight> low{};
};

/// Those that are listed; if neither is, an entry for each weight of [infiniband.vl.N] that is not 0, of the VLs there
/// are.
[[nodiscard]] VlTables vl_tables(const InfinibandSettings& settings);

[[nodiscard]] inline bool lists_vl_tables(const InfinibandSettings& settings) {
  return !settings.vl_arbitration_high.empty() || !settings.vl_arbitration_low.empty();
}

}  // namespace weft::study::scenario
