#include "subnet/partitions/partition_file.h"

#include <gmock/gmock.h>

namespace weft::subnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PartitionFile parsed(std::string_view text) {
  Result<PartitionFile> file = parse_partitions({.text = text, .name = "p.conf"});
  EXPECT_TRUE(file) << (file ? "" : file.error().message);
  return file.value_or(PartitionFile{});
}

std::string error_of(std::string_view text) {
  const Result<PartitionFile> file = parse_partitions({.text = text, .name = "p"});
  return file ? "no error" : file.error().message;
}

/// "0x7:full SELF:limited"
std::string members_of(const PartitionRule& rule) {
  std::string text;
  for (const MemberRule& member : rule.members) {
    text += (text.empty() ? "" : " ") +
            (member.kind == MemberKind::kPort ? fmt::format("{:#x}", member.port.value)
                                              : std::string(to_string(member.kind))) +
            (member.membership == Membership::kFull ? ":full" : ":limited");
  }
  return text;
}

TEST(PartitionFile, HasNameKeyFlagsAndMembers) {
  const PartitionFile file = parsed(
      "# all\n"
      "Default=0x7fff, ipoib : ALL, SELF=full ;\n"
      "New , ipoib,rate=7,mtu=5 ,sl=1,scope=2,scope=5,Q_Key=0xB1B,TClass=3,FlowLabel=9 : 0x123456=full, 42=limited;\n"
      "0x80, indx0, defmember=full : 0x11 , 0x12 = limited, 010=both # comment; with a semicolon\n"
      "  , ALL_CAS, ALL_SWITCHES=limited, ALL_ROUTERS; Empty=5:;\n");
  EXPECT_TRUE(file.warnings.empty());
  ASSERT_EQ(file.rules.size(), 4U);
  EXPECT_EQ(file.rules[0].name, "Default");
  EXPECT_EQ(file.rules[0].p_key, kDefaultPartition);
  EXPECT_TRUE(file.rules[0].ipoib);
  EXPECT_EQ(members_of(file.rules[0]), "ALL:limited SELF:full");
  EXPECT_EQ(file.rules[1].p_key, 0);
  EXPECT_EQ(file.rules[1].flags,
            (GroupFlags{
                .rate = 7, .mtu = 5, .sl = 1, .scopes = {2, 5}, .q_key = 0xB1B, .traffic_class = 3, .flow_label = 9}));
  EXPECT_EQ(members_of(file.rules[1]), "0x123456:full 0x2a:limited");
  EXPECT_EQ(file.rules[2].name, "");
  EXPECT_EQ(file.rules[2].p_key, 0x80);
  EXPECT_TRUE(file.rules[2].index0);
  EXPECT_EQ(members_of(file.rules[2]),
            "0x11:full 0x12:limited 0x8:full ALL_CAS:full ALL_SWITCHES:limited ALL_ROUTERS:full");
  EXPECT_EQ(file.rules[3].name, "Empty");
  EXPECT_TRUE(file.rules[3].members.empty());
  EXPECT_EQ(file.rules[2].members[1].line, 4U);
  EXPECT_EQ(file.rules[2].members[1].column, 38U);
}

TEST(PartitionFile, HasMulticastGroupsALineEach) {
  const PartitionFile file = parsed(
      "Default=0x7fff,ipoib:\n"
      "   mgid=ff12:401b::0707,sl=1 # random IPv4 group\n"
      "   mgid=ff12::1,sl=1,Q_Key=0xDEADBEEF,rate=3,mtu=2\n"
      "   ALL=full;\n");
  ASSERT_EQ(file.rules.size(), 1U);
  ASSERT_EQ(file.rules[0].groups.size(), 2U);
  EXPECT_EQ(file.rules[0].groups[0].mgid, "ff12:401b::0707");
  EXPECT_EQ(file.rules[0].groups[1].flags, (GroupFlags{.rate = 3, .mtu = 2, .sl = 1, .q_key = 0xDEADBEEF}));
  EXPECT_EQ(members_of(file.rules[0]), "ALL:full");
}

