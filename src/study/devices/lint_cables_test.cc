#include "study/devices/lint_cables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>

#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Leaves and spines as they are read back, one of them with a change; held against each other alone.
class Cabled {
 public:
  explicit Cabled(Syntax syntax) : devices_(changed(TestNetwork(kRoce), syntax, "leaf0", "", "")) {}

  DeviceConfig& device(const std::string& name) { return *std::ranges::find(devices_, name, &DeviceConfig::name); }
  PortSetting& port(const std::string& name, const std::string& peer) {
    return *std::ranges::find(device(name).bridge.ports, peer, &PortSetting::peer);
  }
  /// "rule | what | right"
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> made;
    const std::vector<Finding> findings = lint(devices_, nullptr).value();
    for (const Finding& one : findings) {
      made.push_back(one.rule + " | " + one.device + " | " + one.what + " | " + one.right);
    }
    return made;
  }

 private:
  std::vector<DeviceConfig> devices_;
};

constexpr std::array kSwitchSyntaxes = {Syntax::kSonic, Syntax::kNvue, Syntax::kEos};

TEST(LintCables, EndsThatAgreeHaveNoFinding) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    EXPECT_THAT(Cabled(syntax).found(), IsEmpty()) << to_string(syntax);
  }
}

TEST(LintCables, TwoSpeedsOfOneCableAreFoundOnce) {
  for (const auto& [changed, first] : {std::pair("leaf0", "spine0"), std::pair("spine0", "leaf0")}) {
    Cabled cabled(Syntax::kSonic);
    cabled.port(changed, first).speed = 25'000;
    EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("speed | leaf0 | "), HasSubstr("25 Gb/s"),
                                                           HasSubstr("the speed of its other end: spine0 "))));
  }
}

TEST(LintCables, APortThatTheOtherDeviceLacksIsNamed) {
  Cabled cabled(Syntax::kSonic);
  const std::string right = cabled.port("leaf0", "spine0").peer_port;
  cabled.port("leaf0", "spine0").peer_port = "Ethernet999";
  EXPECT_THAT(cabled.found(),
              ElementsAre(testing::AllOf(
                  HasSubstr("cable | leaf0 | "), HasSubstr("leads to spine0 Ethernet999 | "),
                  HasSubstr("spine0 has no port Ethernet999, and its " + right + " says that it leads here"))));
}

TEST(LintCables, AnAliasIsNoPortThatIsLacking) {
  Cabled cabled(Syntax::kSonic);
  cabled.port("leaf0", "spine0").peer_port = "etp1";
  EXPECT_THAT(cabled.found(), IsEmpty());
}

TEST(LintCables, ACableThatLeadsElsewhereAtItsOtherEndIsFoundOnce) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    cabled.port("leaf0", "spine0").peer_port = cabled.port("spine0", "leaf1").name;
    EXPECT_THAT(cabled.found(),
                ElementsAre(testing::AllOf(HasSubstr("cable | leaf0 | "), HasSubstr(" leads to leaf1 "))))
        << to_string(syntax);
  }
}

TEST(LintCables, EndsAreInOneSubnet) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    const std::string other = cabled.port("spine0", "leaf0").address;
    cabled.port("leaf0", "spine0").address = "10.99.0.0/31";
    EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("address | leaf0 | "), HasSubstr("10.99.0.0/31"),
                                                           HasSubstr("spine0 "), HasSubstr("has " + other))))
        << to_string(syntax);
  }
  Cabled twice(Syntax::kSonic);
  twice.port("leaf0", "spine0").address = twice.port("spine0", "leaf0").address;
  EXPECT_THAT(twice.found(), ElementsAre(HasSubstr("one of its own: spine0")));
}

TEST(LintCables, ANeighbourIsInTheSubnetOfAPortThatLeadsToIt) {
  Cabled cabled(Syntax::kSonic);
  NeighbourSetting& first = cabled.device("leaf0").bridge.neighbours.front();
  first.address = "10.99.0.1";
  EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("neighbour | leaf0 | 10.99.0.1, called "),
                                                         HasSubstr("is in the subnet of no port that leads there"))));
  // Over a loopback it may be.
  first.address = cabled.device(first.name).bridge.router_id;
  EXPECT_THAT(cabled.found(), IsEmpty());
}

TEST(LintCables, TwoRoutersHaveTwoIdentifiers) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    cabled.device("leaf1").bridge.router_id = cabled.device("leaf0").bridge.router_id;
    EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("router-id | leaf1 | router identifier "),
                                                           HasSubstr("one of its own: leaf0 has it too ("))))
        << to_string(syntax);
  }
}

