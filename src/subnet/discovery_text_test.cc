#include "subnet/discovery_text.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(DiscoveryText, IsReadAsTheSubnetThatItWasWrittenOf) {
  for (const std::string name : {"fat_4x2x4.ibnetdiscover", "ring6.ibnetdiscover"}) {
    const Result<Subnet> first = parse_topology({.text = stored(name), .name = name});
    ASSERT_TRUE(first) << first.error().message;
    const std::string text = write_ibnetdiscover(*first);
    const Result<Subnet> second = parse_topology({.text = text, .name = "written"});
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(*first, *second);
  }
}

TEST(DiscoveryText, KeepsLidsPortsAndNamesOfAnIbsimFile) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"), 1);
  const std::string text = write_ibnetdiscover(made.subnet);
  const Result<Subnet> read = parse_topology({.text = text, .name = "written"});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->nodes.size(), made.subnet.nodes.size());
  for (std::size_t i = 0; i < read->nodes.size(); ++i) {
    EXPECT_EQ(read->nodes[i].description, made.subnet.nodes[i].id);
    for (std::size_t port = 0; port < read->nodes[i].ports.size(); ++port) {
      EXPECT_EQ(read->nodes[i].ports[port].lid, made.subnet.nodes[i].ports[port].lid);
      EXPECT_EQ(read->nodes[i].ports[port].lmc, made.subnet.nodes[i].ports[port].lmc);
      EXPECT_EQ(read->nodes[i].ports[port].guid, made.subnet.nodes[i].ports[port].guid);
      EXPECT_EQ(read->nodes[i].ports[port].peer, made.subnet.nodes[i].ports[port].peer);
    }
  }
  EXPECT_EQ(read->manager, made.subnet.manager);
}

}  // namespace
}  // namespace weft::subnet
