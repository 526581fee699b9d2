#include "fabric/topology/reducers.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/format_quantity.h"

namespace weft::fabric {
namespace {

Result<void> check_sites(const Graph& graph, std::span<const NodeIndex> switches, const ReducerOptions& options) {
  if (options.propagation <= Duration::zero()) {
    return fail("reducers: an internal link has the propagation delay {}, it must be above 0", options.propagation);
  }
  std::vector<NodeIndex> sorted(switches.begin(), switches.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
    return fail("reducers: {} is named twice", graph[*twice].name);
  }
  for (const NodeIndex at : switches) {
    if (at.value() >= graph.nodes.size() || graph[at].kind != NodeKind::kSwitch) {
      return fail("reducers: node {} is no switch", at.value());
    }
    const std::uint32_t ports = options.ports == 0 ? graph[at].ports : options.ports;
    if (graph[at].ports + ports > std::numeric_limits<std::uint16_t>::max()) {
      return fail("reducers: {} cannot have {} ports more", graph[at].name, ports);
    }
  }
  return {};
}

std::vector<Rate> fastest_cables(const Graph& graph) {
  std::vector<Rate> fastest(graph.nodes.size());
  for (const Link& link : graph.links) {
    for (const LinkEnd end : {link.a, link.b}) {
      fastest[end.node.value()] = std::max(fastest[end.node.value()], link.rate);
    }
  }
  return fastest;
}

}  // namespace

Result<void> add_reducers(Graph& graph, std::span<const NodeIndex> switches, const ReducerOptions& options) {
  WEFT_ASSERT(graph.reducer_ports == 0);
  if (Result<void> valid = check_sites(graph, switches, options); !valid) {
    return valid;
  }
  const std::vector<Rate> fastest = fastest_cables(graph);
  std::vector<Node> added;
  std::vector<Link> links;
  for (const NodeIndex at : switches) {
    Node& node = graph[at];
    const std::uint16_t ports = options.ports == 0 ? node.ports : options.ports;
    for (std::uint16_t port = 0; port < ports; ++port) {
      const NodeIndex endpoint(graph.endpoints + static_cast<std::uint32_t>(added.size()));
      added.push_back({.name = fmt::format("{}/reducer/port{}", node.name, port),
                       .kind = NodeKind::kEndpoint,
                       .domain = node.domain,
                       .ports = 1,
                       .plane = node.plane,
                       .port_type = node.port_type});
      links.push_back({.a = {endpoint, 0},
                       .b = {at, node.ports++},
                       .rate = fastest[at.value()],
                       .propagation = options.propagation});
    }
  }
  const auto moved = static_cast<std::uint32_t>(added.size());
  const auto move = [&](LinkEnd& end) {
    if (end.node.value() >= graph.endpoints) {
      end.node = NodeIndex(end.node.value() + moved);
    }
  };
  for (Link& link : graph.links) {
    move(link.a);
    move(link.b);
  }
  for (Link& link : links) {
    move(link.b);
    graph.links.push_back(link);
  }
  graph.nodes.insert(graph.nodes.begin() + graph.endpoints, added.begin(), added.end());
  graph.endpoints += moved;
  graph.reducer_ports = moved;
  return {};
}

std::vector<ReducerSite> reducers_of(const Graph& graph) {
  std::vector<NodeIndex> switch_of(graph.reducer_ports);
  for (const Link& link : graph.links) {
    for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (near.node.value() >= graph.host_endpoints() && near.node.value() < graph.endpoints) {
        switch_of[near.node.value() - graph.host_endpoints()] = far.node;
      }
    }
  }
  std::vector<ReducerSite> sites;
  for (std::uint32_t i = 0; i < graph.reducer_ports; ++i) {
    if (sites.empty() || sites.back().at != switch_of[i]) {
      sites.push_back({.at = switch_of[i], .first_port = EndpointId(graph.host_endpoints() + i)});
    }
    ++sites.back().ports;
  }
  return sites;
}

}  // namespace weft::fabric
