#include "cli/serve_console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "subnet/topology_file.h"

namespace weft::cli {
namespace {

using ::testing::HasSubstr;

class ServeConsoleTest : public testing::Test {
 protected:
  subnet::Subnet subnet_ = *subnet::parse_topology(
      {.text = "Hca 1 \"h0\"\n[1] \"leaf\"[1]\n\nHca 1 \"h1\"\n[1] \"leaf\"[2]\n\nSwitch 3 \"leaf\"\n\n",
       .name = "network"});
  subnet::ServedSubnet served_{subnet_};
  subnet::UmadService service_{{.subnet = subnet_, .anywhere = {.node = subnet::NodeIndex(0), .port = 1}}, served_};
  ServeConsole console_{subnet_, served_, service_};

  wire::PortState state(std::uint8_t port) {
    return served_.port({.node = subnet::NodeIndex(2), .port = port}).state();
  }
};

TEST_F(ServeConsoleTest, PullsCablesAndPutsThemBack) {
  EXPECT_EQ(console_.take("unlink leaf[1]").text, "unlinked of leaf: 1 cable\n");
  EXPECT_EQ(state(1), wire::PortState::kDown);
  EXPECT_EQ(state(2), wire::PortState::kInitialize);
  EXPECT_EQ(console_.take("Unlink \"leaf\"").text, "unlinked of leaf: 1 cable\n");
  EXPECT_EQ(state(2), wire::PortState::kDown);
  EXPECT_EQ(console_.take("  ReLink  \"leaf\" ").text, "relinked of leaf: 2 cables\n");
  EXPECT_EQ(state(1), wire::PortState::kInitialize);
}

TEST_F(ServeConsoleTest, SaysWhatIsWrongWithACommand) {
  EXPECT_EQ(console_.take("unlink leaf[3]").error, "port 3 has no cable");
  EXPECT_EQ(console_.take("relink leaf[1]").error, "the cable of port 1 is linked already");
  EXPECT_EQ(console_.take("unlink leaf[4]").error, "leaf has ports 1 to 3");
  EXPECT_EQ(console_.take("unlink leaf[x]").error, "'[x]' is no port; write NODE[3]");
  EXPECT_EQ(console_.take("unlink").error, "name a node: NODE or NODE[3]");
  EXPECT_THAT(console_.take("dump leef").error, HasSubstr("leaf"));
  EXPECT_THAT(console_.take("unlnk leaf").error, HasSubstr("unlink"));
  EXPECT_FALSE(console_.take("unlink h9").error.empty());
}

TEST_F(ServeConsoleTest, ShowsAndEnds) {
  EXPECT_THAT(console_.take("dump leaf").text, HasSubstr("[1] Initialize, cable to h0[1]"));
  EXPECT_THAT(console_.take("dump").text, HasSubstr("Channel Adapter \"h1\""));
  EXPECT_EQ(console_.take("attached").text, "no program is attached\n");
  EXPECT_THAT(console_.take("help").text, HasSubstr("relink NODE[PORT]"));
  EXPECT_FALSE(console_.take("# a remark").ends);
  EXPECT_TRUE(console_.take("quit").ends);
}

}  // namespace
}  // namespace weft::cli
