// Where the ports of a graph stand in a fabric's table, and what they are called: numbers to find records by, and
// hashes of stable names for everything that is random or compared.
//
// Ports lie node by node, in the order of their numbers, so an endpoint's port has the endpoint's own number. Numbers
// of ports and links may change when something unrelated is added: a port's hash is made of the two nodes that it joins
// and of which of their cables it is.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/port_link.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

class PortMap {
 public:
  /// The graph passes check(), and need not outlive this. `seed` is that of the run.
  PortMap(const Graph& graph, std::uint64_t seed);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(link_of_.size()); }
  [[nodiscard]] PortIndex first_of(NodeIndex node) const { return first_port_[node.value()]; }
  [[nodiscard]] PortIndex at(LinkEnd end) const { return first_port_[end.node.value()] + end.port; }
  [[nodiscard]] LinkEnd end_of(PortIndex port) const;
  [[nodiscard]] LinkIndex link_of(PortIndex port) const { return link_of_[port]; }

  /// f(seed, name).
  [[nodiscard]] std::uint64_t node_hash(NodeIndex node) const { return node_hash_[node.value()]; }
  [[nodiscard]] std::uint64_t port_hash(PortIndex port) const { return port_hash_[port]; }

 private:
  std::vector<PortIndex> first_port_;     // per node
  std::vector<std::uint64_t> node_hash_;  // per node
  std::vector<std::uint64_t> port_hash_;
  std::vector<LinkIndex> link_of_;
};

}  // namespace weft::fabric
