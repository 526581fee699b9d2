#include "cli/scale_run.h"

#include <fmt/core.h>

#include <utility>

#include "cli/run_case.h"
#include "study/results/results_key.h"

namespace weft::cli {

study::results::ScalePoint ScaleRun::point(const ScaleLine& line, std::int64_t gpus) {
  study::results::ScalePoint made{.fabric = line.name, .gpus = gpus, .refusal = {}, .step = {}, .slower = {}};
  Result<study::scenario::Scenario> scenario =
      study::assembly::resized(line.scenario, {.gpus = gpus, .scaling = options_.scaling});
  if (!scenario) {
    made.refusal = scenario.error().message;
    return made;
  }
  const bool first = std::exchange(checked_, line.name) != line.name;
  Result<study::results::StepRow> step =
      run(*scenario, fmt::format("{}, {} GPUs", line.name, gpus), first ? options_.check_hops : 0);
  if (!step) {
    made.refusal = step.error().message;
    return made;
  }
  made.step = std::move(*step);
  if (options_.extra_latency > Duration::zero()) {
    study::scenario::NicSettings& nic = scenario->devices.nic;
    nic.rx_latency = nic.rx_latency + options_.extra_latency;
    if (Result<study::results::StepRow> slower = run(*scenario, fmt::format("{}, {} GPUs, slower", line.name, gpus), 0);
        slower) {
      made.slower = slower->time;
    }
  }
  return made;
}

Result<study::results::StepRow> ScaleRun::run(const study::scenario::Scenario& scenario, const std::string& name,
                                              double check_hops) {
  Result<study::results::RunResults> results =
      run_case(scenario, {.name = name,
                          .key = study::results::run_key(scenario, catalogue_, WEFT_VERSION),
                          .captures = {},
                          .timeline = {},
                          .check_hops = check_hops,
                          .progress = options_.progress});
  if (!results) {
    return pass_on(results);
  }
  if (results->steps.empty()) {
    return fail("{}", results->run.error.empty() ? "the run did not finish" : results->run.error);
  }
  return std::move(results->steps.front());
}

}  // namespace weft::cli
