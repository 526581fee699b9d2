#include "control/edge_colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "control/conflict_free.h"
#include "control/test_networks.h"

namespace weft::control {
namespace {

/// Of each node of a side the number of edges of each colour, and of all.
struct Counts {
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> by_colour;
  std::map<std::uint32_t, std::uint32_t> all;
};
enum class Side : std::uint8_t { kLeft, kRight };

Counts count(const std::vector<BipartiteEdge>& edges, const std::vector<std::uint32_t>& colours, Side side) {
  Counts counts;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t node = side == Side::kLeft ? edges[i].left : edges[i].right;
    ++counts.by_colour[node][colours[i]];
    ++counts.all[node];
  }
  return counts;
}

std::vector<BipartiteEdge> random_edges(std::uint32_t nodes, std::uint32_t count, RandomStream& random) {
  std::vector<BipartiteEdge> edges;
  for (std::uint32_t i = 0; i < count; ++i) {
    edges.push_back({.left = static_cast<std::uint32_t>(random.uniform(nodes)),
                     .right = static_cast<std::uint32_t>(random.uniform(nodes))});
  }
  return edges;
}

TEST(EdgeColouring, EveryNodeHasEachColourAsEvenlyAsItsEdgesAllow) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "edges");
    const auto nodes = static_cast<std::uint32_t>(2 + random.uniform(9));
    const auto colours = static_cast<std::uint32_t>(1 + random.uniform(8));
    const std::vector<BipartiteEdge> edges = random_edges(nodes, 5 * nodes, random);
    const std::vector<std::uint32_t> colour = colour_edges(edges, colours);
    ASSERT_EQ(colour.size(), edges.size());
    ASSERT_LT(*std::ranges::max_element(colour), colours);
    for (const Side side : {Side::kLeft, Side::kRight}) {
      const Counts counts = count(edges, colour, side);
      for (const auto& [node, of_colour] : counts.by_colour) {
        for (const auto& [which, number] : of_colour) {
          EXPECT_LE(number, (counts.all.at(node) + colours - 1) / colours) << "node " << node << " colour " << which;
        }
      }
    }
  }
}

// König: as many colours as the busiest node has edges are enough. A greedy colouring of this graph needs three.
TEST(EdgeColouring, AsManyColoursAsTheBusiestNodeHasEdgesAreEnough) {
  const std::vector<BipartiteEdge> edges{{0, 0}, {1, 1}, {0, 1}, {1, 0}};
  const std::vector<std::uint32_t> colour = colour_edges(edges, 2);
  EXPECT_NE(colour[0], colour[2]);
  EXPECT_NE(colour[1], colour[2]);
  EXPECT_NE(colour[0], colour[3]);
  EXPECT_NE(colour[1], colour[3]);
}

TEST(EdgeColouring, OneColourAndNoEdgesAreAnswered) {
  EXPECT_TRUE(colour_edges({}, 3).empty());
  EXPECT_EQ(colour_edges({{0, 1}, {0, 1}}, 1), (std::vector<std::uint32_t>{0, 0}));
}

// Every leaf has as many flows out and in as uplinks: no two share a link, whoever speaks to whom.
TEST(ConflictFree, PermutationsOfAllHostsShareNoLink) {
  const LeavesAndSpines net{.leaves = 8, .spines = 8};
  const View view = net.view();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "permutation");
    std::vector<std::uint32_t> hosts(std::size_t{net.leaves} * net.spines);
    for (std::uint32_t i = 0; i < hosts.size(); ++i) {
      hosts[i] = i;
    }
    random.shuffle(std::span(hosts));
    std::vector<Demand> flows;
    for (std::uint32_t i = 0; i < hosts.size(); ++i) {
      if (i / net.spines != hosts[i] / net.spines) {
        flows.push_back(demand(i / net.spines, hosts[i] / net.spines, 100_gbps));
      }
    }
    CandidatePaths candidates(view, 64);
    const ConflictFreeResult result = place_conflict_free(candidates, flows);
    EXPECT_TRUE(result.is_coloured);
    EXPECT_EQ(result.conflicts, 0U);
    EXPECT_LE(Loads(candidates, flows, result.placement).highest(), 1.0);
  }
}

TEST(ConflictFree, ParallelCablesAreWaysOfTheirOwn) {
  const LeavesAndSpines net{.leaves = 3, .spines = 2};
  View view = net.view();
  const View once = view;
  view.arcs.insert(view.arcs.end(), once.arcs.begin(), once.arcs.end());
  CandidatePaths candidates(view, 64);
  const std::vector<Demand> flows = shifts(net.leaves, 4, 100_gbps);
  const ConflictFreeResult result = place_conflict_free(candidates, flows);
  EXPECT_TRUE(result.is_coloured);
  EXPECT_EQ(result.conflicts, 0U);
}

// One leaf lost a link: its four flows have three, so that one link carries two and no other does.
TEST(ConflictFree, AroundALinkThatIsDownOnlyTheFlowsOfItsLeafShare) {
  const LeavesAndSpines net{.leaves = 6, .spines = 4};
  View view = net.view();
  view.arcs[net.up(2, 3).value()].state = ArcState::kDown;
  view.arcs[net.down(2, 3).value()].state = ArcState::kDown;
  CandidatePaths candidates(view, 64);
  const std::vector<Demand> flows = shifts(net.leaves, 4, 50_gbps);
  const ConflictFreeResult result = place_conflict_free(candidates, flows);
  EXPECT_DOUBLE_EQ(Loads(candidates, flows, result.placement).highest(), 1.0) << "two of 50 on one link of 100";
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const ArcIndex arc :
         candidates.between({.from = flows[i].from, .to = flows[i].to})[*result.placement.choice[i]]) {
      EXPECT_NE(arc, net.up(2, 3));
      EXPECT_NE(arc, net.down(2, 3));
    }
  }
}

// Leaves in two pods below cores: no colours, but moves find paths that share nothing.
TEST(ConflictFree, ThreeTiersArePlacedWithoutColours) {
  // Leaves 0 and 1 of a pod with aggregation 4 and 5, leaves 2 and 3 with 6 and 7; cores 8 to 11.
  View view{.vertices = 12, .arcs = {}};
  const auto cable = [&](std::uint32_t a, std::uint32_t b) {
    view.arcs.push_back({.from = Vertex(a), .to = Vertex(b), .capacity = 100_gbps});
    view.arcs.push_back({.from = Vertex(b), .to = Vertex(a), .capacity = 100_gbps});
  };
  for (std::uint32_t pod = 0; pod < 2; ++pod) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      cable(2 * pod, 4 + 2 * pod + i);
      cable(2 * pod + 1, 4 + 2 * pod + i);
      cable(4 + 2 * pod + i, 8 + 2 * i);
      cable(4 + 2 * pod + i, 9 + 2 * i);
    }
  }
  CandidatePaths candidates(view, 64);
  const std::vector<Demand> flows{demand(0, 2, 100_gbps), demand(0, 3, 100_gbps), demand(1, 2, 100_gbps),
                                  demand(1, 3, 100_gbps)};
  const ConflictFreeResult result = place_conflict_free(candidates, flows);
  EXPECT_FALSE(result.is_coloured);
  EXPECT_EQ(result.conflicts, 0U);
}

}  // namespace
}  // namespace weft::control