// OpenSM says nothing of these.
TEST(PartitionFile, WarnsOfWhatOpensmPassesOver) {
  EXPECT_THAT(parsed("A=5, fulll, rate=x : ALL=FULL, SEL=f ;\n").warnings,
              ElementsAre("p.conf:1:6: unknown flag 'fulll' is passed over",
                          "p.conf:1:18: rate needs a number from 0 to 63; it is passed over",
                          "p.conf:1:26: membership 'FULL' is none of full, limited and both; OpenSM takes limited",
                          "p.conf:1:32: 'SEL' is taken for 'SELF'; write it out",
                          "p.conf:1:36: 'f' is taken for 'full'; write it out"));
  EXPECT_THAT(parsed("A=0x10005,ipoip,defmember:ALL=;").warnings,
              ElementsAre("p.conf:1:3: 0x10005 is more than 16 bits; OpenSM takes the P_Key 0x0005",
                          "p.conf:1:11: unknown flag 'ipoip' is passed over; did you mean 'ipoib'?",
                          "p.conf:1:17: defmember without full, limited or both is passed over",
                          "p.conf:1:31: a membership is missing after '='; OpenSM takes full"));
}

// OpenSM refuses each of these and makes all ports full members of the default partition.
TEST(PartitionFile, NamesLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(error_of("A=5 : ALL ;\n B=6 ALL;\n"),
            "p:2:2: expected a partition: NAME[=P_KEY][, FLAG...] : MEMBERS ; with its ':' in this line");
  EXPECT_EQ(error_of("A=x5 : ALL;"), "p:1:3: 'x5' is no P_Key; a number such as 0x80");
  EXPECT_EQ(
      error_of("A=5 : ALL,\n  0x1g=full;"),
      "p:2:3: '0x1g' is no member; the GUID of a port (0x0002c90000000001), ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS "
      "or SELF");
  EXPECT_THAT(error_of("A=5 : all;"), HasSubstr("p:1:7: 'all' is no member"));
  EXPECT_THAT(error_of("A=5 : 0x1 0x2;"), HasSubstr("p:1:7: '0x1 0x2' is no member"));
  EXPECT_THAT(error_of("A=5 :\n ALL\n ;"), HasSubstr("p:3:2: a line that begins with ';'"));
  EXPECT_THAT(error_of("A=5 : ALL ;;"), HasSubstr("p:1:12: expected a partition"));
  EXPECT_THAT(error_of("A=5 : ALL ;\r\n"), HasSubstr("p:1:12: a carriage return"));
  EXPECT_EQ(error_of("A=5 : mgid=fe80::1;"),
            "p:1:12: 'fe80::1' is no multicast GID; mgid=ff12:401b::16, with a first byte of ff");
  EXPECT_EQ(error_of("A=5 : ALL, mgid=ff12::1;"), "p:1:12: mgid= has to be the first in its line");
  EXPECT_THAT(error_of("; A=5 : ALL;"), HasSubstr("p:1:1: ';' before the ':'"));
}

TEST(PartitionFile, IsReadAsItWasWritten) {
  const std::vector<PartitionRule> rules =
      parsed(
          "Default : ALL=full;\n: 0x7;\n5=0 : "
          "SELF;\nX=0x8001,indx0,ipoib,rate=3,scope=1,scope=2,Q_Key=7,defmember=full:\n"
          "mgid=ff12::1,sl=1\n0x9, ALL_CAS=limited;E=4:;M:mgid=ff12::2;\n")
          .rules;
  const std::string text = write_partitions(rules);
  const PartitionFile again = parsed(text);
  EXPECT_TRUE(again.warnings.empty());
  ASSERT_EQ(again.rules.size(), rules.size()) << text;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(again.rules[i].name, rules[i].name);
    EXPECT_EQ(again.rules[i].p_key, rules[i].p_key) << text;
    EXPECT_EQ(again.rules[i].index0, rules[i].index0);
    EXPECT_EQ(again.rules[i].ipoib, rules[i].ipoib);
    EXPECT_EQ(again.rules[i].flags, rules[i].flags);
    EXPECT_EQ(members_of(again.rules[i]), members_of(rules[i]));
    ASSERT_EQ(again.rules[i].groups.size(), rules[i].groups.size());
    for (std::size_t j = 0; j < rules[i].groups.size(); ++j) {
      EXPECT_EQ(again.rules[i].groups[j].mgid, rules[i].groups[j].mgid);
      EXPECT_EQ(again.rules[i].groups[j].flags, rules[i].groups[j].flags);
    }
  }
}

}  // namespace
}  // namespace weft::subnet
