#include "fabric/topology/single_switch.h"

#include <gtest/gtest.h>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

TEST(SingleSwitch, HasEveryNicOnAPortOfItsOwnNumber) {
  const SingleSwitchOptions options{.hosts = 5, .nics_per_host = 3};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, options.hosts * options.nics_per_host);
  EXPECT_EQ(graph.switches(), 1U);
  ASSERT_EQ(graph.links.size(), graph.endpoints);
  for (const Link& link : graph.links) {
    EXPECT_EQ(link.b.port, link.a.node.value());
    EXPECT_EQ(link.rate, options.host_link.rate);
    EXPECT_EQ(link.propagation, options.host_link.propagation);
  }
  EXPECT_EQ(graph.nodes[4].name, "host1/nic1");
  EXPECT_EQ(host_name(graph.nodes[4]), "host1");
  EXPECT_EQ(graph.nodes.back().name, "leaf0");
}

TEST(SingleSwitch, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(SingleSwitchOptions{.hosts = 0}).error().message,
            "single-switch: hosts is 0, it must be at least 1");
  EXPECT_EQ(build_graph(SingleSwitchOptions{.host_link = {.propagation = Duration::zero()}}).error().message,
            "single-switch: the propagation delay of host_link is 0 ps, it must be above 0 (5 ns per metre)");
}

TEST(Cable, TakesFiveNanosecondsPerMetre) {
  EXPECT_EQ(Length::metres(30).propagation(), 150_ns);
  EXPECT_EQ(Length::millimetres(500).propagation(), Duration::picoseconds(2'500));
}

}  // namespace
}  // namespace weft::fabric
