// What a design cannot be better than, before anything runs: its step, its price, its power, and so the cost of a
// token.
//
// The step is at least what one rank computes and sends in sequence: kernels of the slowest stage, the optimiser, and
// the collectives of tensor, context and expert parallelism that nothing hides, at the full rate of the links and
// without latency (workload/training/step_estimate.h); and at least what gradients and parameters keep its links busy
// for, hidden or not. Bubbles of a pipeline, start-up, and everything that shares links come on top. Networks that
// reduce are taken to send half.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/cost/bill.h"
#include "study/cost/total_cost.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"

namespace weft::study::plan {

/// Of the first job, in seconds. Errors: those of its plan.
[[nodiscard]] Result<double> least_step(const scenario::Scenario& scenario);
/// Trained by a step of the first job. Errors: likewise.
[[nodiscard]] Result<double> tokens_of_step(const scenario::Scenario& scenario);

/// What a user may ask for.
struct Limits {
  std::optional<scenario::Money> budget{};  // to buy: network, hosts, GPUs, cost.other
  std::optional<scenario::Power> power{};   // of everything whose power is known
  std::optional<double> deadline{};         // seconds: of a step, or to train `tokens`
  std::optional<double> tokens{};
  /// The longest step that keeps to the deadline.
  [[nodiscard]] std::optional<double> most_step(double tokens_of_step) const;
};

/// A step as it is known: bounded, or measured.
struct KnownStep {
  double mean = 0;
  std::optional<double> low{};
  std::optional<double> high{};
  std::optional<double> goodput{};  // share of the time, after failures
};
/// Money for a million tokens, as `weft compare` computes it (study/compare/work_cost.h).
[[nodiscard]] report::WorkCost cost_of_tokens(const scenario::Scenario& scenario, const cost::TotalCost& total,
                                              const KnownStep& step, double tokens);

struct Bounds {
  double step = 0;    // s
  double tokens = 0;  // of a step
  cost::Bill bill{};  // of the network
  cost::TotalCost total{};
  double usd = 0;  // for a million tokens
  [[nodiscard]] scenario::Money to_buy() const;
};

enum class Pruned : std::uint8_t { kNot, kBudget, kPower, kDeadline };
[[nodiscard]] Pruned pruned_by(const Bounds& bounds, const Limits& limits);

/// `graph` is the scenario's. Errors: those of the job.
[[nodiscard]] Result<Bounds> bounds_of(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::plan
