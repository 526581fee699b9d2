// What failures do to a job on each network of a comparison, and what other topologies would make of it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/compare/fabric_choice.h"
#include "study/failures/network_failures.h"
#include "study/run/simulation.h"
#include "study/scenario/catalogue.h"

namespace weft::study::compare {

/// The library whose timeouts queue pairs have where the scenario names none.
inline constexpr std::string_view kUsualLibrary = "nccl";

/// One network whose failures are to be studied.
struct FailureTask {
  std::string name{};
  scenario::Scenario scenario{};
  std::string reason{};  // why it cannot be; else empty
};

struct FailureStudyOptions {
  bool variants = true;  // dual ToR, two planes, one more spine
  bool runs_job = true;  // the job's own step under each failure; no: the ring alone
  std::uint32_t months = 400;
};

/// The networks, and behind each what other topologies would be, where they can be. Errors: those that are not a
/// network's own; no network that can serve the scenario.
[[nodiscard]] Result<std::vector<FailureTask>> plan_failures(std::span<const FabricChoice> choices,
                                                             const scenario::ScenarioRequest& request,
                                                             const scenario::Catalogue& catalogue,
                                                             const FailureStudyOptions& options);

/// The scenario of a fabric, with the usual library where it names none. Errors: those of scenario_of.
[[nodiscard]] Result<scenario::Scenario> with_library(const FabricChoice& choice, scenario::ScenarioRequest request,
                                                      const scenario::Catalogue& catalogue);

/// Asked some ten times a second.
using FailureKeepGoing = std::function<bool(const run::Progress&)>;

/// None: `keep_going` said no. What cannot be run is in the rows, with the reason.
[[nodiscard]] std::optional<failures::NetworkFailures> study_failures(const FailureTask& task,
                                                                      const FailureStudyOptions& options,
                                                                      const FailureKeepGoing& keep_going);

}  // namespace weft::study::compare
