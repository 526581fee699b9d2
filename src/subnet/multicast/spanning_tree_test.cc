#include "subnet/multicast/spanning_tree.h"

#include <gtest/gtest.h>

#include "subnet/multicast/multicast_dump.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

EndPortIndex port_of(const SweptSubnet& made, std::string_view node) {
  for (std::size_t i = 0; i < made.view.end_ports.size(); ++i) {
    if (made.subnet[made.view.end_ports[i].place.node].description == node) {
      return EndPortIndex(static_cast<std::uint32_t>(i));
    }
  }
  return {};
}

MulticastGroup group_of(const SweptSubnet& made, const std::vector<std::string>& nodes, Lid lid = kFirstMulticastLid) {
  MulticastGroup group{.lid = lid, .members = {}};
  for (const std::string& node : nodes) {
    group.members.push_back(port_of(made, node));
  }
  return group;
}

MulticastRoutes routed(const SweptSubnet& made, const std::vector<MulticastGroup>& groups,
                       EngineKind engine = EngineKind::kMinhop) {
  Result<MulticastRoutes> routes = route_multicast(made.view, {.used = engine}, groups);
  WEFT_ASSERT(routes.has_value());
  return std::move(*routes);
}

// What OpenSM 3.3.23 wrote when H2, H7 and H16 had joined one group, and H3 and H9 another.
TEST(SpanningTree, IsThatOfOpensm) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const MulticastRoutes routes =
      routed(made, {group_of(made, {"H2", "H7", "H16"}), group_of(made, {"H3", "H9"}, kFirstMulticastLid + 1)});
  EXPECT_EQ(
      write_mcfdbs(made.view, routes.tables),
      "\nSwitch 0x0000000000200000\nLID    : Out Port(s)\n0xC000 : 0x002  0x005 \n0xC001 : 0x003  0x005 \n"
      "\nSwitch 0x0000000000200001\nLID    : Out Port(s)\n0xC000 : 0x003  0x005 \n"
      "\nSwitch 0x0000000000200002\nLID    : Out Port(s)\n0xC001 : 0x001  0x005 \n"
      "\nSwitch 0x0000000000200003\nLID    : Out Port(s)\n0xC000 : 0x004  0x005 \n"
      "\nSwitch 0x0000000000200004\nLID    : Out Port(s)\n0xC000 : 0x001  0x002  0x004 \n0xC001 : 0x001  0x003 \n");
}

TEST(SpanningTree, HasItsRootWhereTheFarthestMemberIsNearest) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const MulticastRoutes routes =
      routed(made, {group_of(made, {"H1", "H4"}), group_of(made, {"H1", "H5"}, kFirstMulticastLid + 1)});
  const auto name = [&](SwitchIndex at) { return made.subnet[made.view[at].node].description; };
  EXPECT_EQ(name(routes.trees[0].root), "Leaf1");
  EXPECT_EQ(routes.trees[0].depth, 1U);
  EXPECT_EQ(name(routes.trees[1].root), "Spine1");  // two hops to each; three from a leaf to the other's host
  EXPECT_EQ(routes.trees[1].depth, 2U);
}

TEST(SpanningTree, OfOneMemberIsNone) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const MulticastGroup group = group_of(made, {"H1"});
  const MulticastRoutes routes = routed(made, {group});
  EXPECT_FALSE(routes.trees[0].root.is_valid());
  EXPECT_EQ(write_mcfdbs(made.view, routes.tables), "");
  EXPECT_TRUE(check_multicast(made.view, routes.tables, group).is_sound());
}

TEST(SpanningTree, TakesASwitchAsAMemberThroughItsPort0) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const MulticastRoutes routes = routed(made, {group_of(made, {"H1", "Leaf1"})});
  const MulticastTable& leaf = routes.tables[routes.trees[0].root.value()];
  EXPECT_EQ(leaf.at(kFirstMulticastLid), PortMask(0b11));
}

TEST(SpanningTree, ReachesAllMembersOnceWithEveryEngine) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  for (const Engine& engine : engines()) {
    MulticastGroup group = group_of(made, {"H1", "H2", "H6", "H11", "H12", "H13", "Spine2"});
    const MulticastRoutes routes = routed(made, {group}, engine.kind);
    EXPECT_TRUE(routes.trees[0].unreached.empty()) << engine.name;
    const MulticastCheck check = check_multicast(made.view, routes.tables, group);
    EXPECT_TRUE(check.is_sound()) << engine.name;
    EXPECT_EQ(check.cables + 1, check.switches) << engine.name;
  }
}

TEST(MulticastCheck, FindsWhatBreaksATree) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const MulticastGroup group = group_of(made, {"H1", "H5"});
  const MulticastRoutes routes = routed(made, {group});
  const auto at = [&](std::string_view name) { return made.view[port_of(made, name)].at.value(); };

  MulticastRoutes lost = routes;
  lost.tables[at("Leaf2")][group.lid].reset(1);
  EXPECT_EQ(check_multicast(made.view, lost.tables, group).missing, 1U);

  MulticastRoutes one_way = routes;
  one_way.tables[at("Leaf2")][group.lid].reset(5);
  EXPECT_FALSE(check_multicast(made.view, one_way.tables, group).is_tree);

  MulticastRoutes circle = routes;  // by both spines
  circle.tables[at("Leaf1")][group.lid].set(6);
  circle.tables[at("Leaf2")][group.lid].set(6);
  circle.tables[at("Spine2")][group.lid] = PortMask(0b110);
  EXPECT_FALSE(check_multicast(made.view, circle.tables, group).is_tree);
  EXPECT_EQ(check_multicast(made.view, circle.tables, group).missing, 0U);
}

}  // namespace
}  // namespace weft::subnet
