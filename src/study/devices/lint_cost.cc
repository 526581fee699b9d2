#include "study/devices/lint_cost.h"

#include <fmt/core.h>

#include <algorithm>

#include "study/compare/run_once.h"
#include "study/report/run_figures.h"
#include "study/results/summary.h"

namespace weft::study::devices {
namespace {

struct Measured {
  double time = 0;  // s
  std::uint64_t drops = 0;
  std::string end{};  // empty: finished
};

/// An error too where the run was told to stop.
Result<Measured> measure(scenario::Scenario scenario, std::int64_t seed, const std::function<bool()>& keep_going) {
  scenario.seed = seed;
  const auto results = compare::run_once(scenario, {.keep_going = [&](const run::Progress&) { return keep_going(); }});
  if (!results) {
    return tl::unexpected<Error>(results.error());
  }
  Measured made{.time = report::work_time(*results).seconds()};
  made.drops = results::summarise(*results).network.drops;
  const bool stops = scenario.stop && results->run.end == results::RunEnd::kTimeLimit;
  if (results->run.end != results::RunEnd::kFinished && !stops) {
    made.end = fmt::format("the run ends as {}", results::to_string(results->run.end));
  }
  return made;
}

}  // namespace

Result<void> add_costs(std::vector<Finding>& findings, const scenario::Scenario& plan, const CostOptions& options) {
  const auto simulated = static_cast<std::size_t>(
      std::ranges::count_if(findings, [](const Finding& one) { return static_cast<bool>(one.mistake); }));
  const std::size_t all = (simulated + 1) * static_cast<std::size_t>(options.seeds);
  std::size_t done = 0;
  const auto going = [&] { return options.keep_going(done, all); };
  std::vector<Measured> right;
  for (std::int64_t i = 0; i < options.seeds && simulated > 0; ++i) {
    if (!going()) {
      return {};
    }
    auto one = measure(plan, plan.seed + i, going);
    if (!going()) {
      return {};
    }
    if (!one) {
      return pass_on(one);
    }
    if (!one->end.empty() || one->time <= 0) {
      return fail("{}: the plan does not finish by itself: {}", plan.file, one->end.empty() ? "no traffic" : one->end);
    }
    right.push_back(*one);
    ++done;
  }
  for (Finding& finding : findings) {
    if (!finding.mistake) {
      continue;
    }
    MistakeCost cost{.seeds = options.seeds};
    scenario::Scenario wrong = plan;
    finding.mistake(wrong);
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!going()) {
        return {};
      }
      const auto one = measure(wrong, plan.seed + static_cast<std::int64_t>(i), going);
      if (!going()) {
        return {};
      }
      ++done;
      if (!one) {
        finding.no_cost = fmt::format("it cannot be simulated: {}", one.error().message);
        break;
      }
      const double longer = one->time / right[i].time - 1;
      cost.least = i == 0 ? longer : std::min(cost.least, longer);
      cost.most = i == 0 ? longer : std::max(cost.most, longer);
      cost.right += right[i].time / static_cast<double>(right.size());
      cost.wrong += one->time / static_cast<double>(right.size());
      cost.drops_right += right[i].drops;
      cost.drops_wrong += one->drops;
      cost.end = cost.end.empty() ? one->end : cost.end;
    }
    if (finding.no_cost.empty()) {
      finding.cost = cost;
    }
  }
  return {};
}

}  // namespace weft::study::devices
