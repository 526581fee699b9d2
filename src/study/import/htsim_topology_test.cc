// Topologies of htsim: counts that its files and options mean, and what is said of wrong ones.
#include "study/import/htsim_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/routing/routes.h"
#include "fabric/topology/graph_file.h"
#include "study/import/htsim_values.h"

namespace weft::study::import {
namespace {

using testing::HasSubstr;

std::string tier_text(int number, int speed, int down, int up, std::string_view more = "") {
  return fmt::format("Tier {}\nDownlink_speed_Gbps {}\nRadix_Down {}\n{}Downlink_Latency_ns 1000\n{}", number, speed,
                     down, up == 0 ? "" : fmt::format("Radix_Up {}\n", up), more);
}

const std::string kLeafSpine =
    "Nodes 32\nTiers 2\nPodsize 32\n" + tier_text(0, 100, 8, 2, "Oversubscribed 4\n") + tier_text(1, 100, 4, 0);
// Pods of two leaves and two aggregation switches, two links from each of those to each of four cores.
const std::string kBundled = "Nodes 8\nTiers 3\nPodsize 4\n" + tier_text(0, 200, 2, 2) + tier_text(1, 200, 2, 4) +
                             tier_text(2, 100, 4, 0, "Bundle 2\n");

Result<HtsimTopology> parse_tree(std::string_view text) {
  return parse_htsim_topology({.text = text, .name = "a.topo"});
}

std::string tree_fault(const std::string& text) {
  const auto parsed = parse_tree(text);
  return parsed ? "" : parsed.error().message;
}

TEST(HtsimTopology, TwoTiersAreLeavesAndSpines) {
  const HtsimTopology made = parse_tree(kLeafSpine).value();
  EXPECT_EQ(made.leaves(), 4U);
  EXPECT_EQ(made.aggs_per_pod, 2U);
  EXPECT_EQ(made.cores, 0U);
  EXPECT_EQ(made.most_ports(), 10U);
  EXPECT_EQ(made.diameter_latency(), 4_us);
  EXPECT_FALSE(made.is_uniform());
}

TEST(HtsimTopology, BundlesAreParallelLinks) {
  const HtsimTopology made = parse_tree(kBundled).value();
  EXPECT_EQ(made.pods, 2U);
  EXPECT_EQ(made.cores, 4U);
  EXPECT_EQ(made.cores_per_agg(), 2U);
  EXPECT_EQ(made.fastest(), 200_gbps);
  const fabric::Graph graph = fabric::parse_graph({.text = graph_text(made), .name = "a.graph"}).value();
  EXPECT_EQ(graph.endpoints, 8U);
  EXPECT_EQ(graph.nodes.size() - graph.endpoints, 4U + 4U + 4U);
  EXPECT_EQ(graph.links.size(), 8U + 4U * 2U + 4U * 2U * 2U);
  // From a leaf of one pod to a host of the other both aggregation switches serve, and from there two cores by two
  // links.
  const fabric::Routes routes(graph);
  EXPECT_EQ(routes.next_hops(0, EndpointId(7)).size(), 2U);
  EXPECT_EQ(routes.next_hops(4, EndpointId(7)).size(), 4U);
}

TEST(HtsimTopology, TheGraphOfAWholeTreeHasItsCounts) {
  for (const std::uint32_t radix : {4U, 8U}) {
    const HtsimTopology made = uniform_topology({.nodes = radix * radix * radix / 4}).value();
    EXPECT_TRUE(made.is_uniform());
    const fabric::Graph graph = fabric::parse_graph({.text = graph_text(made), .name = "a.graph"}).value();
    EXPECT_EQ(graph.endpoints, made.nodes);
    EXPECT_EQ(graph.nodes.size() - graph.endpoints, 5 * radix * radix / 4);
    EXPECT_EQ(graph.links.size(), 3 * made.nodes);
  }
  EXPECT_TRUE(uniform_topology({.nodes = 32, .tiers = 2})->is_uniform());
}

TEST(HtsimTopology, NodesOfNoWholeTreeAreRefused) {
  EXPECT_EQ(
      uniform_topology({.nodes = 100}).error().message,
      "100 nodes are no whole fat-tree of 3 tiers, which has K^3/4 for an even radix K: 54 or 128; give the topology "
      "in a file");
}

TEST(HtsimTopology, WrongLinesAreNamedWithTheirPlace) {
  EXPECT_EQ(tree_fault("Nodes 8\nTiers 4\n"), "a.topo:2:7: tiers is '4'; it must be a whole number from 2 to 3");
  EXPECT_THAT(tree_fault("Nodes 8\nRadix_Down 4\n"),
              HasSubstr("a.topo:2:1: 'radix_down' needs a 'Tier NUMBER' above it"));
  EXPECT_THAT(tree_fault("Nodes 8\nTier 0\nRadix 4\n"), HasSubstr("a.topo:3:1: unknown key 'radix'"));
  EXPECT_EQ(tree_fault("Nodes 8\nTier 0\nRadix_Up 4\nradix_up 4\n"),
            "a.topo:4:1: 'radix_up' is given twice for tier 0");
  EXPECT_EQ(tree_fault("Nodes 8\nTiers 2\n"),
            "a.topo: 'podsize' is missing; the file begins with Nodes, Tiers and Podsize");
  EXPECT_EQ(tree_fault("Nodes 8\nTiers 2\nPodsize 8\n" + tier_text(0, 100, 2, 2)), "a.topo: 'Tier 1' is missing");
  EXPECT_EQ(tree_fault("Nodes 8\nTiers 2\nPodsize 8\n" + tier_text(0, 100, 2, 0) + tier_text(1, 100, 4, 0)),
            "a.topo:4: radix_up of tier 0 is missing");
  EXPECT_EQ(tree_fault("Nodes 8\nTiers 2\nPodsize 8\n" + tier_text(0, 100, 2, 2) + tier_text(1, 100, 4, 1)),
            "a.topo:9: radix_up of tier 1: the top tier has no uplinks");
}

TEST(HtsimTopology, CountsThatDoNotFitAreNamedWithTheirTier) {
  const auto two = [](std::string_view header, const std::string& leaf, const std::string& spine) {
    return tree_fault(fmt::format("{}{}{}", header, leaf, spine));
  };
  EXPECT_EQ(two("Nodes 8\nTiers 2\nPodsize 4\n", tier_text(0, 100, 2, 2), tier_text(1, 100, 4, 0)),
            "a.topo: two tiers are one pod: the pod size is 4, and must be 8");
  EXPECT_EQ(two("Nodes 8\nTiers 2\nPodsize 8\n", tier_text(0, 100, 3, 3), tier_text(1, 100, 4, 0)),
            "a.topo:4: a pod of 8 nodes is no multiple of radix_down, 3");
  EXPECT_EQ(two("Nodes 8\nTiers 2\nPodsize 8\n", tier_text(0, 100, 2, 2), tier_text(1, 100, 8, 0)),
            "a.topo:9: radix_down is 8; 4 leaves of a pod with bundles of 1 need 4");
  EXPECT_EQ(two("Nodes 8\nTiers 2\nPodsize 8\n", tier_text(0, 100, 2, 1), tier_text(1, 100, 4, 0)),
            "a.topo:4: 2 links of 100 Gbps down and 1 of 100 Gbps up are no oversubscription of 1");
}

// Derived sizes of the reference's default network, and of its leaf-spine.
TEST(HtsimValues, AreThoseOfTheReference) {
  const HtsimValues tree = derive_values(uniform_topology({.nodes = 16}).value(), {}).value();
  EXPECT_EQ(tree.round_trip, 14'022'720_ps);
  EXPECT_EQ(tree.bdp_packets, 43);
  EXPECT_EQ(tree.queue, Bytes(178'450));
  EXPECT_EQ(tree.ecn_low, Bytes(37'350));
  EXPECT_EQ(tree.ecn_high, Bytes(145'250));
  EXPECT_EQ(tree.window, Bytes(262'926));
  EXPECT_EQ(tree.minimum_rto, 100'656_ns);
  const std::string text =
      "Nodes 1024\nTiers 2\nPodsize 1024\n" + tier_text(0, 100, 32, 8, "Oversubscribed 4\n") + tier_text(1, 100, 32, 0);
  const HtsimValues leaves = derive_values(parse_tree(text).value(), {}).value();
  EXPECT_EQ(leaves.round_trip, 9'348'480_ps);
  EXPECT_EQ(leaves.queue, Bytes(120'350));
  EXPECT_EQ(leaves.ecn_low, Bytes(24'900));
  EXPECT_EQ(leaves.ecn_high, Bytes(99'600));
  EXPECT_EQ(leaves.minimum_rto, 72'768_ns);
}

TEST(HtsimValues, OptionsCountPacketsOfTheMtu) {
  const HtsimTopology tree = uniform_topology({.nodes = 16}).value();
  const HtsimValues own =
      derive_values(tree, {.queue_packets = 100, .ecn_packets = std::pair{25, 75}, .window_packets = 150}).value();
  EXPECT_EQ(own.queue, Bytes(415'000));
  EXPECT_EQ(own.ecn_low, Bytes(25 * 4150));
  EXPECT_EQ(own.window, Bytes(150 * 4150));
  EXPECT_EQ(derive_values(tree, {.overflow = HtsimOverflow::kDrop})->queue, Bytes(5 * 178'450));
  EXPECT_THAT(derive_values(tree, {.queue_packets = 10}).error().message, HasSubstr("is above the queue"));
}

}  // namespace
}  // namespace weft::study::import
