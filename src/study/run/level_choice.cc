#include "study/run/level_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "study/run/flow_simulation.h"
#include "study/run/run_estimate.h"

namespace weft::study::run {
namespace {

/// More ranks than this are not composed packet by packet: each keeps what it knows of every communicator.
constexpr std::int64_t kMostComposedRanks = 8'192;

bool trains(const scenario::Scenario& scenario) {
  return std::ranges::any_of(scenario.jobs, &scenario::JobSettings::trains);
}

std::int64_t most_ranks(const scenario::Scenario& scenario) {
  std::int64_t most = 0;
  for (const scenario::JobSettings& job : scenario.jobs) {
    most = std::max(most, job.ranks);
  }
  return most;
}

std::string time_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  return seconds < 1             ? "less than a second"
         : seconds < 2 * kMinute ? fmt::format("about {:.0f} s", seconds)
         : seconds < 2 * kHour   ? fmt::format("about {:.0f} minutes", seconds / kMinute)
                                 : fmt::format("about {:.0f} hours", seconds / kHour);
}

}  // namespace

std::string_view to_string(Level level) {
  switch (level) {
    case Level::kPacket:
      return "packet";
    case Level::kComposed:
      return "composed";
    case Level::kFlow:
      break;
  }
  return "flow";
}

scenario::Scenario at_level(const scenario::Scenario& scenario, Level level) {
  scenario::Scenario made = scenario;
  made.fidelity = level == Level::kFlow ? scenario::Fidelity::kFlow : scenario::Fidelity::kPacket;
  for (scenario::JobSettings& job : made.jobs) {
    if (job.trains()) {
      job.training.fidelity =
          level == Level::kPacket ? scenario::StepFidelity::kPacket : scenario::StepFidelity::kComposed;
    }
  }
  return made;
}

Result<LevelChoice> choose_level(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                 const LevelBudget& budget) {
  LevelChoice choice;
  const auto seconds_at = [&](Level level) -> Result<double> {
    Result<HopsEstimate> hops = estimate_hops(at_level(scenario, level), graph);
    if (!hops) {
      return pass_on(hops);
    }
    return hops->most / budget.hops_per_second;
  };
  Result<double> packets = seconds_at(Level::kPacket);
  if (!packets) {
    return pass_on(packets);
  }
  if (*packets <= budget.seconds) {
    choice.why = fmt::format("every packet takes {}", time_text(*packets));
    return choice;
  }
  choice.why = fmt::format("every packet would take {}", time_text(*packets));
  if (trains(scenario)) {
    Result<double> composed = seconds_at(Level::kComposed);
    if (!composed) {
      return pass_on(composed);
    }
    const bool too_many = most_ranks(scenario) > kMostComposedRanks;
    choice.level = Level::kComposed;
    if (!too_many && *composed <= budget.seconds) {
      return choice;
    }
    choice.why += too_many ? fmt::format(", and {} ranks are too many for packets", most_ranks(scenario))
                           : fmt::format(", composed steps {}", time_text(*composed));
  }
  if (const Result<void> possible = check_flow_level(at_level(scenario, Level::kFlow)); !possible) {
    if (most_ranks(scenario) > kMostComposedRanks) {
      return fail("{}, and flows are not possible: {}; name a level (--fidelity) to run it all the same", choice.why,
                  possible.error().message);
    }
    choice.why +=
        fmt::format("; nothing fits into the time, since flows are not possible: {}", possible.error().message);
    return choice;
  }
  choice.level = Level::kFlow;
  return choice;
}

}  // namespace weft::study::run
