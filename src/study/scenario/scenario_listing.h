// A resolved scenario as rows of path, value and source: what `weft show` prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

struct ListedValue {
  std::string path;   // "switch.buffer"
  std::string value;  // as it could stand in the file, without quotes
  ValueSource source;
};

enum class Listing : std::uint8_t {
  kAll,       // every value, in the order of the reference
  kRelevant,  // without what the family and the kinds make meaningless; tables of a group that agree folded to "*"
};

[[nodiscard]] std::vector<ListedValue> list_values(const Scenario& scenario, Listing listing);

/// "'leaf*'", "'*', links of 400 Gbps, tier leaf".
[[nodiscard]] std::string override_title(const DeviceOverride& override);

/// As aligned columns, a block per table, and overrides at the end.
[[nodiscard]] std::string listing_text(std::span<const ListedValue> rows, const Scenario& scenario,
                                       LineWidth width = {});
/// Of the values that matter (Listing::kRelevant).
[[nodiscard]] std::string listing_text(const Scenario& scenario, LineWidth width = {});

}  // namespace weft::study::scenario
