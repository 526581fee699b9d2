#include "fabric/control/as_numbers.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fabric/control/bgp_speaker.h"

namespace weft::fabric {
namespace {

/// Addresses of loopbacks: 172.16.0.0/12.
constexpr std::uint32_t kIdentifierBlock = 0xAC100000;
constexpr std::uint32_t kMostRouters = 1U << 20U;
constexpr std::uint32_t kMostLeaves = 0xFFFE;

/// Sets of switches that are joined.
class JoinedSwitches {
 public:
  explicit JoinedSwitches(std::uint32_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }
  [[nodiscard]] std::uint32_t find(std::uint32_t node) {
    while (parent_[node] != node) {
      node = parent_[node] = parent_[parent_[node]];
    }
    return node;
  }
  void join(std::pair<std::uint32_t, std::uint32_t> nodes) { parent_[find(nodes.first)] = find(nodes.second); }

 private:
  std::vector<std::uint32_t> parent_;
};

/// The cables as the plan has them.
std::vector<Link> planned_links(const Graph& graph, const std::vector<CableSwap>& swaps) {
  std::vector<Link> links = graph.links;
  for (const CableSwap& swap : swaps) {
    std::swap(links[swap.first.value()].b, links[swap.second.value()].b);
  }
  return links;
}

/// One representative per switch: those of the same tier that paths through their own tier and below join.
std::vector<std::uint32_t> clusters_of(const Graph& graph, const std::vector<Link>& links) {
  const std::uint32_t switches = graph.switches();
  std::vector<std::uint32_t> cluster(switches);
  std::iota(cluster.begin(), cluster.end(), 0U);
  std::uint8_t top = 0;
  for (std::uint32_t i = 0; i < switches; ++i) {
    top = std::max(top, graph.nodes[graph.endpoints + i].tier);
  }
  for (std::uint8_t tier = 1; tier <= top; ++tier) {
    JoinedSwitches joined(switches);
    for (const Link& link : links) {
      const Node& a = graph[link.a.node];
      const Node& b = graph[link.b.node];
      if (a.kind == NodeKind::kSwitch && b.kind == NodeKind::kSwitch && std::max(a.tier, b.tier) <= tier) {
        joined.join({link.a.node.value() - graph.endpoints, link.b.node.value() - graph.endpoints});
      }
    }
    std::vector<std::uint32_t> first(switches, switches);
    for (std::uint32_t i = 0; i < switches; ++i) {
      if (graph.nodes[graph.endpoints + i].tier == tier) {
        std::uint32_t& representative = first[joined.find(i)];
        representative = std::min(representative, i);
        cluster[i] = representative;
      }
    }
  }
  return cluster;
}

/// Places in the order of their hashes.
std::vector<std::uint32_t> ranks_of(const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint32_t> order(hashes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return hashes[a] < hashes[b]; });
  std::vector<std::uint32_t> ranks(hashes.size());
  for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
    ranks[order[rank]] = rank;
  }
  return ranks;
}

}  // namespace

Result<ControlPlan> plan_control(const Graph& graph, const ControlOptions& options,
                                 const std::vector<std::uint64_t>& name_hash) {
  const std::uint32_t switches = graph.switches();
  ControlPlan plan;
  plan.prefix_of.assign(switches, kNoPrefix);
  const std::vector<std::uint32_t> ranks = ranks_of(name_hash);
  for (std::uint32_t i = 0; i < switches; ++i) {
    plan.identifiers.push_back(kIdentifierBlock + 1 + ranks[i]);
    plan.as_numbers.push_back(kFirstPrivateAs + ranks[i]);
  }
  if (options.as_numbering == AsNumbering::kClos) {
    const std::vector<std::uint32_t> clusters = clusters_of(graph, planned_links(graph, options.swaps));
    for (std::uint32_t i = 0; i < switches; ++i) {
      plan.as_numbers[i] = kFirstPrivateAs + ranks[clusters[i]];
    }
  }
  std::vector<bool> is_leaf(switches, false);
  for (const Link& link : graph.links) {
    for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (near.node.value() < graph.endpoints && far.node.value() >= graph.endpoints) {
        is_leaf[far.node.value() - graph.endpoints] = true;
      }
    }
  }
  for (std::uint32_t i = 0; i < switches; ++i) {
    if (is_leaf[i]) {
      plan.prefix_of[i] = static_cast<std::uint32_t>(plan.leaf_of.size());
      plan.leaf_of.push_back(i);
    }
  }
  if (plan.leaf_of.size() > kMostLeaves || switches >= kMostRouters) {
    return fail("{} switches with hosts and {} switches in all; distributed control is for at most {} and {}",
                plan.leaf_of.size(), switches, kMostLeaves, kMostRouters);
  }
  return plan;
}

}  // namespace weft::fabric
