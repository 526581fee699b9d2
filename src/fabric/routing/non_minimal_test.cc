#include "fabric/routing/non_minimal.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "fabric/topology/dragonfly_plus.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

/// Every spine has a cable to every other group, or with one cable between two groups only some have.
Graph dragonfly(std::uint32_t global_links) {
  return build_graph(DragonflyPlusOptions{.groups = 5, .leaves = 2, .spines = 2, .global_links = global_links}).value();
}

class Asked {
 public:
  explicit Asked(std::uint32_t global_links)
      : graph_(dragonfly(global_links)), routes_(graph_), made_(graph_, routes_) {}

  [[nodiscard]] std::uint32_t ordinal(const char* name) const {
    return find_node(graph_, name)->value() - graph_.endpoints;
  }
  /// Names of the neighbours behind the ports.
  [[nodiscard]] std::set<std::string> towards(const char* from, NonMinimal::State group) const {
    std::set<std::string> names;
    for (const std::uint16_t port : made_.towards(ordinal(from), group)) {
      const LinkEnd end{*find_node(graph_, from), port};
      const Link& link = graph_.links[find_link(graph_, end)->value()];
      names.insert(graph_[link.a == end ? link.b.node : link.a.node].name);
    }
    return names;
  }
  /// How often each group is chosen.
  [[nodiscard]] std::map<int, int> chosen(const char* from, const char* to) const {
    std::map<int, int> counts;
    for (std::uint32_t i = 0; i < 3000; ++i) {
      const auto group = made_.intermediate({.switch_ordinal = ordinal(from), .leaf = ordinal(to)}, i * 1'431'655);
      ++counts[group.value_or(NonMinimal::kUndecided)];
    }
    return counts;
  }
  void fail_between(const std::string& a, const std::string& b) {
    for (std::uint32_t i = 0; i < graph_.links.size(); ++i) {
      const std::string& low = graph_[graph_.links[i].a.node].name;
      const std::string& high = graph_[graph_.links[i].b.node].name;
      if (low.starts_with(a + "/spine") && high.starts_with(b + "/spine")) {
        routes_.set_link(LinkIndex(i), LinkState::kDown);
      }
    }
    routes_.recompute();
    made_ = NonMinimal(graph_, routes_);
  }
  [[nodiscard]] const NonMinimal& made() const { return made_; }

 private:
  Graph graph_;
  Routes routes_;
  NonMinimal made_;
};

TEST(NonMinimal, GoesToAGroupByItsOwnCables) {
  const Asked all(2);
  EXPECT_EQ(all.towards("group0/leaf1", 3), (std::set<std::string>{"group0/spine0", "group0/spine1"}));
  EXPECT_EQ(all.towards("group0/spine1", 3), (std::set<std::string>{"group2/spine1"}));
  EXPECT_TRUE(all.towards("group0/spine1", 1).empty());  // its own
  const Asked some(1);
  EXPECT_EQ(some.towards("group0/leaf1", 2), (std::set<std::string>{"group0/spine0"}));
  EXPECT_TRUE(some.towards("group0/spine1", 2).empty());
}

TEST(NonMinimal, TakesEveryOtherGroupAsOften) {
  const auto counts = Asked(2).chosen("group0/leaf0", "group1/leaf1");
  ASSERT_EQ(counts.size(), 3U);  // five without the source's and the destination's
  for (const auto& [group, count] : counts) {
    EXPECT_GE(group, 3);
    EXPECT_NEAR(count, 1000, 100) << group;
  }
}

TEST(NonMinimal, TakesNoGroupThatHasLostItsCablesOnEitherSide) {
  Asked asked(2);
  asked.fail_between("group0", "group2");
  asked.fail_between("group1", "group3");
  const auto counts = asked.chosen("group0/leaf0", "group1/leaf1");
  EXPECT_EQ(counts, (std::map<int, int>{{5, 3000}}));
  asked.fail_between("group1", "group4");
  EXPECT_EQ(asked.chosen("group0/leaf0", "group1/leaf1"), (std::map<int, int>{{NonMinimal::kUndecided, 3000}}));
}

TEST(NonMinimal, LeavesNoGroupForItself) {
  const Asked asked(2);
  EXPECT_FALSE(asked.made().leaves_group(
      {.switch_ordinal = asked.ordinal("group2/leaf0"), .leaf = asked.ordinal("group2/leaf1")}));
  EXPECT_TRUE(asked.made().leaves_group(
      {.switch_ordinal = asked.ordinal("group2/leaf0"), .leaf = asked.ordinal("group3/leaf1")}));
}

// Three hops of cables between switches against four from a leaf, two against three from a spine.
TEST(NonMinimal, ComparesQueuesTimesHops) {
  const Asked asked(2);
  const auto prefers = [&](const char* at, NonMinimal::Depths depths, Bytes threshold = {}) {
    return asked.made().prefers_detour(asked.ordinal(at), depths, threshold);
  };
  EXPECT_FALSE(prefers("group0/leaf0", {.direct = 0, .detour = 0}));
  EXPECT_FALSE(prefers("group0/leaf0", {.direct = 4000, .detour = 3000}));
  EXPECT_TRUE(prefers("group0/leaf0", {.direct = 4001, .detour = 3000}));
  EXPECT_FALSE(prefers("group0/spine0", {.direct = 3000, .detour = 2000}));
  EXPECT_TRUE(prefers("group0/spine0", {.direct = 3001, .detour = 2000}));
  EXPECT_FALSE(prefers("group0/spine0", {.direct = 4000, .detour = 0}, Bytes(8000)));
  EXPECT_TRUE(prefers("group0/spine0", {.direct = 4001, .detour = 0}, Bytes(8000)));
}

// One cable between two groups: within the intermediate group a packet may go down and up again.
TEST(NonMinimal, CountsTheHopsWithinAnIntermediateGroup) {
  const Asked asked(1);
  EXPECT_FALSE(asked.made().prefers_detour(asked.ordinal("group0/leaf0"), {.direct = 6000, .detour = 3000}, Bytes(0)));
  EXPECT_TRUE(asked.made().prefers_detour(asked.ordinal("group0/leaf0"), {.direct = 6001, .detour = 3000}, Bytes(0)));
}

}  // namespace
}  // namespace weft::fabric
