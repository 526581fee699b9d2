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

TEST(LinkRate, IsTheNearestOfARate) {
  const auto nearest = [](std::int64_t megabits) { return nearest_link(Rate::bits_per_second(megabits * 1'000'000)); };
  EXPECT_EQ(nearest(10'000), "4xSDR");
  EXPECT_EQ(nearest(40'000), "4xQDR");
  EXPECT_EQ(nearest(56'000), "4xFDR");
  EXPECT_EQ(nearest(54'545), "4xFDR");
  EXPECT_EQ(nearest(100'000), "4xEDR");
  EXPECT_EQ(nearest(200'000), "4xHDR");
  EXPECT_EQ(nearest(400'000), "4xNDR");
  EXPECT_EQ(nearest(800'000), "4xXDR");
  EXPECT_EQ(nearest(25'000), "1xEDR");
  EXPECT_EQ(nearest(1), "1xSDR");
  EXPECT_EQ(nearest(100'000'000), "12xXDR");
  for (const std::int64_t megabits : {1LL, 7'000LL, 90'000LL, 320'000LL, 1'000'000LL}) {
    EXPECT_TRUE(parse_link_rate(nearest(megabits))) << megabits;
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
