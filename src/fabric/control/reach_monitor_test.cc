#include "fabric/control/reach_monitor.h"

#include <gtest/gtest.h>

#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

/// Three leaves, two spines, one host each: at a leaf port 0 is the host, 1 and 2 are the spines; at a spine port l is
/// leaf l. Switch ordinals: leaves, then spines.
struct Small {
  Small()
      : graph(*build_graph(LeafSpineOptions{.leaves = 3, .spines = 2, .hosts_per_leaf = 1})),
        monitor(graph, {0, 1, 2}) {
    for (std::uint32_t prefix = 0; prefix < 3; ++prefix) {
      for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
        if (leaf != prefix) {
          set(leaf, prefix, {1, 2});
        }
      }
      for (const std::uint32_t spine : {3, 4}) {
        set(spine, prefix, {static_cast<std::uint16_t>(prefix)});
      }
    }
  }
  void set(std::uint32_t node, std::uint32_t prefix, std::vector<std::uint16_t> ports, Time at = Time::zero()) {
    monitor.set_entry(node, static_cast<PrefixId>(prefix), ports, at);
  }
  LinkIndex link(const std::string& a, const std::string& b) const {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      const std::string& x = graph[graph.links[i].a.node].name;
      const std::string& y = graph[graph.links[i].b.node].name;
      if ((x == a && y == b) || (x == b && y == a)) {
        return LinkIndex(i);
      }
    }
    return {};
  }
  Graph graph;
  ReachMonitor monitor;
};

TEST(ReachMonitor, FindsNothingWhereAllPathsArrive) {
  Small small;
  EXPECT_EQ(small.monitor.state(0), ReachMonitor::State{});
}

TEST(ReachMonitor, CountsTheShareThatADeadCableLoses) {
  Small small;
  small.monitor.begin(Time::zero());
  small.monitor.set_cable(small.link("leaf0", "spine0"), ReachMonitor::Cable::kDown, Time::zero() + 1_ms);
  // Half of what either other leaf sends to leaf 0 comes to spine 0, and half of what leaf 0 sends to each.
  EXPECT_DOUBLE_EQ(small.monitor.state(0).lost, 0.5);
  EXPECT_DOUBLE_EQ(small.monitor.state(1).lost, 0.25);
  small.set(0, 1, {2}, Time::zero() + 3_ms);
  small.set(1, 0, {2}, Time::zero() + 4_ms);
  small.set(2, 0, {2}, Time::zero() + 6_ms);
  const ReachMonitor::Outage to0 = small.monitor.outage(0, Time::zero() + 10_ms);
  EXPECT_EQ(to0.black_hole, 5_ms);
  EXPECT_NEAR(to0.lost_seconds, 0.5 * 3e-3 + 0.25 * 2e-3, 1e-12);
  EXPECT_EQ(small.monitor.outage(1, Time::zero() + 10_ms).black_hole, 2_ms);
  EXPECT_EQ(small.monitor.outage(0, Time::zero() + 10_ms).loop, Duration::zero());
}

TEST(ReachMonitor, FindsALoop) {
  Small small;
  small.monitor.begin(Time::zero());
  small.set(3, 0, {1}, Time::zero() + 1_us);  // spine 0 sends what is for leaf 0 to leaf 1, which may send it back
  const ReachMonitor::State state = small.monitor.state(0);
  EXPECT_TRUE(state.loop);
  EXPECT_FALSE(state.black_hole);
  small.set(3, 0, {0}, Time::zero() + 3_us);
  EXPECT_EQ(small.monitor.outage(0, Time::zero() + 9_us).loop, 2_us);
}

TEST(ReachMonitor, ChangesOfOneInstantAreOne) {
  Small small;
  small.monitor.begin(Time::zero());
  small.set(0, 1, {}, Time::zero() + 1_us);
  small.set(0, 1, {1}, Time::zero() + 1_us);
  EXPECT_EQ(small.monitor.outage(1, Time::zero() + 9_us).black_hole, Duration::zero());
}

TEST(ReachMonitor, ALeafWithoutCablesIsCutOffAndNoSource) {
  Small small;
  small.monitor.begin(Time::zero());
  for (const std::string spine : {"spine0", "spine1"}) {
    small.monitor.set_cable(small.link("leaf2", spine), ReachMonitor::Cable::kDown, Time::zero() + 1_us);
  }
  EXPECT_EQ(small.monitor.state(0), ReachMonitor::State{.cut_off = true});
  EXPECT_EQ(small.monitor.state(2), ReachMonitor::State{.cut_off = true});
  small.monitor.set_cable(small.link("leaf2", "spine1"), ReachMonitor::Cable::kUp, Time::zero() + 4_us);
  EXPECT_FALSE(small.monitor.state(0).cut_off);
  EXPECT_EQ(small.monitor.outage(2, Time::zero() + 9_us).cut_off, 3_us);
}

}  // namespace
}  // namespace weft::fabric
