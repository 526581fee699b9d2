#include "subnet/forwarding_dump.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(ForwardingDump, IsThatOfOpensmToTheByte) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const std::string text = stored("fat_4x2x4.minhop.lfts");
  const Result<ForwardingTables> tables = parse_lfts({.text = text, .name = "dump"}, made.view);
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(write_lfts(made.subnet, made.view, *tables), text);
}

TEST(ForwardingDump, MayHaveLinesThatEndAsOnWindows) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const std::string text = stored("fat_4x2x4.minhop.lfts");
  std::string carriage_returns;
  for (const char c : text) {
    carriage_returns += c == '\n' ? "\r\n" : std::string(1, c);
  }
  const Result<ForwardingTables> tables = parse_lfts({.text = carriage_returns, .name = "dump"}, made.view);
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(write_lfts(made.subnet, made.view, *tables), text);
}

TEST(ForwardingDump, NamesLineAndRemedy) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const auto error_of = [&](std::string_view text) {
    const Result<ForwardingTables> tables = parse_lfts({.text = text, .name = "d"}, made.view);
    return tables ? std::string("no error") : tables.error().message;
  };
  const std::string leaf = "Unicast lids [0-22] of switch Lid 2 guid 0x0000000000200000 ('Leaf1'):\n";
  EXPECT_EQ(error_of("0x0001 001\n"), "d:1: an entry before the line of its switch");
  EXPECT_EQ(error_of("Unicast lids [0-2] of switch Lid 2 guid 0x7 ('x'):\n"),
            "d:1: no switch of the subnet has the GUID 0x0000000000000007");
  EXPECT_EQ(error_of(leaf + "0x0017 001\n"), "d:2: LID 0x17 is not in the subnet, whose LIDs are 0x1 to 0x16");
  EXPECT_EQ(error_of(leaf + "0x0016 007\n"), "d:2: expected a port from 0 to 6 after the LID");
  EXPECT_EQ(error_of(leaf + "anything\n"),
            "d:2: expected 'Unicast lids [0-N] of switch Lid L guid 0x...' or '0xLID PORT'");
  EXPECT_EQ(error_of(leaf), "d: no table of the switch with GUID 0x0000000000200001; the dump is of another subnet");
}

}  // namespace
}  // namespace weft::subnet
