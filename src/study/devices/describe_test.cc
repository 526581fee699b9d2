#include "study/devices/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "study/devices/key_lines.h"
#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string with_weights(const std::string& first, const std::string& fourth) {
  return std::string(kRoce) + "[ethernet.priority.0]\nweight = " + first +
         "\n[ethernet.priority.3]\nweight = " + fourth + "\n";
}

Described made(const TestNetwork& network, Syntax syntax) {
  return (syntax == Syntax::kNic ? describe_nics(network.scenario, network.graph)
                                 : describe_switches(network.scenario, network.graph, syntax))
      .value();
}

std::array<std::uint64_t, kClasses> shares_of(const DeviceConfig& device) {
  std::array<std::uint64_t, kClasses> shares{};
  for (std::size_t p = 0; p < kClasses; ++p) {
    shares[p] = device.syntax == Syntax::kNic ? *device.nic.weight[p] : *device.bridge.ports.front().classes[p].weight;
  }
  return shares;
}

// Weights of the classes are 255 (or 50), 1, 1, 1 (or 50), 1, 1, strict, 1: those of 1 have a share below 1 %.
TEST(DescribedShares, SumToOneHundredWithoutMoreThanOneForTheSmallest) {
  for (const TestNetwork& network : {TestNetwork(with_weights("255", "1")), TestNetwork(kRoce)}) {
    for (const Syntax syntax : {Syntax::kNvue, Syntax::kEos, Syntax::kNic}) {
      for (const DeviceConfig& device : made(network, syntax).devices) {
        const auto shares = shares_of(device);
        EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::uint64_t{0}), 100U) << to_string(syntax);
        for (const std::size_t small : {1U, 2U, 4U, 5U, 7U}) {
          EXPECT_EQ(shares[small], 1U) << to_string(syntax) << " class " << small;
        }
        EXPECT_EQ(shares[6], 0U);
      }
    }
  }
}

TEST(DescribedShares, AreListedAsRoundedWhereTheyAre) {
  const TestNetwork network(with_weights("255", "1"));
  for (const Syntax syntax : {Syntax::kNvue, Syntax::kEos, Syntax::kNic}) {
    const auto rounded = made(network, syntax).rounded;
    EXPECT_THAT(rounded, Contains("ethernet.priority.0.weight: 255 of 261 is 97.70 % and is written as 94 %"));
    EXPECT_THAT(rounded, Contains("ethernet.priority.3.weight: 1 of 261 is 0.38 % and is written as 1 %"));
    EXPECT_THAT(rounded, Not(Contains(HasSubstr("written as 100"))));
  }
  const auto sonic = made(network, Syntax::kSonic).rounded;
  EXPECT_THAT(sonic, Contains("ethernet.priority.0.weight: 255 is written as 100"));
  EXPECT_THAT(sonic, Not(Contains(HasSubstr(" of 261 is "))));
}

TEST(DescribedManager, NamesTheFamilyThatHasNone) {
  const TestNetwork network(kRoce);
  const auto none = describe_manager(network.scenario, network.graph);
  ASSERT_FALSE(none.has_value());
  EXPECT_THAT(none.error().message, HasSubstr("fabric.family is rocev2, which has no subnet manager"));
}

/// The defect: lanes of 66 were written as 64 without a word.
TEST(DescribedManager, ListsTheWeightOfEqualLanesAsRounded) {
  const TestNetwork equal(kInfiniBand);
  const auto made = describe_manager(equal.scenario, equal.graph).value();
  EXPECT_THAT(made.rounded,
              Contains("infiniband.vl.*.weight: 66 of every lane is written as 64, which shares a link alike"));
  const TestNetwork other(std::string(kInfiniBand) + "[infiniband.vl.0]\nweight = 65\n");
  const auto kept = describe_manager(other.scenario, other.graph).value();
  EXPECT_THAT(kept.rounded, Not(Contains(HasSubstr("weight"))));
  EXPECT_THAT(kept.devices.front().manager.options.at("qos_vlarb_low"), HasSubstr("0:65,1:66"));
}

// Two tiers of switches: no cable goes to a core, and NICs have those of hosts alone.
TEST(KeyLinesOfCables, AreThoseOfCablesThatEndAtTheDevices) {
  const TestNetwork network(std::string(kRoce) +
                            "[link.host]\nlength = \"3 m\"\n[link.leaf]\nlength = \"30 m\"\n[link.spine]\nlength = "
                            "\"100 m\"\n");
  const auto line = [&](Syntax syntax, const std::string& key) {
    for (const KeyLine& row : key_lines(network.scenario, network.graph, syntax)) {
      if (row.key == key) {
        return row.line;
      }
    }
    return std::string("no such key");
  };
  EXPECT_EQ(line(Syntax::kNic, "link.host.length"), "mlnx_qos --cable_len");
  EXPECT_EQ(line(Syntax::kNic, "link.leaf.length"), "");
  EXPECT_EQ(line(Syntax::kNic, "link.spine.length"), "");
  EXPECT_EQ(line(Syntax::kSonic, "link.host.length"), "CABLE_LENGTH|AZURE|PORT");
  EXPECT_EQ(line(Syntax::kSonic, "link.leaf.length"), "CABLE_LENGTH|AZURE|PORT");
  EXPECT_EQ(line(Syntax::kSonic, "link.spine.length"), "");
}

}  // namespace
}  // namespace weft::study::devices
