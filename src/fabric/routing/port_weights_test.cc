#include "fabric/routing/port_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "fabric/topology/graph_builder.h"

namespace weft::fabric {
namespace {

/// Two leaves with a host each; spine i has cables of rate `rates[i]` to the second leaf, and of 400 Gb/s to the first.
struct Fan {
  Graph graph;
  std::vector<LinkIndex> to_second;  // per spine
};
Fan fan(const std::vector<Rate>& rates) {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 2});
  const NodeIndex first = builder.add_switch({.name = "leaf0"});
  const NodeIndex second = builder.add_switch({.name = "leaf1"});
  const Cable cable{.rate = 400_gbps, .propagation = 100_ns};
  builder.connect({.lower = NodeIndex(0), .upper = first}, cable);
  builder.connect({.lower = NodeIndex(1), .upper = second}, cable);
  Fan made;
  std::uint32_t links = 2;
  for (const Rate rate : rates) {
    const NodeIndex spine = builder.add_switch({.name = "spine" + std::to_string(links), .tier = 2});
    builder.connect({.lower = first, .upper = spine}, cable);
    builder.connect({.lower = second, .upper = spine}, {.rate = rate, .propagation = 100_ns});
    made.to_second.emplace_back(links + 1);
    links += 2;
  }
  made.graph = std::move(builder).finish();
  return made;
}

/// As the cables were built.
PortWeights::RateOf rates_of(const Graph& graph) {
  return [&graph](const PortWeights::PortOf& port) {
    for (const Link& link : graph.links) {
      for (const LinkEnd end : {link.a, link.b}) {
        if (end.node.value() == graph.endpoints + port.switch_ordinal && end.port == port.port) {
          return link.rate;
        }
      }
    }
    return Rate::zero();
  };
}

std::vector<std::uint32_t> weights_of(const Graph& graph, const Routes& routes, EndpointId destination) {
  const PortWeights weights(graph, routes, rates_of(graph));
  const std::uint32_t* found = weights.of(0, routes.leaf_of(destination));
  return found == nullptr ? std::vector<std::uint32_t>{}
                          : std::vector<std::uint32_t>(found, found + routes.next_hops(0, destination).size());
}

TEST(PortWeights, AreInProportionToTheCapacityBehindEachHop) {
  const Fan made = fan({400_gbps, 100_gbps, 200_gbps});
  EXPECT_EQ(weights_of(made.graph, Routes(made.graph), EndpointId(1)), (std::vector<std::uint32_t>{4, 1, 2}));
}

TEST(PortWeights, EqualHopsHaveNone) {
  const Fan made = fan({400_gbps, 400_gbps});
  EXPECT_TRUE(weights_of(made.graph, Routes(made.graph), EndpointId(1)).empty());
}

TEST(PortWeights, AFasterLinkBehindASlowerOneAddsNothing) {
  const Fan made = fan({800_gbps, 400_gbps});
  EXPECT_TRUE(weights_of(made.graph, Routes(made.graph), EndpointId(1)).empty());
}

TEST(PortWeights, FollowTheRoutesAfterAFailure) {
  const Fan made = fan({400_gbps, 100_gbps, 200_gbps});
  Routes routes(made.graph);
  routes.set_link(made.to_second[0], LinkState::kDown);
  routes.recompute();
  EXPECT_EQ(weights_of(made.graph, routes, EndpointId(1)), (std::vector<std::uint32_t>{1, 2}));
}

TEST(PortWeights, PickTakesEachHopAsOftenAsItsWeightSays) {
  const std::vector<std::uint32_t> weights{1, 3};
  int second = 0;
  for (std::uint32_t i = 0; i < 8'000; ++i) {
    second += pick_weighted(weights.data(), 2, switch_hash(i, 1)) == 1 ? 1 : 0;
  }
  EXPECT_NEAR(second, 6'000, 200);
}

}  // namespace
}  // namespace weft::fabric
