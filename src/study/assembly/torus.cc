#include "study/assembly/torus.h"

#include <algorithm>

#include "study/assembly/topology_parts.h"

namespace weft::study::assembly {
namespace {

std::int64_t switches_of(const scenario::TopologySettings& topology) {
  std::int64_t switches = 1;
  for (const std::int64_t size : topology.sizes) {
    switches *= size;
  }
  return switches;
}

/// 0: they do not fill the switches alike.
std::int64_t hosts_per_switch(const scenario::TopologySettings& topology) {
  if (topology.hosts_per_leaf > 0 || topology.hosts == 0) {
    return std::max<std::int64_t>(topology.hosts_per_leaf, 1);
  }
  const std::int64_t switches = switches_of(topology);
  return topology.hosts % switches == 0 ? topology.hosts / switches : 0;
}

}  // namespace

Result<fabric::TopologyOptions> torus_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t switches = switches_of(topology);
  const std::int64_t per_switch = hosts_per_switch(topology);
  if (topology.hosts != 0 && switches * per_switch != topology.hosts) {
    return per_switch == 0 ? fail("{} hosts cannot be distributed evenly over {} switches", topology.hosts, switches)
                           : fail("{} switches with {} hosts are {} hosts, not {}", switches, per_switch,
                                  switches * per_switch, topology.hosts);
  }
  fabric::TorusOptions options{.sizes = {},
                               .hosts_per_switch = count(per_switch),
                               .nics_per_host = count(topology.nics_per_host),
                               .parallel_links = count(topology.parallel_links),
                               .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                               .ring_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                               .domains = domains_of(scenario)};
  for (const std::int64_t size : topology.sizes) {
    options.sizes.push_back(count(size));
  }
  return options;
}

void grow_torus(scenario::TopologySettings& topology, std::int64_t hosts) {
  const std::int64_t per_switch = std::max<std::int64_t>(hosts_per_switch(topology), 1);
  const std::int64_t layer = switches_of(topology) / topology.sizes.back() * per_switch;
  topology.sizes.back() = std::max<std::int64_t>((hosts + layer - 1) / layer, 2);
  topology.hosts_per_leaf = per_switch;
  topology.hosts = layer * topology.sizes.back();
}

}  // namespace weft::study::assembly
