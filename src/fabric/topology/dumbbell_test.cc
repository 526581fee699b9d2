#include "fabric/topology/dumbbell.h"

#include <gtest/gtest.h>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

TEST(Dumbbell, JoinsItsSidesByTheBottleneckOnly) {
  const DumbbellOptions options{.left_hosts = 5,
                                .right_hosts = 2,
                                .nics_per_host = 2,
                                .parallel_links = 3,
                                .bottleneck = {.rate = 100_gbps, .propagation = 1_us}};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 14U);
  EXPECT_EQ(graph.links.size(), graph.endpoints + options.parallel_links);
  std::uint32_t across = 0;
  for (const Link& link : graph.links) {
    if (link.a.node.value() < graph.endpoints) {
      EXPECT_EQ(graph[link.b.node].name, link.a.node.value() < 10 ? "leaf0" : "leaf1");
    } else {
      EXPECT_EQ(link.rate, options.bottleneck.rate);
      EXPECT_EQ(link.propagation, options.bottleneck.propagation);
      EXPECT_EQ(link.a.port, 10 + across);
      EXPECT_EQ(link.b.port, 4 + across);
      ++across;
    }
  }
  EXPECT_EQ(across, options.parallel_links);
}

TEST(Dumbbell, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(DumbbellOptions{.right_hosts = 0}).error().message,
            "dumbbell: right_hosts is 0, it must be at least 1");
  EXPECT_EQ(build_graph(DumbbellOptions{.bottleneck = {.rate = Rate::zero()}})
                .error()
                .message.find("dumbbell: the rate of bottleneck"),
            0U);
}

}  // namespace
}  // namespace weft::fabric
