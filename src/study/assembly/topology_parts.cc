#include "study/assembly/topology_parts.h"

#include <algorithm>

#include "base/int128.h"

namespace weft::study::assembly {
namespace {

/// What a key of a scenario can say.
constexpr std::int64_t kMaxSpines = 1'000'000;

}  // namespace

fabric::Cable cable_of(const scenario::Scenario& scenario, scenario::LinkTier tier) {
  const scenario::LinkSettings& link = scenario.devices.link(tier);
  return {.rate = link.rate, .propagation = link.propagation};
}

fabric::Domains domains_of(const scenario::Scenario& scenario) {
  return scenario.topology.domains == scenario::Domains::kRouted ? fabric::Domains::kRouted : fabric::Domains::kOne;
}

std::uint32_t spines_of(const scenario::Scenario& scenario, std::int64_t downlinks) {
  const scenario::TopologySettings& topology = scenario.topology;
  if (topology.spines > 0) {
    return count(topology.spines);
  }
  const auto& [down, up] = topology.oversubscription;
  const Rate below = scenario.devices.link(scenario::LinkTier::kHost).rate;
  const Rate above = scenario.devices.link(scenario::LinkTier::kLeaf).rate;
  const Int128 wanted = Int128{below.bits_per_second()} * downlinks * up;
  const Int128 each = Int128{above.bits_per_second()} * topology.parallel_links * down;
  return each == 0 ? 0 : static_cast<std::uint32_t>(std::min<Int128>((wanted + each - 1) / each, kMaxSpines));
}

HostGroups groups_of(std::int64_t hosts, std::int64_t most) {
  if (most <= 0 || hosts <= most) {
    return {.count = 1, .size = hosts};
  }
  return {.count = parts_of(hosts, most), .size = most};
}

std::int64_t hosts_of_leaf(const scenario::TopologySettings& topology) {
  return topology.hosts_per_leaf > 0 ? topology.hosts_per_leaf
         : topology.leaves > 0       ? parts_of(topology.hosts, topology.leaves)
                                     : topology.hosts;
}

}  // namespace weft::study::assembly
