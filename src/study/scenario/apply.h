// Setting given values in a scenario or in the settings of devices.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "study/scenario/given.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {

[[nodiscard]] inline Target target_of(Scenario& scenario) {
  return {.scenario = &scenario, .devices = &scenario.devices};
}

/// Sets the value, in every table of the group if the key stands for all of them. Errors have place and path.
[[nodiscard]] Result<void> apply(const Given& given, const Target& target);

/// The same, and notes the source of each path that was set.
[[nodiscard]] Result<void> apply(const Given& given, const Target& target, const ValueSource& source,
                                 std::map<std::string, ValueSource>& sources);

/// The present value of a key as text; its index must not be missing in a group or list.
[[nodiscard]] std::string value_text(const KeyAt& at, const Target& target);

/// The single keys that `at` stands for: itself, or one for each table of the group.
[[nodiscard]] std::vector<KeyAt> expand(const KeyAt& at);

}  // namespace weft::study::scenario
