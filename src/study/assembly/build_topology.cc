#include "study/assembly/build_topology.h"

#include <algorithm>
#include <set>

#include "base/int128.h"
#include "fabric/fabric.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/topologies.h"
#include "study/assembly/build_reduction.h"
#include "study/scenario/place_error.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/selector.h"

namespace weft::study::assembly {
namespace {

/// What a key of a scenario can say.
constexpr std::int64_t kMaxSpines = 1'000'000;

fabric::Cable cable_of(const scenario::LinkSettings& link) {
  return {.rate = link.rate, .propagation = link.propagation};
}

std::uint32_t count(std::int64_t value) { return static_cast<std::uint32_t>(value); }

fabric::Domains domains_of(const scenario::Scenario& scenario) {
  return scenario.topology.domains == scenario::Domains::kRouted ? fabric::Domains::kRouted : fabric::Domains::kOne;
}

std::uint32_t half_up(std::int64_t value) { return static_cast<std::uint32_t>((value + 1) / 2); }

// A leaf with radix ports and an oversubscription of d:u has u / (d + u) of them upwards.
Result<std::uint32_t> uplinks_of(const scenario::TopologySettings& topology) {
  const std::int64_t sum = topology.oversubscription.down + topology.oversubscription.up;
  if (topology.radix * topology.oversubscription.up % sum != 0) {
    return fail("{} ports of a leaf cannot be split {}:{} between hosts and uplinks", topology.radix,
                topology.oversubscription.down, topology.oversubscription.up);
  }
  return static_cast<std::uint32_t>(topology.radix * topology.oversubscription.up / sum);
}

Result<fabric::TopologyOptions> fat_tree_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  Result<std::uint32_t> uplinks = uplinks_of(topology);
  if (!uplinks) {
    return pass_on(uplinks);
  }
  return fabric::FatTreeOptions{.radix = count(topology.radix),
                                .tiers = count(topology.tiers),
                                .hosts = count(topology.hosts),
                                .nics_per_host = count(topology.nics_per_host),
                                .leaf_uplinks = *uplinks,
                                .parallel_links = count(topology.parallel_links),
                                .host_link = cable_of(scenario.devices.link(scenario::LinkTier::kHost)),
                                .leaf_link = cable_of(scenario.devices.link(scenario::LinkTier::kLeaf)),
                                .core_link = cable_of(scenario.devices.link(scenario::LinkTier::kSpine)),
                                .domains = domains_of(scenario)};
}

// Given, or as many as carry what the oversubscription leaves of the rate of a leaf's `downlinks`, rounded up.
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

Result<fabric::TopologyOptions> rail_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t group = topology.hosts_per_leaf > 0 ? topology.hosts_per_leaf : topology.hosts;
  if (group <= 0 || topology.hosts % group != 0) {
    return fail("{} hosts is not a multiple of hosts_per_leaf = {}", topology.hosts, group);
  }
  const bool planes = topology.planes > 1;
  if (planes && topology.planes != topology.ports_per_nic) {
    return fail("{} planes need NICs of as many ports; ports_per_nic is {}", topology.planes, topology.ports_per_nic);
  }
  // The rails of one group need no spines to reach all of it.
  const std::uint32_t spines = topology.hosts == group ? count(topology.spines) : spines_of(scenario, group);
  return fabric::RailOptimisedOptions{.groups = count(topology.hosts / group),
                                      .hosts_per_group = count(group),
                                      .rails = count(topology.nics_per_host),
                                      .spines = spines,
                                      .parallel_links = count(topology.parallel_links),
                                      .ports_per_nic = count(topology.ports_per_nic),
                                      .port_spread = planes ? fabric::PortSpread::kPlanes : fabric::PortSpread::kLeaves,
                                      .host_link = cable_of(scenario.devices.link(scenario::LinkTier::kHost)),
                                      .fabric_link = cable_of(scenario.devices.link(scenario::LinkTier::kLeaf)),
                                      .domains = domains_of(scenario)};
}

