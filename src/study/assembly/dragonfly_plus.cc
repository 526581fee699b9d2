#include "study/assembly/dragonfly_plus.h"

#include <algorithm>

#include "study/assembly/topology_parts.h"

namespace weft::study::assembly {

Result<fabric::TopologyOptions> dragonfly_plus_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t per_group = topology.leaves * topology.hosts_per_leaf;
  if (per_group == 0) {
    return fail("the size of a group is missing; set topology.leaves and topology.hosts_per_leaf");
  }
  const std::int64_t groups =
      topology.groups > 0 ? topology.groups : std::max<std::int64_t>(topology.hosts / per_group, 1);
  if (topology.hosts != 0 && groups * per_group != topology.hosts) {
    return fail("{} groups of {} leaves with {} hosts are {} hosts, not {}", groups, topology.leaves,
                topology.hosts_per_leaf, groups * per_group, topology.hosts);
  }
  const std::uint32_t spines = spines_of(scenario, topology.hosts_per_leaf * topology.nics_per_host);
  return fabric::DragonflyPlusOptions{.groups = count(groups),
                                      .leaves = count(topology.leaves),
                                      .spines = spines,
                                      .hosts_per_leaf = count(topology.hosts_per_leaf),
                                      .nics_per_host = count(topology.nics_per_host),
                                      .parallel_links = count(topology.parallel_links),
                                      .global_links = topology.global_links > 0 ? count(topology.global_links) : spines,
                                      .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                      .leaf_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                                      .global_link = cable_of(scenario, scenario::LinkTier::kSpine),
                                      .domains = domains_of(scenario)};
}

void grow_groups(scenario::TopologySettings& topology, std::int64_t hosts) {
  const HostGroups groups = groups_of(hosts, topology.leaves * topology.hosts_per_leaf);
  topology.groups = groups.count;
  topology.hosts = groups.count * topology.leaves * topology.hosts_per_leaf;
}

}  // namespace weft::study::assembly
