#include "cli/scale_run.h"

#include <fmt/core.h>

#include <list>
#include <utility>

#include "study/results/results_key.h"

namespace weft::cli {
namespace {

/// One point: which of the runs are its own.
struct PlannedPoint {
  study::results::ScalePoint point;
  std::optional<std::size_t> run{};     // none: refused
  std::optional<std::size_t> slower{};  // with the extra latency
};

class ScalePlan {
 public:
  ScalePlan(const ScaleOptions& options, const study::scenario::Catalogue& catalogue)
      : options_(options), catalogue_(catalogue) {}

  void add(const ScaleLine& line, std::int64_t gpus) {
    PlannedPoint& made = points_.emplace_back();
    made.point.fabric = line.name;
    made.point.gpus = gpus;
    Result<study::scenario::Scenario> scenario =
        study::assembly::resized(line.scenario, {.gpus = gpus, .scaling = options_.scaling});
    if (!scenario) {
      made.point.refusal = scenario.error().message;
      return;
    }
    // The first size of a line stands for all in what its composition is off by.
    const bool first = std::exchange(checked_, line.name) != line.name;
    const std::string name = fmt::format("{}, {} GPUs", line.name, gpus);
    made.run = add(*scenario, name, first ? options_.check_hops : 0);
    if (options_.extra_latency > Duration::zero()) {
      study::scenario::NicSettings& nic = scenario->devices.nic;
      nic.rx_latency = nic.rx_latency + options_.extra_latency;
      made.slower = add(*scenario, name + ", slower", 0);
    }
  }

  [[nodiscard]] const std::vector<PooledCase>& cases() const { return cases_; }

  /// Those whose runs came to an end.
  std::vector<study::results::ScalePoint> take(std::vector<std::optional<CaseResult>> results) {
    std::vector<study::results::ScalePoint> made;
    for (PlannedPoint& planned : points_) {
      if (!planned.run) {
        made.push_back(std::move(planned.point));
        continue;
      }
      if (was_cut(results[*planned.run]) || (planned.slower && was_cut(results[*planned.slower]))) {
        continue;
      }
      Result<study::results::StepRow> step = step_of(*results[*planned.run]);
      if (!step) {
        planned.point.refusal = step.error().message;
      } else {
        planned.point.step = std::move(*step);
        if (planned.slower) {
          const Result<study::results::StepRow> slower = step_of(*results[*planned.slower]);
          planned.point.slower = slower ? std::optional(slower->time) : std::nullopt;
        }
      }
      made.push_back(std::move(planned.point));
    }
    return made;
  }

 private:
  std::size_t add(const study::scenario::Scenario& scenario, std::string name, double check_hops) {
    scenarios_.push_back(scenario);
    cases_.push_back({.scenario = &scenarios_.back(),
                      .options = {.name = std::move(name),
                                  .key = study::results::run_key(scenario, catalogue_, WEFT_VERSION),
                                  .captures = {},
                                  .timeline = {},
                                  .check_hops = check_hops}});
    return cases_.size() - 1;
  }

  static bool was_cut(const std::optional<CaseResult>& result) {
    return !result || (*result && (*result)->run.end == study::results::RunEnd::kInterrupted);
  }

  static Result<study::results::StepRow> step_of(CaseResult& results) {
    if (!results) {
      return pass_on(results);
    }
    if (results->steps.empty()) {
      return fail("{}", results->run.error.empty() ? "the run did not finish" : results->run.error);
    }
    return std::move(results->steps.front());
  }

  const ScaleOptions& options_;
  const study::scenario::Catalogue& catalogue_;
  std::list<study::scenario::Scenario> scenarios_;  // that stay where they are
  std::vector<PooledCase> cases_;
  std::vector<PlannedPoint> points_;
  std::string checked_;  // the line whose composition is checked
};

}  // namespace

Result<std::vector<study::results::ScalePoint>> scale_points(std::span<const ScaleLine> lines,
                                                             std::span<const std::int64_t> sizes,
                                                             const ScaleOptions& options, CasePool& pool,
                                                             const study::scenario::Catalogue& catalogue) {
  ScalePlan plan(options, catalogue);
  for (const ScaleLine& line : lines) {
    for (const std::int64_t size : sizes) {
      plan.add(line, size);
    }
  }
  Result<std::vector<std::optional<CaseResult>>> results = pool.run(plan.cases());
  if (!results) {
    return pass_on(results);
  }
  return plan.take(*std::move(results));
}

}  // namespace weft::cli
