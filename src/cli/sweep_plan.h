// What a command line of `weft sweep` asks for, read and checked before anything runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/point_runs.h"
#include "cli/sweep_command.h"
#include "study/scenario/catalogue.h"
#include "study/sweep/sweep_result.h"

namespace weft::cli {

/// Runs of one sweep, at most.
inline constexpr double kMostRuns = 100'000;

struct SweepPlan {
  study::sweep::SweepResult result;  // without values
  std::vector<RunPoint> points;
  std::vector<study::sweep::Measure> measures;
  bool add_chance = true;
};

/// Errors: those of the scenario, of --vary, and of the other options; too many points or runs, with how long they
/// would take.
[[nodiscard]] Result<SweepPlan> plan_sweep(const SweepText& text, const study::scenario::Catalogue& catalogue);

/// "5%" as 0.05. `option` is for the error; above 0 and at most 1.
[[nodiscard]] Result<double> parse_share(std::string_view option, std::string_view text);

/// What runs a point alone, with the chance that its seeds had: settings of chance_settings(), or none.
[[nodiscard]] std::string run_command(const ScenarioText& scenario, const RunPoint& point,
                                      const std::vector<std::string>& chance);

/// What add_chance() adds to a scenario, as settings: "traffic[0].start_jitter=1us".
[[nodiscard]] std::vector<std::string> chance_settings(const study::scenario::Scenario& scenario);

/// What add_chance() adds to a scenario, as a sentence; empty: nothing.
[[nodiscard]] std::string chance_text(const study::scenario::Scenario& scenario);

/// Whether a scenario leaves the jitter of its starts and its stragglers to the command: no setting names them.
[[nodiscard]] bool leaves_chance(const std::vector<std::string>& settings);

}  // namespace weft::cli
