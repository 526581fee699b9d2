#include "study/failures/component_counts.h"

#include <algorithm>
#include <set>
#include <vector>

#include "study/assembly/build_topology.h"

namespace weft::study::failures {

ComponentCounts count_components(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  ComponentCounts counts;
  std::set<std::string> hosts;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    hosts.insert(assembly::host_of(graph, EndpointId(i)));
  }
  const auto all_hosts = static_cast<std::int64_t>(hosts.size());
  const std::int64_t per_host = std::max<std::int64_t>(scenario.topology.gpus_per_host, 1);
  for (const scenario::JobSettings& job : scenario.jobs) {
    counts.gpus += job.ranks;
  }
  counts.gpus = counts.gpus == 0 ? all_hosts * per_host : counts.gpus;
  counts.hosts = std::min(all_hosts, (counts.gpus + per_host - 1) / per_host);
  counts.nic_ports = all_hosts == 0 ? 0 : static_cast<std::int64_t>(graph.host_endpoints()) * counts.hosts / all_hosts;
  counts.host_links = counts.nic_ports;
  std::vector<bool> is_leaf(graph.nodes.size(), false);
  for (const fabric::Link& link : graph.links) {
    const bool a = link.a.node.value() < graph.endpoints;
    const bool b = link.b.node.value() < graph.endpoints;
    counts.fabric_links += !a && !b ? 1 : 0;
    if (a != b && (a ? link.a : link.b).node.value() < graph.host_endpoints()) {
      is_leaf[(a ? link.b : link.a).node.value()] = true;
    }
  }
  counts.leaves = std::ranges::count(is_leaf, true);
  counts.spines = static_cast<std::int64_t>(graph.switches()) - counts.leaves;
  counts.managers = scenario::is_infiniband(scenario.fabric.family) ? 1 : 0;
  return counts;
}

}  // namespace weft::study::failures
