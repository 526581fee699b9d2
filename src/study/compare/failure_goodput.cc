#include "study/compare/failure_goodput.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "study/assembly/build_failures.h"
#include "study/compare/failure_probe.h"
#include "study/failures/checkpoint_formula.h"

namespace weft::study::compare {
namespace {

using failures::FailureClass;
using failures::FailureOutcome;
using failures::NetworkFailures;

constexpr double kMonth = 730.0 * 3600;
/// Without failures that end the job there is no best interval; a checkpoint once in a month.
constexpr double kRareInterval = kMonth;
constexpr std::array kFactors = {0.25, 0.5, 1.0, 2.0, 4.0};

double speed_of(const FailureOutcome& outcome, const NetworkFailures& network) {
  if (outcome.step_during && network.step && *outcome.step_during > 0) {
    return std::clamp(*network.step / *outcome.step_during, 0.01, 1.0);
  }
  return std::clamp(outcome.speed, 0.01, 1.0);
}

/// Of the time, where failures come so often: what is left when slow and stalled parts are taken from it one by one.
double formula_of(const std::vector<FailureClass>& classes, const failures::CheckpointTerms& terms,
                  const failures::CheckpointPlan& plan) {
  double share = 1;
  if (std::isfinite(terms.mean_between)) {
    failures::CheckpointTerms own = terms;
    own.time = plan.asynchronous ? 0 : terms.time;
    share = failures::efficiency(own, plan.interval);
    // An asynchronous one is complete only when it has been written.
    share *= plan.asynchronous ? std::max(0.0, 1 - terms.time / terms.mean_between) : 1;
  } else {
    share = plan.asynchronous ? 1 : plan.interval / (plan.interval + terms.time);
  }
  for (const FailureClass& one : classes) {
    if (one.ends_job) {
      continue;
    }
    share *= 1 - std::min(1.0, one.per_second * one.stall);
    share *= 1 - (1 - one.speed) * (1 - std::exp(-one.per_second * one.lasts));
  }
  return share;
}

double losses_per_second(const std::vector<FailureClass>& classes) {
  double rate = 0;
  for (const FailureClass& one : classes) {
    rate += one.ends_job ? one.per_second : 0;
  }
  return rate;
}

/// Where too much happens in a month to draw it, what the formula says, without shares of the time.
failures::RenewalResult drawn_or_formula(const std::vector<FailureClass>& classes,
                                         const failures::CheckpointTerms& terms, const failures::CheckpointPlan& plan,
                                         const failures::RenewalOptions& options) {
  failures::RenewalResult made = failures::simulate_renewal(classes, plan, options);
  if (made.replicas == 0 && !made.interrupted) {
    made.goodput.mean = formula_of(classes, terms, plan);
    made.interruptions.mean = losses_per_second(classes) * options.horizon;
  }
  return made;
}

double interval_of(const scenario::Scenario& scenario, const failures::CheckpointTerms& terms) {
  if (scenario.checkpoint.interval) {
    return scenario.checkpoint.interval->seconds();
  }
  if (!std::isfinite(terms.mean_between)) {
    return kRareInterval;
  }
  // Where writing costs nothing, one after the other; at least a second.
  return scenario.checkpoint.mode == scenario::CheckpointMode::kAsynchronous
             ? std::max(terms.time, 1.0)
             : std::max(failures::best_interval(terms), 1.0);
}

}  // namespace

std::vector<FailureClass> failure_classes(const NetworkFailures& network, const scenario::Scenario& scenario) {
  std::vector<FailureClass> classes;
  for (const FailureOutcome& outcome : network.outcomes) {
    const double rate = outcome.per_month() / kMonth;
    if (!outcome.known || rate <= 0) {
      continue;
    }
    FailureClass made{.name = outcome.kind, .per_second = rate, .ends_job = outcome.lost};
    if (!outcome.lost) {
      made.stall = outcome.stall;
      made.speed = speed_of(outcome, network);
      made.lasts = outcome.lasts;
      if (outcome.kind == word_of(FailureCase::kFlapping)) {
        made.stall *=
            std::ceil(scenario.failure_rates.flap_duration.seconds() / scenario.failure_rates.flap_period.seconds());
        made.speed = 1;
      }
    }
    classes.push_back(made);
  }
  return classes;
}

bool add_goodput(NetworkFailures& network, const scenario::Scenario& scenario, const GoodputOptions& goodput) {
  const std::vector<FailureClass> classes = failure_classes(network, scenario);
  const double losses = losses_per_second(classes);
  const failures::CheckpointTerms terms{.time = assembly::checkpoint_seconds(scenario),
                                        .restart = scenario.checkpoint.restart.seconds(),
                                        .mean_between = losses > 0 ? 1 / losses : HUGE_VAL};
  network.checkpoint_time = terms.time;
  network.restart = terms.restart;
  network.asynchronous = scenario.checkpoint.mode == scenario::CheckpointMode::kAsynchronous;
  if (losses > 0) {
    network.mean_between = terms.mean_between;
    network.young = failures::young_interval(terms);
    network.daly = failures::daly_interval(terms);
    network.best = failures::best_interval(terms);
  }
  network.interval = interval_of(scenario, terms);
  const failures::CheckpointPlan plan{
      .interval = network.interval, .time = terms.time, .restart = terms.restart, .asynchronous = network.asynchronous};
  network.formula = formula_of(classes, terms, plan);
  const failures::RenewalOptions options{
      .seed = static_cast<std::uint64_t>(scenario.seed), .replicas = goodput.months, .keep_going = goodput.keep_going};
  network.drawn = drawn_or_formula(classes, terms, plan, options);
  for (const double factor : kFactors) {
    std::vector<FailureClass> scaled = classes;
    for (FailureClass& one : scaled) {
      one.per_second *= factor;
    }
    failures::CheckpointTerms own = terms;
    own.mean_between /= factor;
    failures::CheckpointPlan planned = plan;
    planned.interval = interval_of(scenario, own);
    const failures::RenewalResult drawn = drawn_or_formula(scaled, own, planned, options);
    if (network.drawn.interrupted || drawn.interrupted) {
      return false;
    }
    network.by_rate.push_back({.factor = factor, .goodput = drawn.goodput.mean});
  }
  return true;
}

}  // namespace weft::study::compare
