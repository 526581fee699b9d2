#include "workload/collective/network_cuts.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::workload {
namespace {

constexpr Rate kShare = 100_gbps;

/// Members of one group each, so many to a leaf.
std::vector<NetworkCut> cuts(const std::vector<std::uint32_t>& leaves) {
  std::vector<SharedUplinks> uplinks;
  uplinks.reserve(leaves.size());
  for (const std::uint32_t leaf : leaves)
    uplinks.push_back({.block = leaf, .share = kShare});
  std::vector<MemberUplinks> members;
  for (std::uint32_t i = 0; i < leaves.size(); ++i)
    members.push_back({.group = i, .uplinks = {&uplinks[i], 1}});
  return cuts_of(members);
}

TEST(NetworkCuts, ARingLeavesALeafOnceWhereHostsLieInOrder) {
  const std::vector<NetworkCut> found = cuts({0, 0, 0, 0, 1, 1, 1, 1});
  ASSERT_EQ(found.size(), 1U) << "both leaves are alike";
  EXPECT_EQ(found[0].members, 4);
  EXPECT_EQ(found[0].groups, 4);
  EXPECT_EQ(found[0].rings, 1);
  EXPECT_EQ(found[0].share, kShare);
}

TEST(NetworkCuts, ARingLeavesALeafWithEachHostThatLiesBetweenOthers) {
  EXPECT_EQ(cuts({0, 1, 0, 1, 0, 1, 0, 1}).at(0).rings, 4);
  EXPECT_EQ(cuts({0, 0, 1, 1, 0, 0, 1, 1}).at(0).rings, 2);
}

TEST(NetworkCuts, TwoHostsHaveAnEdgeOfEachTree) { EXPECT_EQ(cuts({0, 1}).at(0).tree_edges, 2); }

// Of 16 nodes in two halves: the first tree (root 0, its child 8) has 0-8 and 8-4 between them, the second mirrors it.
TEST(NetworkCuts, TreesHaveFewEdgesBetweenHalvesInOrder) {
  std::vector<std::uint32_t> halves(16, 0);
  std::fill(halves.begin() + 8, halves.end(), 1);
  EXPECT_EQ(cuts(halves).at(0).tree_edges, 4);
  for (std::uint32_t i = 0; i < 16; ++i)
    halves[i] = i % 2;
  EXPECT_GT(cuts(halves).at(0).tree_edges, 12) << "half of all edges lead to a node of the other kind";
}

TEST(NetworkCuts, LeavesWithOtherNumbersOfMembersAreCutsOfTheirOwn) {
  EXPECT_EQ(cuts({0, 0, 0, 1}).size(), 2U);
  EXPECT_TRUE(cuts({0, 0, 0, 0}).empty()) << "nothing lies beyond it";
  EXPECT_TRUE(cuts_of({}).empty());
}

// Leaves of rails: the four members of two hosts have two leaves, each of them one of every host.
TEST(NetworkCuts, MembersOfOneHostMayLieBehindSeveralCuts) {
  const SharedUplinks first{.block = 1, .share = kShare};
  const SharedUplinks second{.block = 2, .share = kShare};
  const SharedUplinks pod{.block = 3, .share = kShare / 2};
  const std::vector<SharedUplinks> lower{first, pod};
  const std::vector<SharedUplinks> upper{second, pod};
  const std::vector<SharedUplinks> beyond{{.block = 4, .share = kShare}};
  const std::vector<NetworkCut> found = cuts_of(std::vector<MemberUplinks>{{.group = 0, .uplinks = lower},
                                                                           {.group = 0, .uplinks = upper},
                                                                           {.group = 1, .uplinks = lower},
                                                                           {.group = 1, .uplinks = upper},
                                                                           {.group = 2, .uplinks = beyond},
                                                                           {.group = 2, .uplinks = beyond}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], (NetworkCut{.members = 2, .groups = 1, .rings = 1, .tree_edges = 3, .share = kShare}));
  EXPECT_EQ(found[1], (NetworkCut{.members = 2, .groups = 2, .rings = 1, .tree_edges = 3, .share = kShare}));
  EXPECT_EQ(found[2].members, 4);
  EXPECT_EQ(found[2].share, kShare / 2);
}

}  // namespace
}  // namespace weft::workload