Result<fabric::TopologyOptions> leaf_spine_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  std::int64_t leaves = topology.leaves;
  std::int64_t per_leaf = topology.hosts_per_leaf;
  if (per_leaf == 0 && leaves > 0) {
    per_leaf = topology.hosts / leaves;
  } else if (leaves == 0 && per_leaf > 0) {
    leaves = topology.hosts / per_leaf;
  }
  if (leaves == 0 && per_leaf == 0) {
    return fail("topology: the number of hosts per leaf is missing; set topology.leaves or topology.hosts_per_leaf");
  }
  if (topology.hosts != 0 && leaves * per_leaf != topology.hosts) {
    return fail("{} leaves of {} hosts are {} hosts, not {}", leaves, per_leaf, leaves * per_leaf, topology.hosts);
  }
  return fabric::LeafSpineOptions{.leaves = count(leaves),
                                  .spines = spines_of(scenario, per_leaf * topology.nics_per_host),
                                  .hosts_per_leaf = count(per_leaf),
                                  .nics_per_host = count(topology.nics_per_host),
                                  .parallel_links = count(topology.parallel_links),
                                  .host_link = cable_of(scenario.devices.link(scenario::LinkTier::kHost)),
                                  .fabric_link = cable_of(scenario.devices.link(scenario::LinkTier::kLeaf)),
                                  .domains = domains_of(scenario)};
}

Result<fabric::TopologyOptions> options_of(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const fabric::Cable host = cable_of(scenario.devices.link(scenario::LinkTier::kHost));
  const fabric::Cable leaf = cable_of(scenario.devices.link(scenario::LinkTier::kLeaf));
  switch (topology.kind) {
    case scenario::TopologyKind::kSingleSwitch:
      return fabric::SingleSwitchOptions{.hosts = count(topology.hosts),
                                         .nics_per_host = count(topology.nics_per_host),
                                         .host_link = host,
                                         .domains = domains_of(scenario)};
    case scenario::TopologyKind::kDumbbell:
      return fabric::DumbbellOptions{.left_hosts = half_up(topology.hosts),
                                     .right_hosts = count(topology.hosts / 2),
                                     .nics_per_host = count(topology.nics_per_host),
                                     .parallel_links = count(topology.parallel_links),
                                     .host_link = host,
                                     .bottleneck = leaf,
                                     .domains = domains_of(scenario)};
    case scenario::TopologyKind::kParkingLot:
      if (topology.hosts % topology.switches != 0) {
        return fail("{} hosts cannot be distributed evenly over {} switches", topology.hosts, topology.switches);
      }
      return fabric::ParkingLotOptions{.switches = count(topology.switches),
                                       .hosts_per_switch = count(topology.hosts / topology.switches),
                                       .nics_per_host = count(topology.nics_per_host),
                                       .parallel_links = count(topology.parallel_links),
                                       .host_link = host,
                                       .chain_link = leaf,
                                       .domains = domains_of(scenario)};
    case scenario::TopologyKind::kLeafSpine:
      return leaf_spine_options(scenario);
    case scenario::TopologyKind::kFatTree:
      return fat_tree_options(scenario);
    case scenario::TopologyKind::kRailOptimised:
      return rail_options(scenario);
    case scenario::TopologyKind::kFile:
      break;
  }
  return fabric::GraphFileOptions{.file = topology.file};
}

// Overrides may give single cables another rate or length; either end may be the one that is named.
void apply_cable_overrides(const scenario::Scenario& scenario, fabric::Graph& graph) {
  if (scenario.overrides.empty()) {
    return;
  }
  for (fabric::Link& link : graph.links) {
    const scenario::LinkTier tier = tier_of(graph, link);
    const scenario::LinkSettings& plain = scenario.devices.link(tier);
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      const scenario::LinkSettings changed =
          scenario::settings_of_port(scenario, fabric::port_name(graph, end)).link(tier);
      if (changed.rate != plain.rate) {
        link.rate = changed.rate;
      }
      if (changed.propagation != plain.propagation) {
        link.propagation = changed.propagation;
      }
    }
  }
}

