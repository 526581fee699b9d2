// Networks whose cables close cycles of buffers: what their sizes, their routing and their buffers must be.
#include <algorithm>
#include <optional>

#include "study/scenario/buffer_cycles.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

/// The first priority of Ethernet that loses nothing for want of a buffer.
std::optional<std::size_t> lossless_priority(const EthernetSettings& ethernet) {
  const auto found = std::ranges::find_if(
      ethernet.priorities, [](const PrioritySettings& priority) { return priority.lossless || priority.credits; });
  return found == ethernet.priorities.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - ethernet.priorities.begin()));
}

Result<void> validate_place_of_policy(const Scenario& scenario) {
  const RoutingPolicy policy = scenario.routing.policy;
  if (policy == RoutingPolicy::kDimensionOrder && scenario.topology.kind != TopologyKind::kTorus) {
    return fail_at(scenario, "routing.policy",
                   "'dimension-order' is for topology.kind = \"torus\"; {} has no dimensions",
                   word_of(scenario.topology.kind));
  }
  if (detours(policy) && scenario.topology.kind != TopologyKind::kDragonflyPlus) {
    return fail_at(scenario, "routing.policy",
                   "'{}' goes over groups of topology.kind = \"dragonfly-plus\"; {} has none", word_of(policy),
                   word_of(scenario.topology.kind));
  }
  return {};
}

/// What waits for room in the next buffer must not wait for itself: rings of a torus, and ways over intermediate
/// groups.
Result<void> validate_buffers(const Scenario& scenario) {
  const RoutingPolicy policy = scenario.routing.policy;
  const bool torus = scenario.topology.kind == TopologyKind::kTorus;
  if (torus && is_infiniband(scenario.fabric.family) && policy != RoutingPolicy::kDimensionOrder &&
      !has_manager(scenario.routing)) {
    return fail_at(scenario, "routing.policy",
                   "with '{}' credits around the rings of a torus would wait for each other (deadlock); use "
                   "dimension-order, or lft with routing.engine = \"dfsssp\", \"lash\" or \"nue\"",
                   word_of(policy));
  }
  if (!closes_cycles(scenario)) {
    return {};
  }
  const std::string what = torus ? "the rings of a torus" : fmt::format("paths of '{}'", word_of(policy));
  if (!is_infiniband(scenario.fabric.family)) {
    if (const auto lossless = lossless_priority(scenario.devices.ethernet)) {
      return fail_at(
          scenario,
          fmt::format("ethernet.priority.{}.{}", *lossless,
                      scenario.devices.ethernet.priorities[*lossless].lossless ? "lossless" : "credits"),
          "{} close cycles of buffers: switches that pause each other around one never go on (deadlock). Set "
          "fabric.qos = \"ecn-only\" (or fabric.tuning = \"lossy\"), or use InfiniBand, whose lanes break the cycle",
          what);
    }
    return {};
  }
  const InfinibandSettings& infiniband = scenario.devices.infiniband;
  const std::int64_t sets = lane_sets(scenario);
  if (infiniband.vls % sets != 0) {
    return fail_at(scenario, "infiniband.vls",
                   "{} VLs; {} need an even number, half of them for packets behind the point that breaks a cycle of "
                   "buffers: 2, 4 or 8",
                   infiniband.vls, what);
  }
  for (const std::int64_t vl : infiniband.sl2vl) {
    if (vl >= infiniband.vls / sets && vl != 15) {
      return fail_at(
          scenario, "infiniband.sl2vl",
          "VL {} is for packets behind the point that breaks a cycle of buffers; service levels have 0 to {}", vl,
          infiniband.vls / sets - 1);
    }
  }
  return {};
}

Result<void> validate_sizes(const Scenario& scenario) {
  const TopologySettings& topology = scenario.topology;
  if (topology.kind != TopologyKind::kTorus) {
    return {};
  }
  if (topology.sizes.empty() || topology.sizes.size() > 3) {
    return fail_at(scenario, topology.sizes.empty() ? "topology.kind" : "topology.sizes",
                   "'torus' needs topology.sizes, the switches of a ring in each of one to three dimensions, such as "
                   "[4, 4]; found {}",
                   topology.sizes.size());
  }
  // A packet's hop limit is 64.
  constexpr std::int64_t kLongest = 60;
  std::int64_t hops = 0;
  for (const std::int64_t size : topology.sizes) {
    hops += size / 2;
  }
  return hops <= kLongest ? Result<void>()
                          : fail_at(scenario, "topology.sizes", "paths have up to {} hops between switches; at most {}",
                                    hops, kLongest);
}

}  // namespace

Result<void> validate_cycles(const Scenario& scenario) {
  for (const auto check : {validate_sizes, validate_place_of_policy, validate_buffers}) {
    if (Result<void> right = check(scenario); !right) {
      return right;
    }
  }
  return {};
}

}  // namespace weft::study::scenario
