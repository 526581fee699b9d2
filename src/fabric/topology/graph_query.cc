#include "fabric/topology/graph_query.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace weft::fabric {

std::optional<NodeIndex> find_node(const Graph& graph, std::string_view name) {
  const auto found =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.name == name; });
  if (found == graph.nodes.end()) {
    return std::nullopt;
  }
  return NodeIndex(static_cast<std::uint32_t>(std::distance(graph.nodes.begin(), found)));
}

std::string_view host_name(const Node& endpoint) { return host_name(std::string_view(endpoint.name)); }

std::string_view host_name(std::string_view endpoint) { return endpoint.substr(0, endpoint.find('/')); }

std::string_view nic_name(const Node& endpoint) {
  constexpr std::string_view kPort = "/port";
  const std::string_view name = endpoint.name;
  const std::size_t at = name.rfind(kPort);
  const bool numbered = at != std::string_view::npos && at + kPort.size() < name.size() &&
                        name.find_first_not_of("0123456789", at + kPort.size()) == std::string_view::npos;
  return numbered ? name.substr(0, at) : name;
}

std::optional<LinkIndex> find_link(const Graph& graph, const LinkEnd& end) {
  const auto found = std::find_if(graph.links.begin(), graph.links.end(),
                                  [&](const Link& link) { return link.a == end || link.b == end; });
  if (found == graph.links.end()) {
    return std::nullopt;
  }
  return LinkIndex(static_cast<std::uint32_t>(std::distance(graph.links.begin(), found)));
}

std::vector<Rate> endpoint_rates(const Graph& graph) {
  std::vector<Rate> rates(graph.endpoints);
  for (const Link& link : graph.links) {
    for (const LinkEnd end : {link.a, link.b}) {
      if (end.node.value() < graph.endpoints) {
        rates[end.node.value()] = link.rate;
      }
    }
  }
  return rates;
}

std::vector<EndpointId> next_ports(const Graph& graph) {
  std::vector<EndpointId> next;
  std::unordered_map<std::string_view, std::uint32_t> last_of_nic;  // lookup only
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    next.emplace_back(i);
    if (i >= graph.host_endpoints()) {
      continue;
    }
    const auto [last, first_port] = last_of_nic.try_emplace(nic_name(graph.nodes[i]), i);
    if (!first_port) {
      std::swap(next[last->second], next[i]);  // takes its place in the ring behind it
      last->second = i;
    }
  }
  return next;
}

std::uint32_t switches_of_tier(const Graph& graph, std::uint8_t tier) {
  return static_cast<std::uint32_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.kind == NodeKind::kSwitch && node.tier == tier;
  }));
}

SwitchRates switch_rates(const Graph& graph, NodeIndex node) {
  SwitchRates rates;
  for (const Link& link : graph.links) {
    if (link.a.node != node && link.b.node != node) {
      continue;
    }
    const Node& other = graph[link.a.node == node ? link.b.node : link.a.node];
    if (other.tier < graph[node].tier) {
      rates.down = rates.down + link.rate;
    } else if (other.tier > graph[node].tier) {
      rates.up = rates.up + link.rate;
    }
  }
  return rates;
}

}  // namespace weft::fabric
