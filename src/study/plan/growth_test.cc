#include "study/plan/growth.h"

#include <gtest/gtest.h>

#include "study/plan/design_space.h"

namespace weft::study::plan {
namespace {

cost::BillLine line(const std::string& name, std::int64_t count, std::int64_t usd) {
  return {.name = name, .count = count, .unit_price = {usd * 1'000}};
}

TEST(PlannedGrowth, AddsWhatIsMissingAndLeavesOverWhatIsNot) {
  const cost::Bill today{.lines = {line("switch", 10, 100), line("short cable", 40, 5)}};
  const cost::Bill later{.lines = {line("switch", 25, 100), line("long cable", 80, 7)}};
  const Growth made = growth_between(today, later);
  EXPECT_EQ(made.cost.count, (15 * 100 + 80 * 7) * 1'000);
  EXPECT_EQ(made.left_over.count, 40 * 5 * 1'000);
}

TEST(PlannedGrowth, PartsThatAreOwnedCostNothing) {
  cost::Bill later{.lines = {line("switch", 3, 100)}};
  later.lines.front().owned = true;
  EXPECT_EQ(growth_between({}, later).cost.count, 0);
}

Design rails_of(std::int64_t hosts) {
  Design design;
  design.switch_ = {.name = "s", .ports = 64, .rate = 400_gbps};
  design.nic = {.name = "n", .ports = 1, .rate = 400_gbps};
  design.shape = Shape::kRailOptimised;
  design.rails = 8;
  design.hosts = hosts;
  EXPECT_TRUE(wire(design));
  return design;
}

TEST(PlannedGrowth, KeepsTheShapeAsLongAsPortsSuffice) {
  const auto later = grown(rails_of(32), 128);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->shape, Shape::kRailOptimised);
  EXPECT_EQ(later->hosts, 128);
}

TEST(PlannedGrowth, TwoTiersBecomeThree) {
  const auto later = grown(rails_of(32), 2'048);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->shape, Shape::kFatTree);
  EXPECT_FALSE(grown(rails_of(32), 100'000).has_value());
}

// 100,000 hosts of eight rails are more than three tiers of 64 ports take, and less than those of 512.
TEST(PlannedGrowth, OtherSwitchesTakeWhatTheOwnDoNot) {
  const Device large{.name = "l", .ports = 512, .rate = 400_gbps};
  const std::vector<Design> found = grown_with(rails_of(32), 100'000, large);
  ASSERT_FALSE(found.empty());
  for (const Design& later : found) {
    EXPECT_EQ(later.switch_.name, "l");
    EXPECT_EQ(later.hosts, 100'000);
  }
  EXPECT_TRUE(grown_with(rails_of(32), 100'000, {.name = "s", .ports = 32, .rate = 400_gbps}).empty());
}

}  // namespace
}  // namespace weft::study::plan
