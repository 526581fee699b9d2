#include "subnet/multicast/multicast_dump.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

const std::string kDump =
    "\nSwitch 0x0000000000200000\nLID    : Out Port(s)\n0xC000 : 0x002  0x005 \n0xC001 : 0x003  0x005 \n"
    "\nSwitch 0x0000000000200004\nLID    : Out Port(s)\n0xC000 : 0x001  0x002  0x004 \n";

TEST(MulticastDump, IsThatOfOpensmToTheByte) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const Result<MulticastTables> tables = parse_mcfdbs({.text = kDump, .name = "dump"}, made.view);
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(write_mcfdbs(made.view, *tables), kDump);
}

TEST(MulticastDump, NamesLineAndRemedy) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const auto error_of = [&](std::string_view text) {
    const Result<MulticastTables> tables = parse_mcfdbs({.text = text, .name = "d"}, made.view);
    return tables ? std::string("no error") : tables.error().message;
  };
  const std::string leaf = "Switch 0x0000000000200000\n";
  EXPECT_EQ(error_of("0xC000 : 0x001\n"), "d:1: an entry before the line of its switch");
  EXPECT_EQ(error_of("Switch 0x7\n"), "d:1: no switch of the subnet has the GUID 0x0000000000000007");
  EXPECT_EQ(error_of(leaf + "0xBFFF : 0x001\n"),
            "d:2: expected a multicast LID from 0xC000 to 0xFFFE and ' :' before its ports");
  EXPECT_EQ(error_of(leaf + "0xC000\n"),
            "d:2: expected a multicast LID from 0xC000 to 0xFFFE and ' :' before its ports");
  EXPECT_EQ(error_of(leaf + "0xC000 : 0x007\n"), "d:2: expected ports from 0x000 to 0x006");
  EXPECT_EQ(error_of("Switch 0x200000zzz\n"), "d:1: expected nothing after the GUID of a switch");
  EXPECT_EQ(error_of(leaf + "0xC000 junk : 0x001\n"),
            "d:2: expected a multicast LID from 0xC000 to 0xFFFE and ' :' before its ports");
  EXPECT_EQ(error_of(leaf + "0xC000 : 0x001q\n"), "d:2: expected ports from 0x000 to 0x006");
  EXPECT_EQ(error_of(leaf + "anything\n"), "d:2: expected 'Switch 0x...' or '0xMLID : 0xPORT ...'");
}

}  // namespace
}  // namespace weft::subnet
