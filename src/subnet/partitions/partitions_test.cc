#include "subnet/partitions/partitions.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

using ::testing::UnorderedElementsAre;

constexpr const char* kNetwork =
    "Hca 1 \"H1\"\n[1] \"S1\"[1]\n\nHca 1 \"H2\"\n[1] \"S1\"[2]\n\nHca 1 \"H3\"\n[1] \"S1\"[3]\n\nSwitch 4 \"S1\"\n";

class PartitionsOf {
 public:
  explicit PartitionsOf(std::string_view conf) : made_(swept(kNetwork)) {
    const Result<PartitionFile> file = parse_partitions({.text = conf, .name = "p.conf"});
    EXPECT_TRUE(file);
    Result<Partitions> partitions = assign_partitions(made_.view, file->rules);
    EXPECT_TRUE(partitions);
    partitions_ = std::move(*partitions);
  }
  [[nodiscard]] const Partitions& operator*() const { return partitions_; }
  [[nodiscard]] std::vector<std::uint16_t> keys(const std::string& node) const {
    for (std::size_t i = 0; i < made_.view.end_ports.size(); ++i) {
      if (made_.subnet[made_.view.end_ports[i].place.node].id == node) {
        return partitions_.keys[i];
      }
    }
    return {};
  }

 private:
  SweptSubnet made_;
  Partitions partitions_;
};

// ibsim gives H1 the port GUID 0x100001, H2 0x100003, H3 0x100005, and the manager is at H1.
TEST(Partitions, BeginWithTheDefaultOne) {
  const PartitionsOf empty("Default : ;");
  EXPECT_THAT(empty.keys("H1"), UnorderedElementsAre(0xFFFF));
  EXPECT_THAT(empty.keys("H2"), UnorderedElementsAre(0x7FFF));
  EXPECT_THAT(empty.keys("S1"), UnorderedElementsAre(0x7FFF));
  const PartitionsOf ruled("Default : SELF=limited, 0x100003=full;");
  EXPECT_THAT(ruled.keys("H1"), UnorderedElementsAre(0x7FFF));
  EXPECT_THAT(ruled.keys("H2"), UnorderedElementsAre(0xFFFF));
}

TEST(Partitions, OfOneKeyOrOfOneNameAreOne) {
  const PartitionsOf made(
      "A : 0x100003; A : 0x100005=full; B=9 : ALL_SWITCHES; C=9 : 0x100003=full; : SELF; : 0x100005;");
  EXPECT_THAT(made.keys("H2"), UnorderedElementsAre(0x7FFF, 0x0001, 0x8009));
  EXPECT_THAT(made.keys("H3"), UnorderedElementsAre(0x7FFF, 0x8001, 0x0003));
  EXPECT_THAT(made.keys("S1"), UnorderedElementsAre(0x7FFF, 0x0009));
  EXPECT_THAT(made.keys("H1"), UnorderedElementsAre(0xFFFF, 0x0002));
  const auto nine = std::ranges::find((*made).all, 9, &Partition::p_key);
  EXPECT_EQ(nine->name, "B");
}

TEST(Partitions, ALaterRuleForAPortCounts) {
  EXPECT_THAT(PartitionsOf("A=5 : 0x100003=full, ALL;").keys("H2"), UnorderedElementsAre(0x7FFF, 0x0005));
  EXPECT_THAT(PartitionsOf("A=5 : ALL; A=5 : 0x100003=full;").keys("H2"), UnorderedElementsAre(0x7FFF, 0x8005));
}

TEST(Partitions, NameGuidsThatNoPortHas) {
  const PartitionsOf made("A=5 : 0x100003, 0x100002=full;");  // that of the node
  ASSERT_EQ((*made).unknown.size(), 1U);
  EXPECT_EQ((*made).unknown[0].port.value, 0x100002U);
  EXPECT_EQ((*made).unknown[0].column, 17U);
}

// OpenSM keeps 31 characters and compares 32.
TEST(Partitions, WithLongNamesAreNotFoundByThem) {
  const std::string name(32, 'n');
  const PartitionsOf made(name + " : 0x100003; " + name + " : 0x100003; " + name.substr(1) + " : 0x100005;");
  EXPECT_THAT(made.keys("H2"), UnorderedElementsAre(0x7FFF, 0x0001, 0x0002));
  EXPECT_THAT(made.keys("H3"), UnorderedElementsAre(0x7FFF, 0x0001));
}

TEST(Partitions, NameIpGroupsOfOtherPartitions) {
  const PartitionsOf made(
      "A=5 :\n mgid=ff12:401b:8005::1,sl=0\n mgid=ff12:401b::2,sl=0\n mgid=ff12:601b:8006::3,sl=0\n"
      " mgid=ff12:401b:ffff::ffff:ffff,sl=0\n mgid=ff12:1:8006::4,sl=0\n ALL; B : mgid=ff12:401b:8002::5,sl=0;");
  ASSERT_EQ((*made).foreign.size(), 2U);
  EXPECT_EQ((*made).foreign[0].mgid, "ff12:601b:8006::3");
  EXPECT_EQ((*made).foreign[0].line, 4U);
  EXPECT_EQ((*made).foreign[0].column, 7U);
  EXPECT_EQ((*made).foreign[1].mgid, "ff12:401b:8002::5");  // B has the P_Key 1
}

// A rule finds its partition among as many as there can be without looking at each.
TEST(Partitions, AreFoundAmongAllThatThereCanBe) {
  std::string conf;
  for (int key = 1; key < kDefaultPartition; ++key) {
    conf += fmt::format("n{}={}:;\n", key, key);
  }
  for (int i = 0; i < 200'000; ++i) {
    conf += "n32766:0x100003;\n";
  }
  EXPECT_THAT(PartitionsOf(conf).keys("H2"), UnorderedElementsAre(0x7FFF, 0x7FFE));
}

TEST(Partitions, LimitedMembersDoNotTalkToOneAnother) {
  using Keys = std::vector<std::uint16_t>;
  EXPECT_EQ(shared_keys({0x8005}, {0x8005}), Keys{0x0005});
  EXPECT_EQ(shared_keys({0x8005}, {0x0005}), Keys{0x0005});
  EXPECT_EQ(shared_keys({0x0005}, {0x8005}), Keys{0x0005});
  EXPECT_EQ(shared_keys({0x0005}, {0x0005}), Keys{});
  EXPECT_EQ(shared_keys({0x8005, 0x0007}, {0x8006, 0x8007}), Keys{0x0007});
}

}  // namespace
}  // namespace weft::subnet
