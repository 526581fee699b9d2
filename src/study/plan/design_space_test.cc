#include "study/plan/design_space.h"

#include <gtest/gtest.h>

#include <set>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::plan {
namespace {

constexpr Cluster kCluster{.gpus = 512, .gpus_per_host = 8};

DesignSpace usual() { return design_space({}, kCluster, scenario::test_catalogue()).value(); }

TEST(DesignSpace, NamesAreDifferentAndInAFixedOrder) {
  const DesignSpace first = usual();
  const DesignSpace second = usual();
  ASSERT_EQ(first.designs.size(), second.designs.size());
  EXPECT_GT(first.designs.size(), 20U);
  std::set<std::string> names;
  for (std::size_t i = 0; i < first.designs.size(); ++i) {
    EXPECT_EQ(name_of(first.designs[i]), name_of(second.designs[i]));
    EXPECT_TRUE(names.insert(name_of(first.designs[i])).second) << name_of(first.designs[i]);
  }
}

TEST(DesignSpace, DevicesWhosePortsAreGuessesHaveToBeNamed) {
  for (const Design& design : usual().designs) {
    EXPECT_NE(design.nic.name, "roce-400g");
    EXPECT_NE(design.switch_.name, "equal");
  }
  const SpaceOptions named{.networks = {"rocev2"}, .nics = {"roce-400g"}};
  EXPECT_FALSE(design_space(named, kCluster, scenario::test_catalogue())->designs.empty());
}

TEST(DesignSpace, SmallSwitchesAreBeyondCapacity) {
  const SpaceOptions options{
      .networks = {"infiniband"}, .switches = {"quantum-2"}, .shapes = {Shape::kSingleSwitch}, .rails = {8}};
  const auto made = design_space(options, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->designs.empty());
  EXPECT_GT(made->beyond_capacity, 0U);
}

TEST(DesignSpace, NamedDevicesThatServeNoNetworkAreTheReason) {
  const auto made = design_space({.networks = {"infiniband", "rocev2"},
                                  .switches = {"tomahawk-5"},
                                  .nics = {"connectx-7"},
                                  .shapes = {Shape::kRailOptimised}},
                                 kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE(made->designs.empty());
  ASSERT_EQ(made->without_devices.size(), 1U);
  EXPECT_EQ(made->without_devices.front(), "infiniband: --switches tomahawk-5 does not serve it");
}

// 128 ports of 400 Gb/s as 256 of 200 Gb/s.
TEST(DesignSpace, PortsAreSplitForNicsOfTheRateThatIsLeft) {
  const SpaceOptions options{
      .networks = {"rocev2"}, .switches = {"tomahawk-5"}, .nics = {"connectx-6"}, .shapes = {Shape::kRailOptimised}};
  const auto made = design_space(options, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  std::set<std::int64_t> ports;
  for (const Design& design : made->designs) {
    EXPECT_EQ(design.switch_.ports, 128 * design.switch_.breakout);
    EXPECT_EQ(design.switch_.rate, 400_gbps / design.switch_.breakout);
    ports.insert(design.switch_.ports);
  }
  EXPECT_EQ(ports, (std::set<std::int64_t>{128, 256}));
  SpaceOptions whole = options;
  whole.breakouts = {1};
  const auto unsplit = design_space(whole, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(unsplit.has_value());
  for (const Design& design : unsplit->designs) {
    EXPECT_EQ(design.switch_.breakout, 1);
  }
}

TEST(DesignSpace, UnknownNamesAreErrors) {
  const auto said = [](const SpaceOptions& options) {
    const auto made = design_space(options, kCluster, scenario::test_catalogue());
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(said({.networks = {"rocev3"}}).find("--networks"), std::string::npos);
  EXPECT_NE(said({.switches = {"tomahawk-9"}}).find("--switches"), std::string::npos);
  EXPECT_NE(said({.nics = {"connectx-77"}}).find("--nics"), std::string::npos);
}

}  // namespace
}  // namespace weft::study::plan
