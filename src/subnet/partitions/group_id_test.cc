#include "subnet/partitions/group_id.h"

#include <gtest/gtest.h>

namespace weft::subnet {
namespace {

TEST(GroupId, IsEightWordsOfWhichAGapStandsForZeros) {
  EXPECT_EQ(parse_gid("ff12:401b::0707"), (GidWords{0xFF12, 0x401B, 0, 0, 0, 0, 0, 0x0707}));
  EXPECT_EQ(parse_gid("ff12::1"), (GidWords{0xFF12, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(parse_gid("1:2:3:4:5:6:7:8"), (GidWords{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(parse_gid("::"), GidWords{});
  EXPECT_EQ(parse_gid("ff12::"), (GidWords{0xFF12}));
  EXPECT_EQ(parse_gid("ff12::1.2.3.4"), (GidWords{0xFF12, 0, 0, 0, 0, 0, 0x0102, 0x0304})) << "as OpenSM takes it";
  EXPECT_TRUE(is_multicast(*parse_gid("ff12::1")));
  EXPECT_FALSE(is_multicast(*parse_gid("fe80::1")));
}

TEST(GroupId, OfAnotherFormIsNone) {
  for (const char* wrong : {"",
                            "zz",
                            "ff12",
                            "ff12:",
                            ":ff12",
                            "1:2:3:4:5:6:7",
                            "1:2:3:4:5:6:7:8:9",
                            "1::2::3",
                            "12345::",
                            "1:2:3:4:5:6:7::8",
                            ":::",
                            "ff12::g",
                            "-1::",
                            "1 ::",
                            "::1.2.3",
                            "::1.2.3.256",
                            "::1.2.3.04",
                            "::1.2.3.",
                            "1.2.3.4",
                            "::1.2.3.4:5",
                            "1:2:3:4:5:6:7:1.2.3.4"}) {
    EXPECT_FALSE(parse_gid(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace weft::subnet
