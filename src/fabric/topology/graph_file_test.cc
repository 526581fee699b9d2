#include "fabric/topology/graph_file.h"

#include <gtest/gtest.h>

#include <string>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

constexpr std::string_view kText =
    "# two leaves and a spine\n"
    "switch leaf0 tier=1 domain=4\n"
    "endpoint host0/nic0\n"
    "endpoint host1/nic0   # on the other leaf\n"
    "switch leaf1 domain=5\n"
    "switch spine0 tier=2\n"
    "\n"
    "link host0/nic0 leaf0 rate=100Gbps length=2.5m\n"
    "link leaf1 host1/nic0 rate=100Gbps delay=15ns\r\n"
    "link leaf0 spine0 rate=400Gbps length=30m\n"
    "link leaf1 spine0 rate=400Gbps length=30m";

std::string fault_of(std::string_view text) {
  const Result<Graph> graph = parse_graph({.text = text, .name = "net.txt"});
  return graph ? "valid" : graph.error().message;
}

TEST(GraphFile, GivesTheGraphThatIsWritten) {
  const Result<Graph> parsed = parse_graph({.text = kText, .name = "net.txt"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const Graph& graph = *parsed;
  EXPECT_EQ(graph.endpoints, 2U);
  EXPECT_EQ(graph.switches(), 3U);
  EXPECT_EQ(graph.nodes[1].name, "host1/nic0");
  EXPECT_EQ(graph.nodes[1].domain, 5);
  EXPECT_EQ(graph[*find_node(graph, "spine0")].tier, 2);
  EXPECT_EQ(graph.links[0].propagation, Duration::picoseconds(12'500));
  EXPECT_EQ(graph.links[1].propagation, 15_ns);
  EXPECT_EQ(graph.links[3].rate, 400_gbps);
  EXPECT_EQ(graph.links[3].b.port, 1);
}

TEST(GraphFile, RefusesToWireAnInfiniBandPortToAnEthernetPort) {
  EXPECT_EQ(fault_of("switch a ports=ethernet\nendpoint b ports=ethernet\nlink b a rate=1Gbps delay=1ns"), "valid");
  EXPECT_EQ(fault_of("switch a ports=ethernet\nendpoint b\nlink b a rate=1Gbps delay=1ns"), "valid");
  EXPECT_EQ(
      fault_of("switch a ports=ethernet\nendpoint b ports=infiniband\nlink b a rate=1Gbps delay=1ns"),
      "net.txt:3:1: b has InfiniBand ports and a has Ethernet ports: these need a gateway, which is not modelled");
  EXPECT_EQ(fault_of("switch a ports=ethernt").find("net.txt:1:10: unknown kind of ports 'ethernt'"), 0U);
}

TEST(GraphFile, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(fault_of("endpoint a\nlink a b rate=1Gbps delay=1ns"),
            "net.txt:2:8: no node named b is defined above this line");
  EXPECT_EQ(fault_of("swich a").find("net.txt:1:1: unknown line 'swich'; did you mean 'switch'?"), 0U);
  EXPECT_EQ(fault_of("switch a\nendpoint a"), "net.txt:2:10: a node named a is already defined");
  EXPECT_EQ(fault_of("switch a tier=256"), "net.txt:1:10: tier is '256', it must be a number from 0 to 255");
  EXPECT_EQ(fault_of("switch a tier=-1"), "net.txt:1:10: tier is '-1', it must be a number from 0 to 255");
  EXPECT_EQ(fault_of("switch a teir=1").find("net.txt:1:10: unknown attribute 'teir'; did you mean 'tier'?"), 0U);
  EXPECT_EQ(fault_of("endpoint").find("net.txt:1:1: "), 0U);
  EXPECT_EQ(fault_of("endpoint a tier=1").find("net.txt:1:12: "), 0U);
  EXPECT_EQ(fault_of("switch a\nswitch b\nlink a b rate=4 delay=1ns").find("net.txt:3:10: "), 0U);
  EXPECT_EQ(fault_of("switch a\nswitch b\nlink a b rate=1Gbps length=0.0001m").find("net.txt:3:21: '0.0001m'"), 0U);
  EXPECT_EQ(fault_of("switch a\nswitch b\nlink a b rate=1Gbps rate=1Gbps").find("net.txt:3:1: "), 0U);
  EXPECT_EQ(fault_of("switch a\nswitch b\nlink a b rate=1Gbps").find("net.txt:3:1: "), 0U);
}

TEST(GraphFile, ChecksTheGraph) {
  EXPECT_EQ(fault_of("endpoint a\n"), "net.txt:1: a has 0 links, an endpoint has exactly 1");
}

TEST(GraphFile, SaysTheLineOfWhatTheGraphsCheckFinds) {
  const std::string nodes = "# two switches, two hosts\nswitch s\nendpoint a\nswitch t\n\nendpoint b\n";
  const std::string ends = "link a s rate=1Gbps length=1m\nlink b t rate=1Gbps length=1m\n";
  EXPECT_EQ(fault_of(nodes + "link a s rate=1Gbps length=1m\n"), "net.txt:6: b has 0 links, an endpoint has exactly 1");
  EXPECT_EQ(fault_of(nodes + ends + "link a t rate=1Gbps length=1m\n"),
            "net.txt:9: a has 2 links, an endpoint has exactly 1");
  EXPECT_EQ(fault_of(nodes + ends + "link t t rate=1Gbps length=1m\n"), "net.txt:9: a link connects t to itself");
  EXPECT_EQ(fault_of(nodes + ends), "net.txt:6: b cannot be reached from a: no links connect them");
  EXPECT_EQ(
      fault_of(nodes + "switch u plane=1\n" + ends + "link s t rate=1Gbps length=1m\nlink s u rate=1Gbps length=1m"),
      "net.txt:11: the link from s to u connects planes 0 and 1");
}

TEST(GraphFile, SaysWhichFileCannotBeRead) {
  const Result<Graph> graph = build_graph(GraphFileOptions{.file = "no/such/file"});
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message, "no/such/file: No such file or directory");
}

}  // namespace
}  // namespace weft::fabric
