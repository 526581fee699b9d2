#include "subnet/agent/link_rate.h"

#include <gtest/gtest.h>

namespace weft::subnet {
namespace {

TEST(LinkRate, IsReadAsToolsWriteIt) {
  EXPECT_EQ(parse_link_rate("4xSDR"), kDefaultLinkRate);
  EXPECT_EQ(parse_link_rate("12xQDR"), (LinkRate{.width = 8, .speed = 4}));
  EXPECT_EQ(parse_link_rate("4xNDR"), (LinkRate{.width = 2, .speed = 4, .speed_ext = 8}));
  EXPECT_EQ(parse_link_rate("2xHDR"), (LinkRate{.width = 16, .speed = 4, .speed_ext = 4}));
  for (const char* wrong : {"", "4x", "3xSDR", "4xABC", "4xSDRx"}) {
    EXPECT_FALSE(parse_link_rate(wrong)) << wrong;
  }
}

TEST(LinkRate, IsTheFastestThatBothEndsHaveEnabled) {
  wire::PortInfo a;
  wire::PortInfo b;
  support_rate(a, *parse_link_rate("4xNDR"));
  support_rate(b, *parse_link_rate("4xEDR"));
  ASSERT_TRUE(negotiate(a, b));
  EXPECT_EQ(a.width_active, 2);
  EXPECT_EQ(a.speed_active, 4);
  EXPECT_EQ(a.speed_ext_active, 2);
  EXPECT_EQ(b.speed_ext_active, 2);
  b.width_enabled = 1;
  ASSERT_TRUE(negotiate(a, b));
  EXPECT_EQ(a.width_active, 1);
  b.speed_enabled = 0;
  EXPECT_FALSE(negotiate(a, b));
}

}  // namespace
}  // namespace weft::subnet
