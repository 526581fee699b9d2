#include "subnet/topology_file.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

Result<Subnet> parse(std::string_view text) { return parse_topology({.text = text, .name = "a.net"}); }

std::string error_of(std::string_view text) {
  const Result<Subnet> parsed = parse(text);
  return parsed ? "no error" : parsed.error().message;
}

TEST(TopologyFile, GivesNodesTheGuidsOfIbsim) {
  const Result<Subnet> parsed = parse("Hca 2 \"H1\"\n[1] \"S\"[1]\n\nSwitch 3 \"S\"\n[2] \"H2\"\n\nHca 1 \"H2\"\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->nodes.size(), 3U);
  EXPECT_EQ(parsed->nodes[0].guid.value, 0x100000U);
  EXPECT_EQ(parsed->nodes[0].ports[2].guid.value, 0x100002U);
  EXPECT_EQ(parsed->nodes[1].guid.value, 0x200000U);
  EXPECT_EQ(parsed->nodes[2].guid.value, 0x100003U);
  EXPECT_EQ(parsed->nodes[2].ports[1].peer, (PortPlace{.node = NodeIndex(1), .port = 2}));  // without a port: 1
}

TEST(TopologyFile, ReadsWhatIbnetdiscoverWritesOfTheSameNetwork) {
  for (const std::string name : {"fat_4x2x4", "ring6"}) {
    const SweptSubnet ours = swept(stored(name + ".net"));
    const std::string text = stored(name + ".ibnetdiscover");
    const Result<Subnet> theirs = parse(text);
    ASSERT_TRUE(theirs) << theirs.error().message;
    ASSERT_TRUE(theirs->manager);
    EXPECT_EQ(theirs->port(*theirs->manager).guid, ours.subnet.port(*ours.subnet.manager).guid);
    ASSERT_EQ(theirs->nodes.size(), ours.subnet.nodes.size());
    for (const Node& node : ours.subnet.nodes) {
      const Result<NodeIndex> found = find_node(*theirs, node.description);
      ASSERT_TRUE(found) << found.error().message;
      const Node& other = (*theirs)[*found];
      EXPECT_EQ(other.guid, node.guid);
      EXPECT_EQ(other.type, node.type);
      ASSERT_EQ(other.ports.size(), node.ports.size());
      for (std::size_t port = 0; port < node.ports.size(); ++port) {
        EXPECT_EQ(other.ports[port].guid, node.ports[port].guid);
        EXPECT_EQ(other.ports[port].lid, node.ports[port].lid) << node.id;
        ASSERT_EQ(other.ports[port].peer.has_value(), node.ports[port].peer.has_value());
        if (node.ports[port].peer) {
          EXPECT_EQ(other.ports[port].link, "4xSDR");
          EXPECT_EQ((*theirs)[other.ports[port].peer->node].description,
                    ours.subnet[node.ports[port].peer->node].description);
          EXPECT_EQ(other.ports[port].peer->port, node.ports[port].peer->port);
        }
      }
    }
  }
}

TEST(TopologyFile, NamesFileLineAndRemedy) {
  EXPECT_EQ(error_of("Swich 3 \"S\"\n").substr(0, 54), "a.net:1: unknown record 'Swich'; did you mean 'Switch'");
  EXPECT_EQ(error_of("Switch \"S\"\n"),
            "a.net:1: expected a number of ports from 1 to 254 before the name: Switch 36 \"name\"");
  EXPECT_EQ(error_of("Switch 3 S\n"), "a.net:1: expected a name in quotation marks: Switch 36 \"name\"");
  EXPECT_EQ(error_of("Switch 3 \"S\"\n\nSwitch 3 \"S\"\n"),
            "a.net:3: node \"S\" stands here for the second time; names are unique");
  EXPECT_EQ(error_of("Switch 3 \"leaf\"\n[4] \"x\"[1]\n"),
            "a.net:2: node \"leaf\" has ports 1 to 3; expected [3] \"peer\"[1]");
  EXPECT_EQ(error_of("Switch 3 \"leaf\"\n[1] \"laef\"[2]\n"),
            "a.net:2: no node \"laef\" in this file; did you mean \"leaf\"?");
  EXPECT_EQ(error_of("Switch 3 \"a\"\n[1] \"b\"[9]\n\nSwitch 3 \"b\"\n"),
            "a.net:2: node \"b\" has ports 1 to 3, not 9");
  EXPECT_EQ(error_of("Switch 3 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]\n\nSwitch 3 \"b\"\n"),
            "a.net:3: port 1 of \"b\" has a cable to port 1 of \"a\" already; a port has one cable");
  EXPECT_EQ(error_of("switchguid=0x5\nSwitch 3 \"a\"\n\nswitchguid=0x5\nSwitch 3 \"b\"\n"),
            "a.net: \"a\" and \"b\" have the GUID 0x5; GUIDs are unique");
  EXPECT_EQ(error_of("[1] \"b\"[1]\n"),
            "a.net:1: a port without a node; ports follow their node's line without an empty line");
  EXPECT_EQ(error_of("# nothing\n"), "a.net: no node; a record begins with 'Switch 36 \"name\"' or 'Ca 1 \"name\"'");
}

TEST(TopologyFile, TakesEveryBeginningOfAFileWithoutACrash) {
  const std::string text = stored("fat_4x2x4.ibnetdiscover");
  for (std::size_t length = 0; length < text.size(); length += 7) {
    (void)parse(std::string_view(text).substr(0, length));
  }
}

}  // namespace
}  // namespace weft::subnet