Result<void> check_names(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<std::string> hosts;
  std::vector<std::string> devices;
  std::vector<std::string> ports;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const fabric::Node& node = graph.nodes[i];
    devices.push_back(node.name);
    for (std::uint16_t port = 0; port < node.ports; ++port) {
      ports.push_back(fabric::port_name(graph, {fabric::NodeIndex(i), port}));
    }
    if (i < graph.endpoints) {
      std::string host = host_of(graph, EndpointId(i));
      if (hosts.empty() || hosts.back() != host) {
        hosts.push_back(std::move(host));
      }
    }
  }
  return scenario::check_selectors(scenario, {.hosts = hosts, .devices = devices, .ports = ports});
}

// Of overrides that mean ports by their links: names alone were checked before cables had their rates.
Result<void> check_link_selectors(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  for (const scenario::DeviceOverride& override : scenario.overrides) {
    const auto meant = [&](const fabric::Link& link) {
      const scenario::PortLink own{.rate = link.rate, .tier = tier_of(graph, link)};
      return scenario::selects_link(override, own) &&
             (scenario::selects(override.select, fabric::port_name(graph, link.a)) ||
              scenario::selects(override.select, fabric::port_name(graph, link.b)));
    };
    if (override.by_link() && std::ranges::none_of(graph.links, meant)) {
      return fail("{}: the override of {} selects no port", override.place, scenario::override_title(override));
    }
  }
  return {};
}

// A free graph says itself what is wrong with it; that a switch has so many ports is for all shapes alike.
Result<void> check_ports(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    const fabric::Node& node = graph.nodes[i];
    const std::int64_t ports = scenario.overrides.empty()
                                   ? scenario.devices.switch_.ports
                                   : scenario::settings_of_device(scenario, node.name).switch_.ports;
    if (node.ports > ports) {
      return fail("{} would need {} ports, but switch.ports is {}", node.name, node.ports, ports);
    }
  }
  return {};
}

Result<fabric::Graph> build_cables(const scenario::Scenario& scenario) {
  Result<fabric::TopologyOptions> options = options_of(scenario);
  if (!options) {
    return pass_on(options);
  }
  Result<fabric::Graph> graph = fabric::build_topology(*options);
  if (!graph) {
    return graph;
  }
  if (Result<void> fits = check_ports(scenario, *graph); !fits) {
    return pass_on(fits);
  }
  return graph;
}

}  // namespace

scenario::LinkTier tier_of(const fabric::Graph& graph, const fabric::Link& link) {
  const bool at_host = link.a.node.value() < graph.endpoints || link.b.node.value() < graph.endpoints;
  const int upper = std::max(graph[link.a.node].tier, graph[link.b.node].tier);
  return at_host ? scenario::LinkTier::kHost : upper <= 2 ? scenario::LinkTier::kLeaf : scenario::LinkTier::kSpine;
}

std::string host_of(const fabric::Graph& graph, EndpointId endpoint) {
  return std::string(fabric::host_name(graph[graph.node_of(endpoint)]));
}

Result<fabric::Graph> build_topology(const scenario::Scenario& scenario) {
  Result<fabric::Graph> graph = build_cables(scenario);
  if (!graph) {
    const bool file = scenario.topology.kind == scenario::TopologyKind::kFile;
    return scenario::at_key(scenario, {.path = "topology", .fallback = file ? "file" : "kind"}, graph.error());
  }
  if (Result<void> named = check_names(scenario, *graph); !named) {
    return pass_on(named);
  }
  apply_cable_overrides(scenario, *graph);
  if (Result<void> meant = check_link_selectors(scenario, *graph); !meant) {
    return pass_on(meant);
  }
  if (Result<void> added = add_reducers(scenario, *graph); !added) {
    return pass_on(added);
  }
  return graph;
}

}  // namespace weft::study::assembly
