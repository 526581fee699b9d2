// One run of a scenario at the flow level, to its results.
//
// Results are those of a run with packets as far as these exist: messages, collectives, jobs. Ports, NICs, queues and
// samples have none. They are marked as of the flow level, with the error that its probes measured (flow_probe.h).
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "flow/corrections.h"
#include "study/results/results.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

class FlowSimulation;

struct FlowRunOptions {
  std::string key{};
  std::string version{};
  flow::Corrections corrections{};
  /// Asked now and then; false ends the run as interrupted.
  std::function<bool(const Progress&)> keep_going = [](const Progress&) { return true; };
  /// Told once the network is built, before anything runs.
  std::function<void()> on_ready = [] {};
  /// Told when the steps of jobs are known, before the network is taken down.
  std::function<void(const FlowSimulation&)> on_steps = [](const FlowSimulation&) {};
};

struct FlowRun {
  results::RunResults results;
  // Of the first traffic, if it is a collective.
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;
  Bytes scale_out{};  // that all its ranks sent to other hosts, for all iterations
  // What of the scenario was run, if not all, and what error that has if it is not known; a sentence without its end.
  std::string sampled{};
  // From then on messages of collectives stand for later ones, since what repeats was jumped over.
  Time first_jump = Time::never();
  // Of jobs that run steps: flows of several senders meet on links between switches.
  bool shares_links = false;
};

/// A scenario that is one collective around rings and has no `stop` is run whole if its rounds repeat; by the ranks of
/// two hosts, whose messages are all that it has then, if all hosts are alike; or else for a few steps of each pass and
/// for twice as many: all steps take what the line through both says, and messages are those of the longer sample.
/// Errors: those of FlowSimulation::create. A run that goes wrong has results that say so.
[[nodiscard]] Result<FlowRun> run_as_flows(const scenario::Scenario& scenario, const FlowRunOptions& options);

/// Steps of the shorter sample; rings with fewer than four times as many are run whole.
inline constexpr std::uint32_t kSampledSteps = 4;

}  // namespace weft::study::run
