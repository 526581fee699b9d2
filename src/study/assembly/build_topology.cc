#include "study/assembly/build_topology.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "fabric/fabric.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/topologies.h"
#include "study/assembly/build_control.h"
#include "study/assembly/build_reduction.h"
#include "study/assembly/topology_table.h"
#include "study/scenario/place_error.h"
#include "study/scenario/scenario_derive.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"
#include "study/scenario/selector.h"

namespace weft::study::assembly {
namespace {

Rate port_rate(const scenario::DeviceSettings& devices, const fabric::Graph& graph, fabric::LinkEnd end) {
  return end.node.value() < graph.endpoints ? devices.nic.port_rate : devices.switch_.port_rate;
}

// Whether an override that means the port gives the rate of its link.
bool gives_rate(const scenario::Scenario& scenario, const std::string& port, const std::string& path) {
  return std::ranges::any_of(scenario.overrides, [&](const scenario::DeviceOverride& override) {
    return scenario::selects(override.select, port) && !override.by_link() &&
           std::ranges::find(override.assignments, path, &scenario::Assignment::path) != override.assignments.end();
  });
}

// Overrides may give single cables another rate or length; either end may be the one that is named, and the slower one
// counts. A cable whose rate follows from ports, and not from a topology's file, follows its own.
void apply_cable_overrides(const scenario::Scenario& scenario, fabric::Graph& graph) {
  if (scenario.overrides.empty()) {
    return;
  }
  for (fabric::Link& link : graph.links) {
    const scenario::LinkTier tier = tier_of(graph, link);
    const scenario::LinkSettings& plain = scenario.devices.link(tier);
    const std::string path = fmt::format("link.{}.rate", scenario::word_of(tier));
    std::optional<Rate> given;
    std::optional<Rate> of_ports;
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      const std::string port = fabric::port_name(graph, end);
      const scenario::DeviceSettings devices = scenario::settings_of_port(scenario, port);
      const scenario::LinkSettings& changed = devices.link(tier);
      if (gives_rate(scenario, port, path)) {
        given = given ? std::min(*given, changed.rate) : changed.rate;
      }
      const Rate own = port_rate(devices, graph, end);
      of_ports = of_ports ? std::min(*of_ports, own) : own;
      if (changed.propagation != plain.propagation) {
        link.propagation = changed.propagation;
      }
    }
    if (given) {
      link.rate = *given;
    } else if (link.rate == plain.rate && scenario::rate_follows_ports(scenario, tier)) {
      link.rate = *of_ports;
    }
  }
}

// Names of all ports of a large network are made only if something may mean one.
Result<void> check_names(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const bool means_ports = !scenario.overrides.empty() || !scenario.events.empty() || !scenario.failures.empty();
  const bool means_hosts = std::ranges::any_of(scenario.traffic, [](const scenario::TrafficSettings& traffic) {
    return !traffic.sources.empty() || !traffic.destinations.empty();
  });
  if (!means_ports && !means_hosts) {
    return {};
  }
  std::vector<std::string> hosts;
  std::vector<std::string> devices;
  std::vector<std::string> ports;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const fabric::Node& node = graph.nodes[i];
    devices.push_back(node.name);
    for (std::uint16_t port = 0; means_ports && port < node.ports; ++port) {
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
Result<void> check_port_counts(const scenario::Scenario& scenario, const fabric::Graph& graph) {
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
  Result<fabric::TopologyOptions> options = row_of(scenario.topology.kind).options(scenario);
  if (!options) {
    return pass_on(options);
  }
  Result<fabric::Graph> graph = fabric::build_topology(*options);
  if (!graph) {
    return graph;
  }
  if (Result<void> fits = check_port_counts(scenario, *graph); !fits) {
    return pass_on(fits);
  }
  return graph;
}

}  // namespace

scenario::LinkTier tier_of(const fabric::Graph& graph, const fabric::Link& link) {
  const bool at_host = link.a.node.value() < graph.endpoints || link.b.node.value() < graph.endpoints;
  const auto [lower, upper] = std::minmax({graph[link.a.node].tier, graph[link.b.node].tier});
  const bool between_spines = upper > 2 || lower >= 2;
  return at_host ? scenario::LinkTier::kHost : between_spines ? scenario::LinkTier::kSpine : scenario::LinkTier::kLeaf;
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
  if (scenario::has_control(scenario)) {
    if (Result<void> swapped = swap_cables(scenario, *graph); !swapped) {
      return pass_on(swapped);
    }
  }
  if (Result<void> added = add_reducers(scenario, *graph); !added) {
    return pass_on(added);
  }
  return graph;
}

}  // namespace weft::study::assembly
