// Who runs the scenarios of claims: the part of the program above, so that this folder needs no command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/assembly/resize.h"
#include "study/report/comparison.h"
#include "study/results/results.h"
#include "study/results/scale_table.h"
#include "study/results/summary.h"

namespace weft::study::claims {

/// Settings that somebody has to get right for a case (study/compare/fabric_settings.h), and devices that they are on.
struct SettingsToMake {
  std::int64_t count = 0;
  std::int64_t devices = 0;
};

/// One case of a scenario: its run, or why there can be none.
struct ClaimCase {
  std::string name;
  std::string refusal;  // empty: it ran
  results::RunResults results;
  results::Summary summary;
  SettingsToMake settings{};
};

/// As `weft scale` asks: the job of every case on clusters of these sizes.
struct ScaleRequest {
  std::vector<std::int64_t> gpus;
  assembly::Scaling scaling = assembly::Scaling::kStrong;
  results::ScaleWhatIf question{};
};

class ClaimRunner {
 public:
  virtual ~ClaimRunner() = default;
  /// Every case of the scenario NAME.toml, in the order of the file. Errors are of the file; a case that is not
  /// possible has a refusal.
  [[nodiscard]] virtual Result<std::vector<ClaimCase>> run(const std::string& scenario) = 0;
  /// The one case `case_name` of it, with each of the plausible mistakes of study/compare/misconfigurations.h in turn:
  /// a case named after the mistake.
  [[nodiscard]] virtual Result<std::vector<ClaimCase>> run_misconfigured(const std::string& scenario,
                                                                         const std::string& case_name) = 0;
  [[nodiscard]] virtual Result<std::vector<results::ScalePoint>> scale(const std::string& scenario,
                                                                       const ScaleRequest& request) = 0;
  /// What `weft compare` has found, if it was given; else null.
  [[nodiscard]] virtual const report::Comparison* comparison() const = 0;
};

}  // namespace weft::study::claims
