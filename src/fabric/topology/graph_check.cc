#include "fabric/topology/graph_check.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/format_quantity.h"
#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

using Checked = tl::expected<void, GraphFault>;

template <class... Args>
tl::unexpected<GraphFault> whole_at_fault(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<GraphFault>({.error = {fmt::format(format, std::forward<Args>(args)...)}});
}

template <class... Args>
tl::unexpected<GraphFault> node_at_fault(std::size_t index, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<GraphFault>(
      {.error = {fmt::format(format, std::forward<Args>(args)...)}, .part = GraphPart::kNode, .index = index});
}

template <class... Args>
tl::unexpected<GraphFault> link_at_fault(std::size_t index, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<GraphFault>(
      {.error = {fmt::format(format, std::forward<Args>(args)...)}, .part = GraphPart::kLink, .index = index});
}

/// The second link of an endpoint is the one too many; the endpoint itself if it has none.
tl::unexpected<GraphFault> links_at_fault(const Graph& graph, std::size_t endpoint) {
  const Node& node = graph.nodes[endpoint];
  const auto ends_here = [endpoint](const Link& link) {
    return link.a.node.value() == endpoint || link.b.node.value() == endpoint;
  };
  auto link = std::ranges::find_if(graph.links, ends_here);
  if (link != graph.links.end()) {
    link = std::find_if(link + 1, graph.links.end(), ends_here);
  }
  constexpr auto* kMessage = "{} has {} links, an endpoint has exactly 1";
  if (link == graph.links.end()) {
    return node_at_fault(endpoint, kMessage, node.name, node.ports);
  }
  return link_at_fault(static_cast<std::size_t>(link - graph.links.begin()), kMessage, node.name, node.ports);
}

Checked check_nodes(const Graph& graph) {
  if (graph.endpoints > graph.nodes.size()) {
    return whole_at_fault("the graph declares {} endpoints and has {} nodes", graph.endpoints, graph.nodes.size());
  }
  // Routing numbers leaves with 16 bits.
  if (graph.switches() > OptionCheck::kMaxSwitches) {
    return whole_at_fault("the graph has {} switches, the most is {}", graph.switches(), OptionCheck::kMaxSwitches);
  }
  std::vector<std::string_view> names;
  names.reserve(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.name.empty()) {
      return node_at_fault(i, "node {} has no name", i);
    }
    if ((node.kind == NodeKind::kEndpoint) != (i < graph.endpoints)) {
      return node_at_fault(i, "{} is in the wrong order: endpoints first, then switches", node.name);
    }
    if (node.kind == NodeKind::kEndpoint && node.ports != 1) {
      return links_at_fault(graph, i);
    }
    names.push_back(node.name);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return whole_at_fault("two nodes have the name {}", *twice);
  }
  return {};
}

Checked check_link(const Graph& graph, std::size_t index) {
  const Link& link = graph.links[index];
  for (const LinkEnd& end : {link.a, link.b}) {
    if (end.node.value() >= graph.nodes.size()) {
      return link_at_fault(index, "a link ends at node {}, the last is {}", end.node, graph.nodes.size() - 1);
    }
    if (end.port >= graph[end.node].ports) {
      return link_at_fault(index, "a link ends at port {} of {}, which has {} ports", end.port, graph[end.node].name,
                           graph[end.node].ports);
    }
  }
  const Node& a = graph[link.a.node];
  const Node& b = graph[link.b.node];
  if (link.a.node == link.b.node) {
    return link_at_fault(index, "a link connects {} to itself", a.name);
  }
  if (a.plane != b.plane) {
    return link_at_fault(index, "the link from {} to {} connects planes {} and {}", a.name, b.name, a.plane, b.plane);
  }
  if (!are_compatible(a.port_type, b.port_type)) {
    return link_at_fault(
        index, "the link from {} to {} joins an {} port and an {} port: these need a gateway, which is not modelled",
        a.name, b.name, to_string(a.port_type), to_string(b.port_type));
  }
  if (link.rate <= Rate::zero()) {
    return link_at_fault(index, "the link from {} to {} has the rate {}, it must be above 0", a.name, b.name,
                         link.rate);
  }
  if (link.propagation <= Duration::zero()) {
    return link_at_fault(index, "the link from {} to {} has the propagation delay {}, it must be above 0", a.name,
                         b.name, link.propagation);
  }
  return {};
}

/// Every port of every node is used exactly once.
Checked check_ports(const Graph& graph) {
  std::vector<std::size_t> first(graph.nodes.size() + 1, 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    first[i + 1] = first[i] + graph.nodes[i].ports;
  }
  std::vector<char> used(first.back(), 0);
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    for (const LinkEnd& end : {graph.links[i].a, graph.links[i].b}) {
      char& mark = used[first[end.node.value()] + end.port];
      if (mark != 0) {
        return link_at_fault(i, "two links end at port {} of {}", end.port, graph[end.node].name);
      }
      mark = 1;
    }
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (std::size_t port = first[i]; port < first[i + 1]; ++port) {
      if (used[port] == 0) {
        return node_at_fault(i, "no link ends at port {} of {}, which has {} ports", port - first[i],
                             graph.nodes[i].name, graph.nodes[i].ports);
      }
    }
  }
  return {};
}

/// Sets of nodes that links join: each node points towards the one that stands for its set.
class Components {
 public:
  explicit Components(std::size_t nodes) : towards_(nodes) { std::iota(towards_.begin(), towards_.end(), 0U); }

  std::uint32_t of(std::uint32_t node) {
    while (towards_[node] != node) {
      towards_[node] = towards_[towards_[node]];
      node = towards_[node];
    }
    return node;
  }

  void join(const Link& link) { towards_[of(link.a.node.value())] = of(link.b.node.value()); }

 private:
  std::vector<std::uint32_t> towards_;
};

Checked check_connected(const Graph& graph) {
  Components components(graph.nodes.size());
  for (const Link& link : graph.links) {
    components.join(link);
  }
  std::map<std::uint16_t, std::uint32_t> first_of_plane;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const std::uint32_t first = first_of_plane.try_emplace(node.plane, i).first->second;
    if (components.of(first) != components.of(i)) {
      return node_at_fault(i, "{} cannot be reached from {}: no links connect them", node.name,
                           graph.nodes[first].name);
    }
  }
  return {};
}

}  // namespace

tl::expected<void, GraphFault> find_fault(const Graph& graph) {
  if (Checked nodes = check_nodes(graph); !nodes) {
    return nodes;
  }
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    if (Checked valid = check_link(graph, i); !valid) {
      return valid;
    }
  }
  if (Checked ports = check_ports(graph); !ports) {
    return ports;
  }
  return check_connected(graph);
}

Result<void> check(const Graph& graph) {
  tl::expected<void, GraphFault> checked = find_fault(graph);
  return checked ? Result<void>() : tl::unexpected<Error>(std::move(checked.error().error));
}

}  // namespace weft::fabric
