// The file of `weft calibrate flow`: corrections of the flow level, what they were fitted from, and for what.
//
// TOML: the version of the format and of weft, [corrections], one [[fit]] for each with its residuals and its runs, and
// [made_for], the keys of the scenario that small runs depend on: all that simulate anything but those of topology,
// routes, traffic, jobs and events. A run with other values is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "flow/corrections.h"
#include "study/run/flow_calibration.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

[[nodiscard]] std::string corrections_text(const scenario::Scenario& scenario, const FlowCalibration& calibration,
                                           std::string_view version);

struct CorrectionsSource {
  std::string_view text{};
  std::string_view name{};  // of the file, for messages
};

/// Errors, with the file: another format, a value out of range, a key that is another in the scenario.
[[nodiscard]] Result<flow::Corrections> read_corrections(const CorrectionsSource& source,
                                                         const scenario::Scenario& scenario);

/// All values, for a hash.
[[nodiscard]] std::string exact_text(const flow::Corrections& corrections);

/// "queues of at most 362 KiB a flow and 1.41 MiB a link; ..."
[[nodiscard]] std::string describe(const flow::Corrections& corrections);

}  // namespace weft::study::run
