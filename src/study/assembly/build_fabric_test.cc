#include "study/assembly/build_fabric.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using ::testing::HasSubstr;

Result<fabric::AnyFabricOptions> options_of(const std::string& routing) {
  auto scenario = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 512\n"
                  "hosts_per_leaf = 32\n[routing]\n{}\n",
                  routing),
      {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  if (!scenario) {
    return pass_on(scenario);
  }
  Result<fabric::Graph> graph = build_topology(*scenario);
  return graph ? fabric_options(*scenario, *graph) : pass_on(graph);
}

// 512 x 64 + 48 switches are 32,816 of 49,151 LIDs, twice as many per port are too many.
TEST(BuildFabric, ASubnetHasSoManyLidsAndNoMore) {
  const auto enough = options_of("lmc = 6");
  ASSERT_TRUE(enough) << enough.error().message;
  EXPECT_EQ(std::get<fabric::InfiniBandOptions>(*enough).lid_mask_control, 6);
  const auto more = options_of("lmc = 7");
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("test.toml:8:7: routing.lmc: 512 end ports with 128 LIDs each and 48 "
                                              "switches need 65584 LIDs, and a subnet of InfiniBand has 49151"));
}

TEST(BuildFabric, OnlyTheServiceLevelsThatAreNamedAreAdaptive) {
  const auto levels = [](const std::string& more) {
    const auto made = options_of("policy = \"adaptive\"\n" + more);
    EXPECT_TRUE(made) << made.error().message;
    return std::get<fabric::InfiniBandOptions>(*made).switches.at(0).balancing.service_levels;
  };
  EXPECT_EQ(levels(""), fabric::BalancingOptions::kAllLevels);
  EXPECT_EQ(levels("adaptive_service_levels = [1, 4]"), 0x12);
}

TEST(BuildFabric, WeightsOfVlsAreThoseOfTheArbiterEqualOrNot) {
  const auto tables = [](const std::string& infiniband) {
    const auto made = options_of("[infiniband]\nvls = 2\n" + infiniband);
    EXPECT_TRUE(made) << made.error().message;
    const fabric::VlArbitration& own = std::get<fabric::InfiniBandOptions>(*made).ports.at(0).arbitration;
    std::string text;
    for (const auto* table : {&own.high, &own.low}) {
      for (const fabric::VlArbitration::Entry& entry : *table) {
        text += fmt::format("{}:{} ", entry.lane, entry.weight);
      }
      text += "| ";
    }
    return text;
  };
  EXPECT_EQ(tables(""), "| 0:66 1:66 | ");
  EXPECT_EQ(tables("[infiniband.vl.1]\nweight = 12"), "| 0:66 1:12 | ");
  EXPECT_EQ(tables("vl_arbitration_low = [\"1:4\", \"0:8\"]"), "| 1:4 0:8 | ");
  EXPECT_EQ(tables("[infiniband.vl.0]\nweight = 0\nhigh_weight = 3"), "0:3 | 1:66 | ");
  const fabric::VlArbitration equal = fabric::VlArbitration::equal(0b11);  // what the fabric takes without tables
  EXPECT_EQ(equal.low.front().weight, scenario::VlSettings::kUsualWeight);
}

}  // namespace
}  // namespace weft::study::assembly