/// The defects: what one end has and the other lacks was found with a plan alone.
TEST(LintCables, AnAddressThatOneEndLacksIsFoundThere) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    cabled.port("spine0", "leaf0").address.clear();
    EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("address | spine0 | "), HasSubstr(": no address"),
                                                           HasSubstr("has " + cabled.port("leaf0", "spine0").address))))
        << to_string(syntax);
  }
}

TEST(LintCables, ASessionThatOneEndLacksIsFoundThere) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    auto& neighbours = cabled.device("spine0").bridge.neighbours;
    const std::string address = neighbours.front().address;
    const std::string leaf = neighbours.front().name;
    neighbours.erase(neighbours.begin());
    EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(
                                    HasSubstr("neighbour | spine0 | no BGP neighbour " + address + " | one with AS "),
                                    HasSubstr("as " + leaf + " has it at its end"))))
        << to_string(syntax);
    // From a group there may be one.
    cabled.device("spine0").unread.push_back({.place = "spine0:9", .text = "bgp listen range 10.0.0.0/8 peer-group X"});
    EXPECT_THAT(cabled.found(), IsEmpty());
  }
}

TEST(LintCables, ASessionBetweenLoopbacksHasTwoEndsToo) {
  Cabled cabled(Syntax::kSonic);
  const std::string leaf = cabled.device("leaf0").bridge.router_id;
  const std::string spine = cabled.device("spine0").bridge.router_id;
  for (const auto& [device, name, address] :
       {std::tuple("leaf0", "spine0", spine), std::tuple("spine0", "leaf0", leaf)}) {
    std::ranges::find(cabled.device(device).bridge.neighbours, name, &NeighbourSetting::name)->address = address;
  }
  EXPECT_THAT(cabled.found(), IsEmpty());
  std::erase_if(cabled.device("spine0").bridge.neighbours,
                [](const NeighbourSetting& one) { return one.name == "leaf0"; });
  EXPECT_THAT(cabled.found(), ElementsAre(HasSubstr("neighbour | spine0 | no BGP neighbour " + leaf)));
}

TEST(LintCables, BfdThatOneEndLacksIsFoundThere) {
  for (const Syntax syntax : kSwitchSyntaxes) {
    Cabled cabled(syntax);
    for (NeighbourSetting& one : cabled.device("leaf0").bridge.neighbours) {
      one.bfd = true;
    }
    const std::vector<std::string> found = cabled.found();
    ASSERT_EQ(found.size(), 2U) << to_string(syntax);  // at both spines
    EXPECT_THAT(found.front(), HasSubstr("session | spine0 | neighbour "));
    EXPECT_THAT(found.front(), HasSubstr("BFD is off | on, as leaf0 has it at its end"));
  }
}

TEST(LintCables, HeadroomThatOneEndLacksIsFoundThere) {
  for (const Syntax syntax : {Syntax::kSonic, Syntax::kNvue}) {
    Cabled cabled(syntax);
    const auto& classes = cabled.port("leaf0", "spine0").classes;
    const auto lossless =
        static_cast<std::size_t>(std::ranges::find(classes, true, &ClassSetting::pfc) - classes.begin());
    ASSERT_LT(lossless, kClasses);
    const std::uint64_t right = cabled.port("leaf0", "spine0").classes[lossless].buffer.value().headroom.value();
    cabled.port("spine0", "leaf0").classes[lossless].buffer->headroom = right / 2;  // enough for cable and frames
    EXPECT_THAT(cabled.found(),
                ElementsAre(testing::AllOf(HasSubstr("headroom-short | spine0 | "),
                                           HasSubstr(std::to_string(right) + " B, as the other end of the cable has"))))
        << to_string(syntax);
  }
}

TEST(LintCables, ALengthThatOneEndLacksIsFoundThere) {
  Cabled cabled(Syntax::kSonic);
  cabled.port("spine0", "leaf0").metres.reset();
  EXPECT_THAT(cabled.found(), ElementsAre(testing::AllOf(HasSubstr("cable-length | spine0 | "),
                                                         HasSubstr("no length of the cable is given"))));
}

TEST(LintCables, LengthsOfOneCableAreHeldAgainstEachOther) {
  Cabled cabled(Syntax::kSonic);
  PortSetting& port = cabled.port("leaf0", "spine0");
  port.metres = port.metres.value() + 1;
  EXPECT_THAT(cabled.found(), testing::Contains(HasSubstr("cable-length | leaf0 | ")));
}

}  // namespace
}  // namespace weft::study::devices
