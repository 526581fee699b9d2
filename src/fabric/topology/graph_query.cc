#include "fabric/topology/graph_query.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <vector>

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

double oversubscription(const Graph& graph) {
  std::vector<SwitchRates> rates(graph.nodes.size());
  for (const Link& link : graph.links) {
    const std::uint8_t of_a = graph[link.a.node].tier;
    const std::uint8_t of_b = graph[link.b.node].tier;
    if (of_a == of_b) {
      continue;
    }
    SwitchRates& upper = rates[(of_a < of_b ? link.b : link.a).node.value()];
    SwitchRates& lower = rates[(of_a < of_b ? link.a : link.b).node.value()];
    upper.down = upper.down + link.rate;
    lower.up = lower.up + link.rate;
  }
  std::map<std::uint8_t, double> of_tier;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    if (rates[i].up > Rate::zero()) {
      double& largest = of_tier.try_emplace(graph.nodes[i].tier, 1).first->second;
      largest = std::max(largest, static_cast<double>(rates[i].down.bits_per_second()) /
                                      static_cast<double>(rates[i].up.bits_per_second()));
    }
  }
  double all = 1;
  for (const auto& [tier, ratio] : of_tier) {
    all *= ratio;
  }
  return all;
}

}  // namespace weft::fabric
