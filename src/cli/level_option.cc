#include "cli/level_option.h"

#include <algorithm>
#include <array>

#include "base/parse_quantity.h"
#include "cli/rank_session.h"
#include "cli/work_estimate.h"
#include "study/assembly/build_topology.h"

namespace weft::cli {
namespace {

using study::run::Level;

/// Where the machine cannot be measured, because the scenario cannot be loaded with traffic.
constexpr double kUsualSpeed = 2e6;
constexpr std::string_view kUsualBudget = "600 s";

/// Under mpirun that of rank 0: with speeds of their own, ranks would plan other runs.
Result<double> speed_of_ranks(const study::scenario::Scenario& scenario) {
  if (serves_ranks()) {
    const std::optional<double> told = speed_of_first();
    return told ? Result<double>(*told) : fail("rank 0 has ended before it chose a level");
  }
  const double measured = measure_speed(scenario).hops_per_second;
  const double speed = measured > 0 ? measured : kUsualSpeed;
  if (working_ranks() > 1) {
    tell_speed(speed);
  }
  return speed;
}

}  // namespace

void add_level_options(CLI::App& command, LevelText& text) {
  command.add_option("--fidelity", text.fidelity,
                     "packet, composed, flow, or auto: the first of these that fits into --budget; default: as the "
                     "scenario says");
  command.add_option("--budget", text.budget, "With --fidelity auto: real time for one run; default: 600 s");
}

Result<LevelChooser> LevelChooser::make(const LevelText& text) {
  LevelChooser made;
  if (text.fidelity.empty()) {
    return text.budget.empty() ? Result<LevelChooser>(made) : fail("--budget: only with --fidelity auto");
  }
  for (const Level level : {Level::kPacket, Level::kComposed, Level::kFlow}) {
    if (text.fidelity == to_string(level)) {
      if (!text.budget.empty()) {
        return fail("--budget: only with --fidelity auto");
      }
      made.fixed_ = level;
      return made;
    }
  }
  if (text.fidelity != "auto") {
    return fail("--fidelity: '{}' is no level; packet, composed, flow or auto", text.fidelity);
  }
  const Result<Duration> budget = parse_duration(text.budget.empty() ? kUsualBudget : std::string_view(text.budget));
  if (!budget || *budget <= Duration::zero()) {
    return fail("--budget: {}", budget ? "it must be above 0, such as 600s" : budget.error().message);
  }
  made.budget_ = *budget;
  return made;
}

Result<study::run::LevelChoice> LevelChooser::choose(const study::scenario::Scenario& scenario) {
  if (fixed_) {
    if (*fixed_ == Level::kComposed && std::ranges::none_of(scenario.jobs, &study::scenario::JobSettings::trains)) {
      return fail("--fidelity composed: for jobs that train a model, and '{}' has none; packet or flow",
                  scenario.case_name.empty() ? scenario.name : scenario.case_name);
    }
    return study::run::LevelChoice{.level = *fixed_};
  }
  Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return pass_on(graph);
  }
  if (hops_per_second_ == 0) {
    Result<double> speed = speed_of_ranks(scenario);
    if (!speed) {
      return pass_on(speed);
    }
    hops_per_second_ = *speed;
  }
  return study::run::choose_level(scenario, *graph,
                                  {.seconds = budget_.seconds(), .hops_per_second = hops_per_second_});
}

std::string_view expected_error(Level level) {
  switch (level) {
    case Level::kPacket:
      return "nothing is left out";
    case Level::kComposed:
      return "off by up to 3 % where that was measured, 6 % in the worst case";
    case Level::kFlow:
      break;
  }
  return "off by up to 3 % where no flows share links, 10 % where they do; kernel TCP and short messages by more";
}

}  // namespace weft::cli
