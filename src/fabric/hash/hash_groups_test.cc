// A leaf-spine with parallel links: groups of links, buckets and weights.
#include "fabric/hash/hash_groups.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "base/rate.h"
#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kFlows = 6'000;
constexpr std::uint32_t kLeaf = 0;
constexpr std::uint32_t kOtherLeaf = 1;

Graph three_spines(std::uint32_t parallel) {
  const Result<Graph> graph =
      build_graph(LeafSpineOptions{.leaves = 2, .spines = 3, .hosts_per_leaf = 1, .parallel_links = parallel});
  EXPECT_TRUE(graph) << graph.error().message;
  return *graph;
}

class TestGroups {
 public:
  TestGroups(const Graph& graph, const HashOptions& options)
      : graph_(graph), routes_(graph), groups_(graph, switches(graph, options)) {
    groups_.update(routes_, {});
  }
  void set_spine(std::uint32_t spine, LinkState state) {
    for (std::uint32_t i = 0; i < graph_.links.size(); ++i) {
      const Link& link = graph_.links[i];
      const NodeIndex node(graph_.endpoints + 2 + spine);
      if ((link.a.node == node || link.b.node == node) && (is_leaf(link.a.node) || is_leaf(link.b.node))) {
        routes_.set_link(LinkIndex(i), state);
      }
    }
    routes_.recompute();
    groups_.update(routes_, {});
  }
  [[nodiscard]] std::vector<std::uint16_t> ports() const {
    std::vector<std::uint16_t> chosen;
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      chosen.push_back(groups_.choose({kLeaf, kOtherLeaf, switch_hash(flow, 77)}));
    }
    return chosen;
  }
  [[nodiscard]] std::uint32_t spine_of(std::uint16_t port) const {
    for (const Link& link : graph_.links) {
      for (const auto& [own, other] : {std::pair{link.a, link.b}, {link.b, link.a}}) {
        if (own.node.value() == graph_.endpoints + kLeaf && own.port == port) {
          return other.node.value() - graph_.endpoints - 2;
        }
      }
    }
    return 99;
  }

 private:
  [[nodiscard]] bool is_leaf(NodeIndex node) const { return node.value() < graph_.endpoints + 2; }
  static std::vector<HashGroups::Switch> switches(const Graph& graph, const HashOptions& options) {
    std::vector<HashGroups::Switch> made(graph.switches(), {.options = options});
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i].seed = i * 0x9E3779B97F4A7C15;
    }
    return made;
  }

  const Graph& graph_;
  Routes routes_;
  HashGroups groups_;
};

void expect_even(const std::map<std::uint32_t, int>& counts, std::size_t members) {
  ASSERT_EQ(counts.size(), members);
  const double mean = static_cast<double>(kFlows) / static_cast<double>(members);
  for (const auto& [member, count] : counts) {
    EXPECT_NEAR(count, mean, 5 * std::sqrt(mean)) << member;
  }
}

TEST(HashGroups, TakeEveryPortAlike) {
  const Graph graph = three_spines(2);
  for (const HashFunctionRow& row : hash_functions()) {
    const TestGroups groups(graph, {.function = row.function});
    std::map<std::uint32_t, int> counts;
    for (const std::uint16_t port : groups.ports()) {
      ++counts[port];
    }
    expect_even(counts, 6);
  }
}

TEST(HashGroups, OfParallelLinksTakeSpinesAndThenLinksAlike) {
  const Graph graph = three_spines(4);
  for (const HashFunctionRow& row : hash_functions()) {
    const TestGroups groups(graph, {.function = row.function, .parallel_links = true});
    std::map<std::uint32_t, int> spines;
    std::map<std::uint32_t, int> links;
    for (const std::uint16_t port : groups.ports()) {
      ++spines[groups.spine_of(port)];
      ++links[port];
    }
    expect_even(spines, 3);
    expect_even(links, 12);
  }
}

/// Flows that move though their spine has not failed.
std::size_t moved_without_cause(const HashOptions& options) {
  const Graph graph = three_spines(1);
  TestGroups groups(graph, options);
  const auto before = groups.ports();
  groups.set_spine(1, LinkState::kDown);
  const auto after = groups.ports();
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NE(groups.spine_of(after[i]), 1U);
    moved += groups.spine_of(before[i]) != 1 && before[i] != after[i] ? 1 : 0;
  }
  return moved;
}

TEST(HashGroups, WithBucketsMoveFlowsOfAFailedMemberAlone) {
  EXPECT_EQ(moved_without_cause({.function = HashFunction::kCrc32, .buckets = 128}), 0U);
  EXPECT_EQ(moved_without_cause({.function = HashFunction::kMixed, .buckets = 60}), 0U);
}

// h mod 3 and h mod 2 agree on the same of two members for half of the flows.
TEST(HashGroups, WithoutBucketsMoveOthersToo) {
  EXPECT_NEAR(static_cast<double>(moved_without_cause({.function = HashFunction::kCrc32})), kFlows * (2.0 / 3) * 0.5,
              5 * std::sqrt(kFlows));
}

TEST(HashGroups, WithBucketsGiveTheRestoredMemberItsShare) {
  const Graph graph = three_spines(1);
  TestGroups groups(graph, {.function = HashFunction::kToeplitz, .buckets = 120});
  groups.set_spine(2, LinkState::kDown);
  groups.set_spine(2, LinkState::kUp);
  std::map<std::uint32_t, int> counts;
  for (const std::uint16_t port : groups.ports()) {
    ++counts[port];
  }
  expect_even(counts, 3);
}

TEST(HashGroups, FollowWeights) {
  const Graph graph = three_spines(1);
  const Routes routes(graph);
  const PortWeights weights(
      graph, routes, [](const PortWeights::PortOf& port) { return port.port % 3 == 0 ? 400_gbps : 100_gbps; },
      PortWeights::Reach::kOwnLink);
  for (const std::uint16_t buckets : {std::uint16_t{0}, std::uint16_t{96}}) {
    HashGroups groups(
        graph, std::vector<HashGroups::Switch>(
                   graph.switches(),
                   {.options = {.function = HashFunction::kCrc32, .buckets = buckets}, .seed = 5, .weighs = true}));
    groups.update(routes, weights);
    std::map<std::uint32_t, int> counts;
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      ++counts[groups.choose({kLeaf, kOtherLeaf, switch_hash(flow, 77)})];
    }
    ASSERT_EQ(counts.size(), 3U);
    for (const auto& [port, count] : counts) {
      EXPECT_NEAR(count, kFlows * (port % 3 == 0 ? 4.0 : 1.0) / 6, 5 * std::sqrt(kFlows)) << port;
    }
  }
}

}  // namespace
}  // namespace weft::fabric
