#include "study/scenario/vl_tables.h"

namespace weft::study::scenario {

VlTables vl_tables(const InfinibandSettings& settings) {
  if (lists_vl_tables(settings)) {
    return {.high = settings.vl_arbitration_high, .low = settings.vl_arbitration_low};
  }
  VlTables made;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(settings.vls); ++lane) {
    const auto add = [&](std::vector<VlWeight>& table, std::int64_t weight) {
      if (weight != 0) {
        table.push_back({.vl = static_cast<std::uint8_t>(lane), .weight = static_cast<std::uint8_t>(weight)});
      }
    };
    add(made.high, settings.vl[lane].high_weight);
    add(made.low, settings.vl[lane].weight);
  }
  return made;
}

}  // namespace weft::study::scenario
