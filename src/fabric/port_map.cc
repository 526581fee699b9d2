#include "fabric/port_map.h"

#include <algorithm>

#include "base/assert.h"
#include "base/random.h"
#include "base/stable_hash.h"

namespace weft::fabric {

PortMap::PortMap(const Graph& graph, std::uint64_t seed) {
  PortIndex next = 0;
  first_port_.reserve(graph.nodes.size());
  node_hash_.reserve(graph.nodes.size());
  for (const Node& node : graph.nodes) {
    first_port_.push_back(next);
    node_hash_.push_back(stable_hash(seed, node.name));
    next += node.ports;
  }
  link_of_.resize(next);
  port_hash_.reserve(next);
  std::vector<NodeIndex> far_node(next);
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    const Link& cable = graph.links[link];
    link_of_[at(cable.a)] = link_of_[at(cable.b)] = LinkIndex(link);
    far_node[at(cable.a)] = cable.b.node;
    far_node[at(cable.b)] = cable.a.node;
  }
  std::vector<std::uint32_t> cables(graph.nodes.size());  // of the node to each other one so far
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    const PortIndex end = first_port_[node] + graph.nodes[node].ports;
    for (PortIndex port = first_port_[node]; port < end; ++port) {
      const std::uint32_t parallel = cables[far_node[port].value()]++;
      port_hash_.push_back(SplitMix64(node_hash_[node] + 3 * node_hash(far_node[port]) + parallel).next());
    }
    for (PortIndex port = first_port_[node]; port < end; ++port) {
      cables[far_node[port].value()] = 0;
    }
  }
}

LinkEnd PortMap::end_of(PortIndex port) const {
  WEFT_DCHECK(port < size());
  const auto after = std::upper_bound(first_port_.begin(), first_port_.end(), port);
  const auto node = static_cast<std::uint32_t>(after - first_port_.begin() - 1);
  return {NodeIndex(node), static_cast<std::uint16_t>(port - first_port_[node])};
}

}  // namespace weft::fabric
