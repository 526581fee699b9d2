#include "fabric/routing/forwarding_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace weft::fabric {
namespace {

constexpr std::size_t kTiers = std::numeric_limits<decltype(Node::tier)>::max() + std::size_t{1};

}  // namespace

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
  // The ports of reducers are counted apart: hosts keep the paths that they have without them.
  std::vector<std::uint32_t> reducers;
  std::erase_if(places, [&](const Place& place) {
    const bool is_reducer = place.endpoint >= graph.host_endpoints();
    if (is_reducer) {
      reducers.push_back(place.endpoint);
    }
    return is_reducer;
  });
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
    WEFT_ASSERT(leaf_base + on_leaf < SmallDivider::kLimit - kLids);
    positions_[places[i].endpoint] = static_cast<std::uint32_t>(leaf_base + on_leaf++);
  }
  std::uint32_t next_reducer = 0;
  for (const std::uint32_t endpoint : reducers) {
    positions_[endpoint] = next_reducer++;
    WEFT_ASSERT(next_reducer < SmallDivider::kLimit - kLids);
  }
}

void ForwardingTable::find_strides(const Graph& graph) {
  const std::uint32_t endpoints = graph.endpoints;
  std::vector<std::pair<NodeIndex, NodeIndex>> steps;  // from a switch to one above it
  for (const Link& link : graph.links) {
    const std::uint8_t tier_a = graph[link.a.node].tier;
    const std::uint8_t tier_b = graph[link.b.node].tier;
    const auto step = tier_a < tier_b ? std::pair(link.a.node, link.b.node) : std::pair(link.b.node, link.a.node);
    if (tier_a != tier_b && step.first.value() >= endpoints) {
      steps.push_back(step);
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  // Per tier, the switches above that of its switches which has most: parts of a partial tree follow the whole.
  std::array<std::uint32_t, kTiers> above{};
  std::uint32_t of_switch = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    of_switch = i > 0 && steps[i].first == steps[i - 1].first ? of_switch + 1 : 1;
    std::uint32_t& most = above[graph[steps[i].first].tier];
    most = std::max(most, of_switch);
  }
  std::array<std::uint32_t, kTiers> stride{};
  stride[0] = 1;
  for (std::size_t tier = 1; tier < kTiers; ++tier) {
    const std::uint64_t product = std::uint64_t{stride[tier - 1]} * std::max(above[tier - 1], 1U);
    stride[tier] = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, SmallDivider::kLimit));
  }
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    strides_.emplace_back(stride[graph.nodes[endpoints + i].tier]);
  }
}

std::size_t ForwardingTable::heap_bytes() const {
  return positions_.capacity() * sizeof(positions_[0]) + strides_.capacity() * sizeof(strides_[0]) +
         counts_.capacity() * sizeof(counts_[0]);
}

}  // namespace weft::fabric
