#include "study/run/settled_excess.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

scenario::Scenario scenario_of(std::string_view family, std::string_view more) {
  const auto parsed = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n{}", family, more),
      {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_EQ(scenario::message_of(parsed), "no error");
  return *parsed;
}

TEST(SettledExcess, HashedFlowsMayLoseMoreToSharingThanSprayedOnesAndCredits) {
  constexpr std::string_view kSpray = "[routing]\npolicy = \"spray\"\n";
  const double hashed = settled_excess(scenario_of("rocev2", ""));
  EXPECT_LT(settled_excess(scenario_of("infiniband", "")), hashed);
  EXPECT_LT(settled_excess(scenario_of("rocev2", kSpray)), hashed);
}

TEST(SettledExcess, BesideOtherTrafficSprayedFlowsMayLoseAsMuchAsHashedOnes) {
  const std::string spray_beside =
      "[routing]\npolicy = \"spray\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n";
  EXPECT_EQ(settled_excess(scenario_of("rocev2", spray_beside)), settled_excess(scenario_of("rocev2", "")));
}

TEST(UnsettledDoubt, ReachesToThePathsBoundAndToTheExcessAboveIt) {
  EXPECT_DOUBLE_EQ(unsettled_doubt(0.5, std::nullopt, 0.25), 0.5);
  EXPECT_NEAR(unsettled_doubt(0.99, std::nullopt, 0.7), 0.683, 1e-9);
  EXPECT_NEAR(unsettled_doubt(0.9, std::nullopt, 0.25), 0.15, 1e-9);
}

TEST(UnsettledDoubt, AnIntervalOfLongSlicesCountsWithinThat) {
  EXPECT_DOUBLE_EQ(unsettled_doubt(0.6, 0.01, 0.25), 0.15);
  EXPECT_DOUBLE_EQ(unsettled_doubt(0.6, 0.2, 0.25), 0.2);
  EXPECT_DOUBLE_EQ(unsettled_doubt(0.6, 2.8, 0.25), 0.4);
}

}  // namespace
}  // namespace weft::study::run
