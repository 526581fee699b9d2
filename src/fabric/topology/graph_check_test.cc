#include "fabric/topology/graph_check.h"

#include <gtest/gtest.h>

#include <string>

#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

/// host0 and host1 on leaf0, host2 and host3 on leaf1, spine0. Links 0 to 3 are those of the hosts in order.
Graph small() { return build_graph(LeafSpineOptions{.leaves = 2, .spines = 1, .hosts_per_leaf = 2}).value(); }

/// The fault of `graph`, or "valid".
std::string fault_of(const Graph& graph) {
  const Result<void> valid = check(graph);
  return valid ? "valid" : valid.error().message;
}

TEST(GraphCheck, AcceptsAWellFormedGraph) { EXPECT_EQ(fault_of(small()), "valid"); }

TEST(GraphCheck, AcceptsTwoEndpointsBackToBack) {
  Graph graph;
  graph.endpoints = 2;
  graph.nodes = {{.name = "a", .kind = NodeKind::kEndpoint, .ports = 1},
                 {.name = "b", .kind = NodeKind::kEndpoint, .ports = 1}};
  graph.links = {{{NodeIndex(0), 0}, {NodeIndex(1), 0}, 400_gbps, 15_ns}};
  EXPECT_EQ(fault_of(graph), "valid");
}

TEST(GraphCheck, RefusesANameThatIsUsedTwice) {
  Graph graph = small();
  graph.nodes[5].name = graph.nodes[4].name;
  EXPECT_EQ(fault_of(graph), "two nodes have the name leaf0");
}

TEST(GraphCheck, RefusesANodeWithoutName) {
  Graph graph = small();
  graph.nodes[6].name.clear();
  EXPECT_EQ(fault_of(graph), "node 6 has no name");
}

TEST(GraphCheck, RefusesASwitchAmongEndpoints) {
  Graph graph = small();
  graph.nodes[1].kind = NodeKind::kSwitch;
  EXPECT_NE(fault_of(graph).find("host1/nic0 is in the wrong order"), std::string::npos);
}

TEST(GraphCheck, RefusesAnEndpointWithoutLink) {
  Graph graph = small();
  graph.nodes[1].ports = 0;
  EXPECT_EQ(fault_of(graph), "host1/nic0 has 0 links, an endpoint has exactly 1");
}

TEST(GraphCheck, RefusesAPortWithTwoLinks) {
  Graph graph = small();
  graph.links[1].b.port = graph.links[0].b.port;
  EXPECT_EQ(fault_of(graph), "two links end at port 0 of leaf0");
}

TEST(GraphCheck, RefusesAPortWithoutLink) {
  Graph graph = small();
  ++graph.nodes[6].ports;
  EXPECT_EQ(fault_of(graph), "no link ends at port 2 of spine0, which has 3 ports");
}

TEST(GraphCheck, RefusesALinkBesideThePorts) {
  Graph graph = small();
  graph.links[0].b.port = 9;
  EXPECT_EQ(fault_of(graph), "a link ends at port 9 of leaf0, which has 3 ports");
  graph.links[0].b.node = NodeIndex(99);
  EXPECT_EQ(fault_of(graph), "a link ends at node 99, the last is 6");
}

TEST(GraphCheck, RefusesRateAndPropagationOfZero) {
  Graph slow = small();
  slow.links[0].rate = Rate::zero();
  EXPECT_NE(fault_of(slow).find("host0/nic0 to leaf0 has the rate"), std::string::npos) << fault_of(slow);
  Graph instant = small();
  instant.links[0].propagation = Duration::zero();
  EXPECT_NE(fault_of(instant).find("has the propagation delay"), std::string::npos) << fault_of(instant);
}

TEST(GraphCheck, NamesTheEndpointThatCannotBeReached) {
  Graph graph = small();
  // Without the spine, whose links are the last, the two leaves are apart.
  graph.links.resize(4);
  graph.nodes.pop_back();
  --graph.nodes[4].ports;
  --graph.nodes[5].ports;
  EXPECT_EQ(fault_of(graph), "host2/nic0 cannot be reached from host0/nic0: no links connect them");
}

TEST(GraphCheck, LetsPlanesBeApartAndNothingJoinThem) {
  Graph graph = small();
  for (const std::size_t i : {2U, 3U, 5U}) {
    graph.nodes[i].plane = 1;
  }
  EXPECT_EQ(fault_of(graph), "the link from leaf1 to spine0 connects planes 1 and 0");
  graph.links.resize(4);
  graph.nodes.pop_back();
  --graph.nodes[4].ports;
  --graph.nodes[5].ports;
  EXPECT_EQ(fault_of(graph), "valid");
}

TEST(GraphCheck, RefusesALinkFromANodeToItself) {
  Graph graph = small();
  graph.nodes[6].ports = 4;
  graph.links.push_back({{NodeIndex(6), 2}, {NodeIndex(6), 3}, 400_gbps, 15_ns});
  EXPECT_EQ(fault_of(graph), "a link connects spine0 to itself");
}

}  // namespace
}  // namespace weft::fabric
