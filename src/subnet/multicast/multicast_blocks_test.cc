#include "subnet/multicast/multicast_blocks.h"

#include <gtest/gtest.h>

#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

/// As an agent has them after all blocks were set.
ServedNode with_blocks(std::size_t ports, const std::vector<MulticastBlock>& blocks) {
  ServedNode node;
  node.ports.resize(ports);
  for (const MulticastBlock& block : blocks) {
    node.blocks[block_key(wire::kAttributeMulticastForwarding, block.modifier)] = block.data;
  }
  return node;
}

//= ibta-1.7 14.2.5.12
TEST(MulticastBlocks, HoldThirtyTwoLidsBySixteenPorts) {
  RoutedSwitch at;
  at.ports.resize(37);  // port 0 and 36 others: three positions
  MulticastTable table;
  table[kFirstMulticastLid].set(0).set(15).set(16).set(36);
  table[kFirstMulticastLid + 33].set(1);
  const std::vector<MulticastBlock> blocks = multicast_blocks(at, table);
  ASSERT_EQ(blocks.size(), 6U);  // two blocks at three positions
  EXPECT_EQ(blocks[0].modifier, 0U);
  EXPECT_EQ(wire::load_be16(blocks[0].data, 0), 0x8001U);
  EXPECT_EQ(blocks[1].modifier, 1U << 28U);
  EXPECT_EQ(wire::load_be16(blocks[1].data, 0), 0x0001U);
  EXPECT_EQ(wire::load_be16(blocks[2].data, 0), 0x0010U);
  EXPECT_EQ(blocks[3].modifier, 1U);
  EXPECT_EQ(wire::load_be16(blocks[3].data, 2), 0x0002U);
  const ServedNode node = with_blocks(37, blocks);
  for (const auto& [lid, mask] : table) {
    EXPECT_EQ(multicast_ports(node, lid), mask);
  }
  EXPECT_EQ(multicast_table(node), table);
  EXPECT_TRUE(multicast_ports(node, kFirstMulticastLid + 1).none());
  EXPECT_TRUE(multicast_ports(node, 1).none());
}

TEST(MulticastBlocks, AreNoneOfASwitchWithoutEntries) {
  RoutedSwitch at;
  at.ports.resize(5);
  EXPECT_TRUE(multicast_blocks(at, {}).empty());
}

}  // namespace
}  // namespace weft::subnet
