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
              ElementsAre("p.conf:1:6: unknown flag 'fulll' is passed over", "p.conf:1:18: rate: OpenSM reads 'x' as 0",
                          "p.conf:1:26: membership 'FULL' is none of full, limited and both; OpenSM takes limited",
                          "p.conf:1:32: 'SEL' is taken for 'SELF'; write it out",
                          "p.conf:1:36: 'f' is taken for 'full'; write it out"));
  EXPECT_THAT(parsed("A=0x10005,ipoip,defmember:ALL=;").warnings,
              ElementsAre("p.conf:1:3: 0x10005 does not fit in 16 bits; OpenSM takes the P_Key 0x0005",
                          "p.conf:1:11: unknown flag 'ipoip' is passed over; did you mean 'ipoib'?",
                          "p.conf:1:17: defmember without full, limited or both is passed over",
                          "p.conf:1:31: a membership is missing after '='; OpenSM takes full"));
}

// A flag is the first of OpenSM's words that begins like it, and its number ends where no digit follows.
TEST(PartitionFile, TakesFlagsInTheOrderOfOpensm) {
  const PartitionFile file =
      parsed("A=5, i, s=2, s=2, m=5, ind, rate=7x, sl=1x, scope=0, Q=-1, defmember=full, defmember=x : 0x1;");
  ASSERT_EQ(file.rules.size(), 1U);
  EXPECT_TRUE(file.rules[0].ipoib);
  EXPECT_FALSE(file.rules[0].index0);
  EXPECT_EQ(file.rules[0].flags, (GroupFlags{.rate = 7, .mtu = 5, .scopes = {2}}));
  EXPECT_EQ(members_of(file.rules[0]), "0x1:full");
  EXPECT_THAT(file.warnings,
              ElementsAre(HasSubstr("'i' is taken for 'ipoib'"), HasSubstr("'s' is taken for 'scope'"),
                          HasSubstr("'s' is taken for 'scope'"), HasSubstr("'m' is taken for 'mtu'"),
                          HasSubstr("unknown flag 'ind' is passed over"), HasSubstr("OpenSM reads '7x' as 7"),
                          HasSubstr("sl needs a number from 0 to 15"), HasSubstr("scope needs a number from 1 to 15"),
                          HasSubstr("'Q' is taken for 'Q_Key'"), HasSubstr("Q_Key needs a number"),
                          HasSubstr("defmember without full, limited or both is passed over")));
}

TEST(PartitionFile, PassesOverNobody) {
  const PartitionFile file = parsed("A=5 : NONE, N=full, , =full, 0x1;");
  EXPECT_EQ(members_of(file.rules.at(0)), "0x1:limited");
  EXPECT_THAT(file.warnings, ElementsAre("p.conf:1:24: a membership of nobody is passed over"));
}

TEST(PartitionFile, TakesPKeysModulo16Bits) {
  EXPECT_EQ(parsed("A=-1:;").rules.at(0).p_key, 0x7FFF);
  EXPECT_EQ(parsed("A=0x1ffffffffffffffff:;").rules.at(0).p_key, 0x7FFF);
  EXPECT_EQ(parsed("A=+010:;").rules.at(0).p_key, 8);
}

// What a carriage return does is what any letter would do in its place; in a comment it does nothing.
TEST(PartitionFile, TakesACarriageReturnForALetter) {
  EXPECT_TRUE(parsed("A=5 : 0x1=full ; # c\r\n").warnings.empty());
  const PartitionFile file = parsed("A=5 : 0x1=full\r\n");
  EXPECT_EQ(members_of(file.rules.at(0)), "0x1:limited");
  EXPECT_THAT(file.warnings, ElementsAre(HasSubstr("OpenSM takes limited; the line ends with a carriage return")));
  EXPECT_THAT(error_of("A=5 : ALL ;\r\n"), HasSubstr("p:1:12: expected a partition"));
  EXPECT_THAT(error_of("A=5 : ALL ;\r\n"), HasSubstr("the line ends with a carriage return"));
}

