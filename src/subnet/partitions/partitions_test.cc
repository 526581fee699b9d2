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
  const PartitionsOf none("");
  EXPECT_THAT(none.keys("H1"), UnorderedElementsAre(0xFFFF));
  EXPECT_THAT(none.keys("H2"), UnorderedElementsAre(0x7FFF));
  EXPECT_THAT(none.keys("S1"), UnorderedElementsAre(0x7FFF));
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
