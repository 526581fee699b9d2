// Multicast groups of a scenario: what each asks for, and what its run cannot have beside them.
#include <fmt/format.h>

#include "base/format_quantity.h"
#include "study/scenario/buffer_cycles.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

/// Requests of the queue of a sender.
constexpr std::int64_t kMostDatagrams = 4'096;

Result<void> validate_group(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  if (traffic.over == TrafficRoute::kScaleUp) {
    return fail_at(scenario, path + "over", "multicast is in the fabric; scale-up links have none");
  }
  if (const Bytes mtu = Bytes(scenario.fabric.mtu); traffic.size > mtu) {
    return fail_at(scenario, path + "size", "{}; a datagram has at most fabric.mtu, {}", traffic.size, mtu);
  }
  if (traffic.depth > kMostDatagrams) {
    return fail_at(scenario, path + "depth", "{}; a sender of datagrams has at most {} in its queue", traffic.depth,
                   kMostDatagrams);
  }
  if (rank_of(scenario, path + "operation") >= static_cast<int>(Origin::kFile) &&
      traffic.operation != Operation::kSend) {
    return fail_at(scenario, path + "operation", "'{}': datagrams are sent; set it to \"send\" or leave it out",
                   word_of(traffic.operation));
  }
  if (traffic.queue_pairs || traffic.queue_pair_use) {
    return fail_at(scenario, path + (traffic.queue_pairs ? "queue_pairs" : "queue_pair_use"),
                   "a rank has one datagram queue pair for its group; leave it out");
  }
  return {};
}

/// What multicast cannot be beside.
Result<void> validate_company_of_groups(const Scenario& scenario, const std::string& kind) {
  if (!scenario.events.empty() || !scenario.failures.empty()) {
    return fail_at(scenario, kind,
                   "multicast trees are those of the whole network, and no manager makes others when links fail; leave "
                   "out [[{}]]",
                   scenario.events.empty() ? "failure" : "event");
  }
  if (!scenario.attacks.empty()) {
    return fail_at(scenario, kind, "switches that look at attacks do not know groups; leave out [[attack]]");
  }
  if (scenario.devices.host.model == HostModel::kStages) {
    return fail_at(
        scenario, kind,
        "datagrams have no stages in a host; set host.profile = \"ideal\", whose delays are those of the NIC");
  }
  if (scenario.routing.port_failover) {
    return fail_at(scenario, "routing.port_failover",
                   "ports stand in for one another, which multicast groups do not know; set it to false");
  }
  if (lane_sets(scenario) > 1) {
    return fail_at(scenario, kind,
                   "switches of this topology change sets of virtual lanes, which multicast trees do not know; use a "
                   "routing.engine, or another topology");
  }
  if (scenario.fidelity == Fidelity::kFlow) {
    return fail_at(scenario, kind, "switches replicate packets, and fidelity = \"flow\" has none; use \"packet\"");
  }
  return {};
}

}  // namespace

Result<void> validate_multicast(const Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    if (scenario.traffic[i].kind != TrafficKind::kMulticast) {
      continue;
    }
    const std::string path = fmt::format("traffic[{}].", i);
    if (Result<void> right = validate_group(scenario, scenario.traffic[i], path); !right) {
      return right;
    }
    if (Result<void> may = validate_company_of_groups(scenario, path + "kind"); !may) {
      return may;
    }
  }
  return {};
}

}  // namespace weft::study::scenario
