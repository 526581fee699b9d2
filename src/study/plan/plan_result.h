// What a plan has found: how many designs there were and what became of them, what each round changed, and the front.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/plan/bounds.h"
#include "study/plan/feedback.h"
#include "study/plan/front.h"
#include "study/plan/growth.h"

namespace weft::study::plan {

/// A step that was run.
struct Measured {
  std::string level{};  // "flow", "composed"
  double step = 0;      // s, mean over the seeds
  std::optional<double> low{};
  std::optional<double> high{};  // 95 %: seeds, slices, and the level's error where it was measured
  std::string interval{};        // what the interval covers, or why there is none
  std::size_t seeds = 1;
};

/// Mistakes in settings, one at a time (study/compare/misconfigurations.h).
struct TuningRisk {
  /// Share of the step that one mistake in each setting costs, losses added up (study/compare/work_cost.h); as many
  /// settings as there are, with the mean of those that were tried.
  double sum = 0;
  double worst = 0;
  std::string worst_name{};
  std::size_t tried = 0;
  std::size_t of = 0;
};

struct FailureRisk {
  double goodput = 1;         // share of the time
  double half = 0;            // of its 95 % interval
  double losses = 0;          // of the job in a month
  double spares_suffice = 0;  // share of months in which the hosts that fail are no more than the spares
};

/// Why a design was not run.
enum class NotRun : std::uint8_t {
  kNoReason,      // it was, or was meant to be
  kImpossible,    // cannot be built, or its run failed
  kBeyondLimits,  // by its bounds
  kNoGain,        // by its bound it costs more than one that was run
};
/// "not possible", "no gain by its bound"; empty: no reason.
[[nodiscard]] std::string_view to_string(NotRun why);

struct PlannedDesign {
  Design design{};
  std::string name{};
  Bounds bounds{};
  std::optional<Measured> measured{};
  std::optional<Metrics> metrics{};
  report::WorkCost cost{};
  std::optional<TuningRisk> risk{};
  std::optional<FailureRisk> failures{};
  std::optional<Growth> growth{};
  bool keeps_limits = true;  // by its bounds, and with its figures if it has some
  bool finalist = false;     // was run to the last
  bool on_front = false;
  std::string parallelism{};  // "tp 8, pp 4, dp 16"
  std::string file{};         // that its scenario was written to
  std::string reason{};       // why it has no figures
  NotRun not_run = NotRun::kNoReason;

  /// Its bounds, bill and power are known.
  [[nodiscard]] bool is_bounded() const { return bounds.step > 0; }
};

/// One try of the loop: a metric of a round, what was changed for it, and what that brought.
struct Iteration {
  int number = 0;
  std::string metric{};
  std::string change{};
  std::string level{};
  std::optional<double> before{};  // USD for a million tokens
  std::optional<double> after{};
  bool taken = false;
  std::string reason{};  // why it was not run
  NotRun not_run = NotRun::kNoReason;
  [[nodiscard]] std::optional<double> gain() const {
    return before && after ? std::optional(1 - *after / *before) : std::nullopt;
  }
};

struct Round {
  std::string level{};
  std::size_t designs = 0;  // that have figures of it
  std::size_t left = 0;
};

struct PlanResult {
  std::string file{};
  std::string version{};
  std::int64_t gpus = 0;
  std::optional<std::int64_t> later{};
  Limits limits{};
  std::size_t enumerated = 0;
  std::size_t beyond_capacity = 0;
  std::size_t one_switch = 0;                    // combinations for which one has ports enough
  std::map<std::string, std::size_t> refused{};  // why scenarios cannot be built
  std::size_t beyond_budget = 0;
  std::size_t beyond_power = 0;
  std::size_t too_slow = 0;
  std::size_t by_bound = 0;              // could not become better than one that was run
  std::size_t not_run = 0;               // neither: there were more than --designs
  std::vector<std::string> not_taken{};  // keys of the file that the plan decides
  std::vector<std::string> assumed{};    // what runs have and the file does not say
  std::vector<Round> rounds{};
  std::vector<Iteration> iterations{};
  std::vector<PlannedDesign> designs{};  // that were run, the cheapest work first
  std::size_t runs = 0;
  bool interrupted = false;
};

/// Criteria of the front: cost of tokens, step, power, risks as far as they were measured, growth.
[[nodiscard]] Criteria criteria_of(const PlannedDesign& design);
/// Orders the designs and marks those on the front.
void conclude(PlanResult& result);
/// Why the front is empty: no design could be run, with the first reason, or none that was run keeps to the limits.
[[nodiscard]] std::string why_no_front(const PlanResult& result);

}  // namespace weft::study::plan