TEST(PartitionFile, LeavesOutGroupsThatOpensmDoesNotMake) {
  const auto left = [](std::string_view text) {
    const PartitionFile file = parsed(text);
    EXPECT_TRUE(file.rules.at(0).groups.empty()) << text;
    return file.warnings.empty() ? std::string() : file.warnings.back();
  };
  EXPECT_EQ(left("A=5 :\n mgid=ff12:401b::0707,rate=7\n ALL;"),
            "p.conf:2:7: an IP group with rate=7 in a partition with rate=3; OpenSM leaves it out");
  EXPECT_EQ(left("A=5,mtu=5 :\n mgid=ff12:601b::1,mtu=4\n ALL;"),
            "p.conf:2:7: an IP group with mtu=4 in a partition with mtu=5; OpenSM leaves it out");
  EXPECT_THAT(left("A=5 :\n mgid=fe80::1,sl=1\n ALL;"), HasSubstr("'fe80::1' is no multicast GID"));
  EXPECT_THAT(left("A=5 : mgid=fe80::1;"), HasSubstr("'fe80::1' is no multicast GID"));
  EXPECT_EQ(parsed("A=5,rate=7,mtu=5 : ALL, mgid=ff12:401b::1,rate=7,mtu=5;").rules.at(0).groups.size(), 1U);
  EXPECT_EQ(parsed("A=5 : mgid=ff12::1,rate=7;").rules.at(0).groups.size(), 1U) << "no group of IP";
}

// OpenSM refuses each of these and makes all ports full members of the default partition.
TEST(PartitionFile, NamesLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(error_of("A=5 : ALL ;\n B=6 ALL;\n"),
            "p:2:2: expected a partition: NAME[=P_KEY][, FLAG...] : MEMBERS ; with its ':' in this line");
  EXPECT_EQ(error_of("A=x5 : ALL;"), "p:1:3: 'x5' is no P_Key; a number such as 0x80");
  EXPECT_EQ(
      error_of("A=5 : ALL,\n  0x1g=full;"),
      "p:2:3: '0x1g' is no member; the GUID of a port (0x0002c90000000001), ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, "
      "SELF or NONE");
  EXPECT_THAT(error_of("A=5 : all;"), HasSubstr("p:1:7: 'all' is no member"));
  EXPECT_THAT(error_of("A=5 : 0;"), HasSubstr("p:1:7: '0' is no member"));
  EXPECT_THAT(error_of("A=5 : 0x1 0x2;"), HasSubstr("p:1:7: '0x1 0x2' is no member"));
  EXPECT_THAT(error_of("A=5 :\n ALL\n ;"), HasSubstr("p:3:2: a line that begins with ';'"));
  EXPECT_THAT(error_of("A=5 : ALL ;;"), HasSubstr("p:1:12: expected a partition"));
  EXPECT_EQ(error_of("A=5 : mgid=ff12::1;"),
            "p:1:12: mgid without a flag before ';', behind which OpenSM reads on; mgid=ff12::1,sl=0 ;");
  EXPECT_EQ(error_of("A=5 : mgid;"), "p:1:7: mgid without a GID; mgid=ff12:401b::16");
  EXPECT_THAT(error_of("A=5 : mgid=fe80::1,sl=1;"), HasSubstr("p:1:12: 'fe80::1' is no multicast GID"));
  EXPECT_THAT(error_of("; A=5 : ALL;"), HasSubstr("p:1:1: ';' before the ':'"));
  EXPECT_THAT(error_of(std::string_view("A=5 : \0;", 8)), HasSubstr("p:1:7: a zero byte"));
}

TEST(PartitionFile, HasAtLeastOnePartition) {
  for (const char* none : {"", "\n \n", "# nothing here\n"}) {
    EXPECT_EQ(error_of(none), "p: no partition, which OpenSM refuses; expected at least one: NAME[=P_KEY] : MEMBERS ;");
  }
}

TEST(PartitionFile, HasLinesThatFitIntoTheBufferOfOpensm) {
  const std::string longest = "A=5 : ALL; #" + std::string(4'082, '-');
  ASSERT_EQ(longest.size(), 4'094U);
  EXPECT_EQ(parsed(longest + "\nB=6:;").rules.size(), 2U);
  EXPECT_EQ(error_of("A=5 : ALL;\n" + longest + "-\n"),
            "p:2:1: a line of 4095 bytes, of which OpenSM reads 4094 and takes the rest for another; break it");
}

TEST(PartitionFile, IsReadAsItWasWritten) {
  const std::vector<PartitionRule> rules =
      parsed(
          "Default : ALL=full;\n: 0x7;\n5=0 : "
          "SELF;\nX=0x8001,indx0,ipoib,rate=3,scope=1,scope=2,Q_Key=7,defmember=full:\n"
          "mgid=ff12::1,sl=1\n0x9, ALL_CAS=limited;E=4:;M:mgid=ff12::2,mtu=0;\n")
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

// OpenSM reads behind an mgid without a flag.
TEST(PartitionFile, WritesAFlagBehindEveryGroup) {
  EXPECT_THAT(write_partitions(parsed("A=5,sl=3 :\n mgid=ff12::1\n ALL;").rules), HasSubstr("mgid=ff12::1, sl=3\n"));
}

}  // namespace
}  // namespace weft::subnet
