// What a design cannot be better than, before anything runs: its step, its price, its power, and so the cost of a
// token.
//
// The step is at least the longest path through its graph with every communication as short as its bytes allow
// (workload/training/step_bound.h): bubbles, and gradients that nothing hides, are in it. It is also at least what the
// NICs of all hosts, and the cables that lead out of groups of hosts (pods.h), have to carry, of gradients and
// parameters not before the first of them is ready: oversubscription is in that. Latency, start-up, headers and flows
// that meet on one of several cables come on top. Networks that reduce are taken to send half.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/cost/bill.h"
#include "study/cost/total_cost.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"
#include "workload/training/step_bound.h"

namespace weft::study::plan {

/// Steps that were bounded already, since most designs of a plan have the same job on links of the same rates.
class StepBounds {
 public:
  struct Known {
    workload::StepBound bound{};
    double tokens = 0;  // that the step trains
  };
  /// Of the first job. `job` says what about it differs between the scenarios that are asked for. Errors: those of its
  /// plan.
  [[nodiscard]] Result<const Known*> of(const scenario::Scenario& scenario, const std::string& job);

 private:
  std::map<std::string, Known> known_;
};

/// Of the first job, in seconds. `graph` is the scenario's.
[[nodiscard]] double least_step(const workload::StepBound& bound, const scenario::Scenario& scenario,
                                const fabric::Graph& graph);

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

/// `graph` is the scenario's, `job` as for StepBounds. Errors: those of the job.
[[nodiscard]] Result<Bounds> bounds_of(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                       StepBounds& steps, const std::string& job = {});

}  // namespace weft::study::plan
