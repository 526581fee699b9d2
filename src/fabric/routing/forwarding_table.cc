#include "fabric/routing/forwarding_table.h"

#include <algorithm>
#include <array>
#include <limits>

namespace weft::fabric {

ForwardingTable::ForwardingTable(const Graph& graph) {
  place_endpoints(graph);
  find_strides(graph);
  std::uint32_t most = 1;
  for (const Node& node : graph.nodes) {
    most = std::max<std::uint32_t>(most, node.ports);
  }
  counts_.emplace_back();
  for (std::uint32_t count = 1; count <= most; ++count) {
    counts_.emplace_back(count);
  }
}

void ForwardingTable::place_endpoints(const Graph& graph) {
  struct Place {
    std::uint32_t leaf;
    std::uint16_t port;
    std::uint32_t endpoint;
  };
  std::vector<Place> places;
  for (const Link& link : graph.links) {
    const LinkEnd& near = link.a.node < link.b.node ? link.a : link.b;
    const LinkEnd& far = link.a.node < link.b.node ? link.b : link.a;
    if (near.node.value() < graph.endpoints && far.node.value() >= graph.endpoints) {
      places.push_back({far.node.value(), far.port, near.node.value()});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.leaf != b.leaf ? a.leaf < b.leaf : a.port < b.port; });
  // Each leaf takes as many positions as the fullest has endpoints: in a tree that is not full, the pattern of a leaf
  // does not depend on how full its neighbours are.
  std::uint32_t fullest = 0;
  std::uint32_t on_leaf = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    on_leaf = i > 0 && places[i].leaf == places[i - 1].leaf ? on_leaf + 1 : 1;
    fullest = std::max(fullest, on_leaf);
  }
  positions_.assign(graph.endpoints, 0);
  std::uint64_t leaf_base = 0;
  on_leaf = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i > 0 && places[i].leaf != places[i - 1].leaf) {
      leaf_base += fullest;
      on_leaf = 0;
    }
    WEFT_ASSERT(leaf_base + on_leaf < SmallDivider::kLimit);
    positions_[places[i].endpoint] = static_cast<std::uint32_t>(leaf_base + on_leaf++);
  }
}

void ForwardingTable::find_strides(const Graph& graph) {
  const std::uint32_t endpoints = graph.endpoints;
  std::vector<std::uint32_t> first_upward(graph.switches(), std::numeric_limits<std::uint32_t>::max());
  std::vector<std::uint32_t> upward_ports(graph.switches(), 0);
  for (const Link& link : graph.links) {
    const bool a_is_lower = graph[link.a.node].tier < graph[link.b.node].tier;
    const LinkEnd& lower = a_is_lower ? link.a : link.b;
    if (graph[link.a.node].tier != graph[link.b.node].tier && lower.node.value() >= endpoints) {
      const std::uint32_t ordinal = lower.node.value() - endpoints;
      first_upward[ordinal] = std::min<std::uint32_t>(first_upward[ordinal], lower.port);
      ++upward_ports[ordinal];
    }
  }
  std::array<std::uint32_t, 256> choices{};  // per tier
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    std::uint32_t& most = choices[graph.nodes[endpoints + i].tier];
    most = std::max(most, upward_ports[i]);
  }
  std::array<std::uint32_t, 257> stride{};
  stride[0] = 1;
  for (std::size_t tier = 0; tier < choices.size(); ++tier) {
    const std::uint64_t product = std::uint64_t{stride[tier]} * std::max(choices[tier], 1U);
    stride[tier + 1] = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, SmallDivider::kLimit));
  }
  // A choice among parallel links downwards repeats the one that the tier below makes upwards for this destination.
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    const std::uint8_t tier = graph.nodes[endpoints + i].tier;
    strides_.push_back({.upward = SmallDivider(stride[tier]),
                        .downward = SmallDivider(tier > 0 ? stride[tier - 1U] : 1),
                        .first_upward = first_upward[i]});
  }
}

std::size_t ForwardingTable::heap_bytes() const {
  return positions_.capacity() * sizeof(positions_[0]) + strides_.capacity() * sizeof(strides_[0]) +
         counts_.capacity() * sizeof(counts_[0]);
}

}  // namespace weft::fabric
