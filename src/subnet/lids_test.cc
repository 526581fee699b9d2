#include "subnet/lids.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

std::vector<Lid> lids(const SweptSubnet& made, const std::vector<std::string>& names) {
  std::vector<Lid> found;
  for (const std::string& name : names) {
    const Node& node = made.subnet[*find_node(made.subnet, name)];
    found.push_back(node.ports[node.type == NodeType::kSwitch ? 0 : 1].lid);
  }
  return found;
}

// The manager's port first, then GUIDs by their last byte: Leaf1 0x200000, Leaf2 0x200001, Leaf3 0x200002, H2 0x100003,
// Leaf4 0x200003.
TEST(Lids, FollowTheReversedBytesOfGuids) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  EXPECT_EQ(lids(made, {"H1", "Leaf1", "Leaf2", "Leaf3", "H2", "Leaf4"}), (std::vector<Lid>{1, 2, 3, 4, 5, 6}));
}

// Adapters begin at multiples of 2^LMC; what a switch leaves over in such a group stays unused.
TEST(Lids, OfAnLmcAreAligned) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"), 2);
  EXPECT_EQ(lids(made, {"H1", "Leaf1", "Leaf2", "Leaf3", "H2", "Leaf4", "Spine1"}),
            (std::vector<Lid>{4, 8, 9, 10, 12, 16, 17}));
}

TEST(Lids, ThatPortsHaveAreKept) {
  Subnet subnet = swept(stored("fat_4x2x4.net")).subnet;
  for (Node& node : subnet.nodes) {
    node.ports[node.type == NodeType::kSwitch ? 0 : 1].lid = 0;
  }
  subnet[*find_node(subnet, "Spine2")].ports[0].lid = 2;
  ASSERT_TRUE(assign_lids(subnet));
  EXPECT_EQ(subnet[*find_node(subnet, "Spine2")].ports[0].lid, 2);
  EXPECT_EQ(subnet[*find_node(subnet, "H1")].ports[1].lid, 1);
  EXPECT_EQ(subnet[*find_node(subnet, "Leaf1")].ports[0].lid, 3);
}

TEST(Lids, AreNotAssignedFromAPortWithoutACable) {
  std::string text = stored("fat_4x2x4.net");
  text = "# Initiated from node 0000000000100000 port 0000000000100002\n" + text;
  text.replace(text.find("Hca"), 5, "Hca 2");
  const Result<Subnet> parsed = parse_topology({.text = text, .name = "idle.net"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const Result<SweptSubnet> swept = sweep(*parsed);
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().message,
            "port 2 of \"H1\", where the subnet was read, has no cable; name another node for its manager");
}

TEST(Lids, RunOut) {
  std::string text = "Hca 1 \"H\"\n[1] \"S0\"[1]\n\n";
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("Switch 254 \"S{}\"\n", i);
    text += i < 7 ? fmt::format("[2] \"S{}\"[1]\n\n", i + 1) : "\n";
  }
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("Hca 1 \"h{}\"\n[1] \"S{}\"[{}]\n\n", i, i / 200, i % 200 + 10);
  }
  const Result<Subnet> parsed = parse_topology({.text = text, .name = "wide.net"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  Subnet subnet = discovered(*parsed, *manager_port(*parsed));
  const Result<void> assigned = assign_lids(subnet, {.lmc = 7});
  ASSERT_FALSE(assigned);
  EXPECT_EQ(assigned.error().message,
            "409 end ports with an LMC of 7 need more LIDs than the 49151 of a subnet; lower the LMC");
}

}  // namespace
}  // namespace weft::subnet
