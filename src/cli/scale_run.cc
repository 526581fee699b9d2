#include "cli/scale_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <list>
#include <utility>

#include "study/results/results_key.h"

namespace weft::cli {
namespace {

/// GPUs of one host or one scale-up domain have no need of the network.
bool leaves_domain(const study::scenario::Scenario& scenario) {
  const std::int64_t inside = std::max(scenario.topology.gpus_per_host, scenario.scale_up.domain.value_or(1));
  return scenario.jobs.front().ranks > inside;
}

/// One point: which of the runs are its own.
struct PlannedPoint {
  study::results::ScalePoint point;
  std::optional<std::size_t> run{};     // none: refused
  std::optional<std::size_t> slower{};  // with the extra latency
  bool leaves_domain = false;           // its job sends over the network
};

struct PlannedSeam {
  study::results::ScaleSeam seam;
  std::size_t from_run = 0;
  std::size_t to_run = 0;
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
    if (Result<void> chosen = choose_level(line, *scenario, made.point); !chosen) {
      made.point.refusal = chosen.error().message;
      return;
    }
    const std::string name = fmt::format("{}, {} GPUs", line.name, gpus);
    made.run = add(*scenario, name, 0);
    made.leaves_domain = leaves_domain(*scenario);
    if (options_.extra_latency > Duration::zero()) {
      study::scenario::Scenario slow = *scenario;
      study::scenario::NicSettings& nic = slow.devices.nic;
      nic.rx_latency = nic.rx_latency + options_.extra_latency;
      made.slower = add(slow, name + ", slower", 0);
    }
    last_ = LastSize{.line = line.name, .gpus = gpus, .level = level_, .run = *made.run};
  }

  /// Some sizes of a line stand for all of one level in what that is off by: the largest, and, since its check may take
  /// too many packets, the smallest, both of those whose jobs send over the network.
  void choose_checks() {
    for (auto begin = points_.begin(); begin != points_.end();) {
      const auto end = std::find_if(begin, points_.end(), [&](const PlannedPoint& other) {
        return other.point.fabric != begin->point.fabric || other.point.level != begin->point.level;
      });
      std::vector<std::size_t> runs;
      for (auto own = begin; own != end; ++own) {
        if (own->run && own->leaves_domain) {
          runs.push_back(*own->run);
        }
      }
      if (!runs.empty()) {
        cases_[runs.front()].options.check_hops = options_.check_hops;
        cases_[runs.back()].options.check_hops = options_.check_hops;
      }
      begin = end;
    }
  }

  [[nodiscard]] const std::vector<PooledCase>& cases() const { return cases_; }

  /// Those whose runs came to an end.
  study::results::ScaleCurves take(std::vector<std::optional<CaseResult>> results) {
    study::results::ScaleCurves made;
    for (PlannedSeam& planned : seams_) {
      const std::optional<Duration> from = time_of(results[planned.from_run]);
      const std::optional<Duration> to = time_of(results[planned.to_run]);
      if (from && to) {
        planned.seam.from_time = *from;
        planned.seam.to_time = *to;
        made.seams.push_back(std::move(planned.seam));
      }
    }
    for (PlannedPoint& planned : points_) {
      if (!planned.run) {
        made.points.push_back(std::move(planned.point));
        continue;
      }
      if (was_cut(results[*planned.run]) || (planned.slower && was_cut(results[*planned.slower]))) {
        continue;
      }
      planned.point.real_time = real_time_of(*results[*planned.run]);
      Result<study::results::StepRow> step = step_of(*results[*planned.run]);
      if (!step) {
        planned.point.refusal = step.error().message;
      } else {
        planned.point.step = std::move(*step);
        planned.point.slower = planned.slower ? time_of(results[*planned.slower]) : std::nullopt;
      }
      made.points.push_back(std::move(planned.point));
    }
    return made;
  }

 private:
  /// The size of a line before the present one.
  struct LastSize {
    std::string line;
    std::int64_t gpus = 0;
    study::run::Level level{};
    std::size_t run = 0;
  };

  /// Sets the scenario to its level. A line that goes on at another level than its last size has a seam there.
  Result<void> choose_level(const ScaleLine& line, study::scenario::Scenario& scenario,
                            study::results::ScalePoint& point) {
    if (options_.levels == nullptr || options_.levels->is_off()) {
      return {};
    }
    Result<study::run::LevelChoice> choice = options_.levels->choose(scenario);
    if (!choice) {
      return pass_on(choice);
    }
    level_ = choice->level;
    point.level = to_string(level_);
    point.why = choice->why;
    scenario = at_level(scenario, level_);
    // Never the larger of two sizes once more with more packets, which is what its level spares it.
    if (last_ && last_->line == line.name && last_->level < level_) {
      study::scenario::Scenario again = at_level(*cases_[last_->run].scenario, level_);
      PlannedSeam& seam = seams_.emplace_back();
      seam.seam = {.fabric = line.name,
                   .gpus = last_->gpus,
                   .from = std::string(to_string(last_->level)),
                   .to = std::string(to_string(level_))};
      seam.from_run = last_->run;
      seam.to_run = add(again, fmt::format("{}, {} GPUs, {}", line.name, last_->gpus, to_string(level_)), 0);
    }
    return {};
  }

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

  static std::optional<Duration> time_of(const std::optional<CaseResult>& result) {
    return result && *result && !(*result)->steps.empty() ? std::optional((*result)->steps.front().time) : std::nullopt;
  }

  static Duration real_time_of(const CaseResult& result) {
    const bool known = result && result->machine;
    return known ? result->machine->setup_time + result->machine->run_time : Duration::zero();
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
  std::vector<PlannedSeam> seams_;
  std::optional<LastSize> last_;
  study::run::Level level_{};  // of the present size, where there are levels
};

}  // namespace

Result<study::results::ScaleCurves> scale_curves(std::span<const ScaleLine> lines, std::span<const std::int64_t> sizes,
                                                 const ScaleOptions& options, CasePool& pool,
                                                 const study::scenario::Catalogue& catalogue) {
  ScalePlan plan(options, catalogue);
  for (const ScaleLine& line : lines) {
    for (const std::int64_t size : sizes) {
      plan.add(line, size);
    }
  }
  plan.choose_checks();
  Result<std::vector<std::optional<CaseResult>>> results = pool.run(plan.cases());
  if (!results) {
    return pass_on(results);
  }
  return plan.take(*std::move(results));
}

}  // namespace weft::cli
