#include "fabric/topology/graph_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/assert.h"

namespace weft::fabric {

NodeIndex GraphBuilder::add_endpoint(EndpointSpec spec) {
  WEFT_ASSERT(graph_.switches() == 0);
  const NodeIndex index(graph_.endpoints++);
  graph_.nodes.push_back({.name = std::move(spec.name), .kind = NodeKind::kEndpoint, .plane = spec.plane});
  return index;
}

void GraphBuilder::add_hosts(const HostsSpec& spec) {
  const PortPlaces places = PortPlaces::of(spec.ports_per_nic, spec.port_spread);
  graph_.nodes.reserve(std::size_t{spec.hosts} * spec.nics_per_host * spec.ports_per_nic);
  for (std::uint32_t host = 0; host < spec.hosts; ++host) {
    for (std::uint32_t nic = 0; nic < spec.nics_per_host; ++nic) {
      for (std::uint32_t port = 0; port < spec.ports_per_nic; ++port) {
        const std::string suffix = spec.ports_per_nic > 1 ? fmt::format("/port{}", port) : std::string();
        add_endpoint({.name = fmt::format("host{}/nic{}{}", host, nic, suffix),
                      .plane = static_cast<std::uint16_t>(places.plane_of(port))});
      }
    }
  }
}

NodeIndex GraphBuilder::add_switch(SwitchSpec spec) {
  const std::uint32_t ordinal = graph_.switches();
  WEFT_ASSERT(ordinal <= std::numeric_limits<std::uint16_t>::max());
  const NodeIndex index(static_cast<std::uint32_t>(graph_.nodes.size()));
  const auto domain = domains_ == Domains::kOne ? spec.plane : static_cast<std::uint16_t>(ordinal);
  graph_.nodes.push_back({.name = std::move(spec.name),
                          .kind = NodeKind::kSwitch,
                          .tier = spec.tier,
                          .domain = domain,
                          .plane = spec.plane,
                          .group = spec.group});
  return index;
}

void GraphBuilder::add_link(const Link& link) {
  for (const LinkEnd& end : {link.a, link.b}) {
    Node& node = graph_[end.node];
    WEFT_ASSERT(node.kind == NodeKind::kSwitch && end.port < std::numeric_limits<std::uint16_t>::max());
    node.ports = std::max(node.ports, static_cast<std::uint16_t>(end.port + 1));
  }
  graph_.links.push_back(link);
}

void GraphBuilder::connect(const CableEnds& ends, const Cable& cable, std::uint32_t parallel) {
  Node& lower = graph_[ends.lower];
  Node& upper = graph_[ends.upper];
  WEFT_ASSERT(std::max(lower.ports, upper.ports) + parallel <= std::numeric_limits<std::uint16_t>::max());
  if (lower.kind == NodeKind::kEndpoint) {
    WEFT_ASSERT(lower.ports == 0 && parallel == 1);  // an endpoint has exactly one link
    lower.domain = upper.domain;
  }
  for (std::uint32_t i = 0; i < parallel; ++i) {
    graph_.links.push_back({.a = {ends.lower, lower.ports++},
                            .b = {ends.upper, upper.ports++},
                            .rate = cable.rate,
                            .propagation = cable.propagation});
  }
}

}  // namespace weft::fabric
