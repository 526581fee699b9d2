// The failures of a scenario as what happens in its world: events of links, times at which GPUs are slow, times without
// a subnet manager.
//
// Failures that are drawn are a Poisson process for each component by itself, f(seed, failure's name, component's
// name).
#pragma once

#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"
#include "base/time.h"
#include "fabric/link_schedule.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"
#include "workload/training/slow_spans.h"

namespace weft::study::assembly {

/// From `from` up to, not including, `until`; never: to the end of the run.
struct FailureSpan {
  Time from{};
  Time until = Time::never();
  friend bool operator==(const FailureSpan&, const FailureSpan&) = default;
};

/// When a component is failed by one failure of the scenario, in the order of time; spans do not overlap. Those of a
/// failure at a time are one. Errors: more than kMaxFailures drawn.
[[nodiscard]] Result<std::vector<FailureSpan>> failure_spans(const scenario::Scenario& scenario,
                                                             const scenario::FailureSettings& failure,
                                                             const std::string& component);
inline constexpr std::size_t kMaxFailures = 100'000;

/// What the failures do to links. Where several hold a link at once it is down while any of them says so, has the least
/// rate, the most errors and the most latency of them. Errors: a failure that selects nothing of what its kind is
/// about, with its place; more than kMaxFailures.
[[nodiscard]] Result<std::vector<fabric::LinkEvent>> failure_events(const scenario::Scenario& scenario,
                                                                    const fabric::Graph& graph);

/// When the subnet manager is away; of other families never.
[[nodiscard]] Result<std::vector<FailureSpan>> manager_absences(const scenario::Scenario& scenario);
/// Routes learn of what happens while the manager is away, or sweeps, when the standby has swept: sets `reroute_delay`.
void delay_routes(std::vector<fabric::LinkEvent>& events, const std::vector<FailureSpan>& absences);

/// When a GPU ("host3/gpu0") is slow.
[[nodiscard]] Result<workload::SlowSpans> slow_spans(const scenario::Scenario& scenario, const std::string& gpu);
/// Of failures with kind gpu-slow: one that selects none of these. Errors have its place.
[[nodiscard]] Result<void> check_slow_gpus(const scenario::Scenario& scenario, const std::vector<std::string>& gpus);

/// That a GPU takes to write one checkpoint, s: `checkpoint.time`, or its share of the first training job's weights and
/// optimiser states, or kUsualShard without one, at `checkpoint.rate`.
[[nodiscard]] double checkpoint_seconds(const scenario::Scenario& scenario);
/// Of a GPU, where no job trains a model: HPN (Qian et al., SIGCOMM 2024).
inline constexpr Bytes kUsualShard{30'000'000'000};

}  // namespace weft::study::assembly
