// Distributed control: what it can be had with.
#include "study/scenario/fail_at.h"
#include "study/scenario/family.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;
constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

/// Of switches that choose by what is not in their forwarding entries.
bool chooses_by_entries(RoutingPolicy policy) {
  switch (policy) {
    case RoutingPolicy::kEcmp:
    case RoutingPolicy::kEnhancedEcmp:
    case RoutingPolicy::kSpray:
    case RoutingPolicy::kAdaptive:
    case RoutingPolicy::kLetFlow:
    case RoutingPolicy::kDrill:
      return true;
    case RoutingPolicy::kLft:
    case RoutingPolicy::kValiant:
    case RoutingPolicy::kUgal:
    case RoutingPolicy::kConga:
    case RoutingPolicy::kConWeave:
    case RoutingPolicy::kDimensionOrder:
    case RoutingPolicy::kPinned:
    case RoutingPolicy::kCentral:
    case RoutingPolicy::kScheduled:
      break;
  }
  return false;
}

Result<void> validate_control_routing(const Scenario& scenario) {
  const RoutingSettings& routing = scenario.routing;
  if (!chooses_by_entries(routing.policy)) {
    return fail_at(scenario, "control.kind",
                   "'bgp' gives next hops to choose among, and routing.policy = \"{}\" needs more; use ecmp, e-ecmp, "
                   "spray, adaptive, letflow or drill",
                   word_of(routing.policy));
  }
  const bool plain = routing.hash_function == fabric::HashFunction::kMixed && routing.hash_rotation == 0 &&
                     routing.hash_buckets == 0 && !routing.link_aggregation;
  if (!plain || routing.port_weights != PortWeighting::kEqual) {
    return fail_at(
        scenario, plain ? "routing.port_weights" : "routing.hash_function",
        "groups of next hops change one by one with control.kind = \"bgp\", and hashes of hardware, resilient "
        "groups and weights are laid out for all at once; leave them at their defaults");
  }
  if (routing.reorder == ReorderPlace::kLeaf || routing.notification_threshold) {
    return fail_at(scenario, routing.notification_threshold ? "routing.notification_threshold" : "routing.reorder",
                   "has no effect with control.kind = \"bgp\"; leave it out");
  }
  if (routing.port_failover) {
    return fail_at(
        scenario, "routing.port_failover",
        "ports that stand in for one another would be announced as addresses of hosts, and switches announce "
        "those of leaves; leave it out, or control.kind");
  }
  return {};
}

}  // namespace

Result<void> validate_control(const Scenario& scenario) {
  const ControlSettings& own = scenario.control;
  if (own.kind == ControlKind::kNone) {
    return {};
  }
  const Family family = scenario.fabric.family;
  if (is_infiniband(family) || family == Family::kRoceV1) {
    // A comparison of families may have it for those that are routed.
    if (rank_of(scenario, "control.kind") < rank_of(scenario, "fabric.family")) {
      return {};
    }
    return fail_at(scenario, "control.kind", "'bgp' routes IP packets, and those of {} are none; leave it out",
                   word_of(family));
  }
  if (scenario.fidelity == Fidelity::kFlow) {
    return fail_at(scenario, "control.kind", "'bgp' is packets, and fidelity = \"flow\" has none; use \"packet\"");
  }
  if (scenario.devices.ethernet.priorities[static_cast<std::size_t>(own.priority)].lossless) {
    return fail_at(scenario, "control.priority", "priority {} is lossless; give the control plane a lossy one",
                   own.priority);
  }
  if (own.hold_time.picoseconds() % kPicosecondsPerSecond != 0) {
    return fail_at(scenario, "control.hold_time", "BGP counts it in whole seconds");
  }
  if (own.bfd_interval.picoseconds() % kPicosecondsPerMicrosecond != 0) {
    return fail_at(scenario, "control.bfd_interval", "BFD counts it in whole microseconds");
  }
  return validate_control_routing(scenario);
}

bool has_control(const Scenario& scenario) {
  return scenario.control.kind == ControlKind::kBgp && !is_infiniband(scenario.fabric.family) &&
         scenario.fabric.family != Family::kRoceV1;
}

}  // namespace weft::study::scenario
