#include "fabric/topology/torus.h"

#include <gtest/gtest.h>

#include <string>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

const TorusOptions kOptions{.sizes = {4, 3, 2},
                            .hosts_per_switch = 2,
                            .nics_per_host = 2,
                            .parallel_links = 2,
                            .host_link = {.rate = 100_gbps},
                            .ring_link = {.rate = 200_gbps}};

// A ring of n switches has n cables, one of two has one.
TEST(Torus, HasTheCountsOfItsOptions) {
  const Graph graph = build_graph(kOptions).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.switches(), 24U);
  EXPECT_EQ(graph.endpoints, 24U * 2 * 2);
  EXPECT_EQ(graph.links.size(), graph.endpoints + (24U + 24U + 12U) * 2);
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(graph.nodes[i].ports, 4U + (2 + 2 + 1) * 2) << graph.nodes[i].name;
  }
}

TEST(Torus, NamesSwitchesByTheirPlacesAndPortsByTheirDirections) {
  const Graph graph = build_graph(TorusOptions{.sizes = {4, 3}}).value();
  const auto neighbour = [&](const char* name, std::uint16_t port) {
    const LinkEnd end{*find_node(graph, name), port};
    const Link& link = graph.links[find_link(graph, end)->value()];
    return graph[link.a == end ? link.b.node : link.a.node].name;
  };
  EXPECT_EQ(neighbour("switch0-0", 0), "host0/nic0");
  EXPECT_EQ(neighbour("switch1-0", 0), "host1/nic0");
  EXPECT_EQ(neighbour("switch0-1", 0), "host4/nic0");
  EXPECT_EQ(neighbour("switch1-1", 1), "switch2-1");
  EXPECT_EQ(neighbour("switch1-1", 2), "switch0-1");
  EXPECT_EQ(neighbour("switch1-1", 3), "switch1-2");
  EXPECT_EQ(neighbour("switch1-1", 4), "switch1-0");
  EXPECT_EQ(neighbour("switch3-1", 1), "switch0-1");
  EXPECT_EQ(neighbour("switch1-2", 3), "switch1-0");
}

TEST(Torus, SaysWhichCablesCloseARing) {
  const Graph graph = build_graph(TorusOptions{.sizes = {5, 2}}).value();
  std::uint32_t wraps = 0;
  for (const Link& link : graph.links) {
    const bool joins_ends = graph[link.a.node].name.substr(0, 7) == "switch4" && link.ring.dimension == 1;
    EXPECT_EQ(link.ring.wraps, joins_ends);
    wraps += link.ring.wraps ? 1 : 0;
  }
  EXPECT_EQ(wraps, 2U);  // of each ring of the first dimension; rings of two have no second cable
}

TEST(Torus, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(TorusOptions{.sizes = {}}).error().message, "torus: 0 sizes, it has 1 to 3 dimensions");
  EXPECT_EQ(build_graph(TorusOptions{.sizes = {2, 2, 2, 2}}).error().message,
            "torus: 4 sizes, it has 1 to 3 dimensions");
  EXPECT_EQ(build_graph(TorusOptions{.sizes = {4, 1}}).error().message,
            "torus: a size is 1, a ring has 2 switches or more");
  EXPECT_EQ(build_graph(TorusOptions{.hosts_per_switch = 0}).error().message,
            "torus: hosts_per_switch is 0, it must be at least 1");
  EXPECT_FALSE(build_graph(TorusOptions{.sizes = {4'000'000'000, 4'000'000'000, 4'000'000'000}}));
}

}  // namespace
}  // namespace weft::fabric
