// Failures of a scenario: whether each can happen in its run.
#include <algorithm>
#include <set>

#include "base/format_quantity.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

constexpr Probability kLeastSpeed = Probability::from_ratio({.numerator = 1, .denominator = 100});

Result<void> validate_time(const Scenario& scenario, const FailureSettings& failure, const std::string& path) {
  if (!failure.at) {
    return scenario.stop
               ? Result<void>()
               : fail_at(
                     scenario, path + "kind",
                     "a failure that is drawn needs the run's end: set stop at the top of the scenario, or at here");
  }
  if (failure.fit) {
    return fail_at(scenario, path + "fit", "has no effect with at: give a time or a rate");
  }
  if (failure.select.empty() && failure.kind != FailureKind::kSubnetManager) {
    return fail_at(scenario, path + "at", "which one fails then? Set select");
  }
  if (failure.kind == FailureKind::kFlapping && !failure.duration && !scenario.stop) {
    return fail_at(scenario, path + "at",
                   "a link that flaps without end; set duration, or stop at the top of the scenario");
  }
  return {};
}

Result<void> validate_slow_gpu(const Scenario& scenario, const FailureSettings& failure, const std::string& path) {
  if (*failure.speed < kLeastSpeed) {
    return fail_at(scenario, path + "speed", "at least 1%");
  }
  const bool always = failure.at && *failure.at == Duration::zero() && !failure.duration;
  const auto is_composed = [](const JobSettings& job) {
    return job.trains() && job.training.fidelity == StepFidelity::kComposed;
  };
  if (const auto job = std::ranges::find_if(scenario.jobs, is_composed); job != scenario.jobs.end() && !always) {
    return fail_at(scenario, path + "kind",
                   "job '{}' is composed, and has no times at which a GPU could become slow; set its fidelity = "
                   "\"packet\", or at = \"0 s\" without duration",
                   job->name);
  }
  return std::ranges::any_of(scenario.jobs, &JobSettings::runs_steps)
             ? Result<void>()
             : fail_at(scenario, path + "kind", "no [[job]] computes");
}

Result<void> validate_kind(const Scenario& scenario, const FailureSettings& failure, const std::string& path) {
  switch (failure.kind) {
    case FailureKind::kFlapping:
      return *failure.down < *failure.period
                 ? Result<void>()
                 : fail_at(scenario, path + "down", "{} of a period of {}: it has to be up for a part", *failure.down,
                           *failure.period);
    case FailureKind::kDegradedLanes:
      return *failure.width > Probability::zero() ? Result<void>()
                                                  : fail_at(scenario, path + "width", "nothing left; use link-down");
    case FailureKind::kGpuSlow:
      return validate_slow_gpu(scenario, failure, path);
    case FailureKind::kSubnetManager:
      // Of a file that another family is tried on it stays without effect.
      return is_infiniband(scenario.fabric.family) ||
                     rank_of(scenario, path + "kind") < rank_of(scenario, "fabric.family")
                 ? Result<void>()
                 : fail_at(scenario, path + "kind", "'subnet-manager' is of infiniband, and the family is \"{}\"",
                           word_of(scenario.fabric.family));
    case FailureKind::kLinkDown:
    case FailureKind::kSwitchReboot:
    case FailureKind::kNicPort:
      break;
  }
  return {};
}

Result<void> validate_library(const Scenario& scenario) {
  return !scenario.library.reconnects() || has_ib_transport(scenario.fabric.family) ||
                 rank_of(scenario, "library.reconnect_attempts") < rank_of(scenario, "fabric.family")
             ? Result<void>()
             : fail_at(scenario, "library.reconnect_attempts",
                       "queue pairs are connected anew on RoCE and InfiniBand alone, and the family is \"{}\"; set it "
                       "to 0",
                       word_of(scenario.fabric.family));
}

}  // namespace

Result<void> validate_failures(const Scenario& scenario) {
  if (Result<void> right = validate_library(scenario); !right) {
    return right;
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    const FailureSettings& failure = scenario.failures[i];
    const std::string path = fmt::format("failure[{}].", i);
    if (!names.insert(failure.name).second) {
      return fail_at(scenario, path + "name", "a second failure '{}'", failure.name);
    }
    for (const auto check : {validate_time, validate_kind}) {
      if (Result<void> right = check(scenario, failure, path); !right) {
        return right;
      }
    }
  }
  const FailureRates& rates = scenario.failure_rates;
  if (rates.flap_down >= rates.flap_period) {
    return fail_at(scenario, "failures.flap_down", "{} of a period of {}: it has to be up for a part", rates.flap_down,
                   rates.flap_period);
  }
  if (rates.degraded_width == Probability::zero()) {
    return fail_at(scenario, "failures.degraded_width", "nothing left; lost cables are of link_fit");
  }
  return rates.gpu_slow_speed >= kLeastSpeed ? Result<void>()
                                             : fail_at(scenario, "failures.gpu_slow_speed", "at least 1%");
}

}  // namespace weft::study::scenario
