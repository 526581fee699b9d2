// What configurations of devices contradict: each other, the plan, or the physics of cables and buffers.
//
// With a plan every setting is held against what the plan's scenario comes to in the same syntax, so what a syntax
// cannot say is not missed. Without one it is held against what most ports of the same speed have, and the two ends of
// a cable against each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/devices/device_config.h"
#include "study/scenario/scenario.h"

namespace weft::study::devices {

/// Both are borrowed.
struct LintPlan {
  const scenario::Scenario& scenario;
  const fabric::Graph& graph;
};

/// What a mistake costs in the plan's scenario, means over seeds.
struct MistakeCost {
  double right = 0;  // s, until all is done
  double wrong = 0;
  double least = 0;  // share by which it takes longer, of the seeds the least and the most
  double most = 0;
  std::uint64_t drops_right = 0;  // packets, of all seeds
  std::uint64_t drops_wrong = 0;
  std::int64_t seeds = 0;
  std::string end{};  // how a run ended that did not finish; empty: all did
};

struct Finding {
  std::string rule{};    // "headroom-short"
  std::string device{};  // "leaf0"
  std::string place{};   // "leaf0.json: BUFFER_PROFILE|WEFT_P3|xoff", "leaf0.eos:17"
  std::string what{};    // "8 ports from Ethernet0 on, class 3: headroom of 2 kB"
  std::string right{};   // "at least 92,160 B: ..."
  /// Makes the mistake in the plan's scenario; empty: it cannot be simulated.
  std::function<void(scenario::Scenario&)> mistake{};
  std::string no_cost{};    // why not
  std::string cost_only{};  // what the cost takes for granted: "if hosts use ..."; empty: nothing
  std::optional<MistakeCost> cost{};
};

class Reference;

/// In the order of devices, rules and classes. Errors: those of describing the plan; two configurations of one device.
[[nodiscard]] Result<std::vector<Finding>> lint(const std::vector<DeviceConfig>& devices, const LintPlan* plan);
/// The same against a reference that is there already.
[[nodiscard]] std::vector<Finding> lint_against(const Reference& reference, const std::vector<DeviceConfig>& devices);

}  // namespace weft::study::devices
