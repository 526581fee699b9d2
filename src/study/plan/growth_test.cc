#include "study/plan/growth.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

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
  ASSERT_FALSE(later.empty());
  EXPECT_EQ(later.front().shape, Shape::kRailOptimised);
  EXPECT_EQ(later.front().hosts, 128);
}

// 16 hosts of eight NICs are four leaves and two spines.
TEST(PlannedGrowth, ANumberOfHostsWithoutDivisorsTakesNoMoreSwitchesThanTheNextOnes) {
  Design design = rails_of(16);
  design.shape = Shape::kLeafSpine;
  ASSERT_TRUE(wire(design));
  EXPECT_EQ(design.wiring.leaves + design.wiring.spines, 4 + 2);
  for (const auto& [hosts, switches] : {std::pair{25, 7 + 4}, {26, 7 + 4}, {28, 7 + 4}, {29, 8 + 4}, {32, 8 + 4}}) {
    const auto later = grown(design, hosts);
    ASSERT_FALSE(later.empty()) << hosts;
    EXPECT_EQ(later.front().shape, Shape::kLeafSpine);
    EXPECT_EQ(later.front().wiring.leaves + later.front().wiring.spines, switches) << hosts;
  }
}

// Whose bill is the smallest is not for the wiring to say.
TEST(PlannedGrowth, EveryShapeThatTakesTheHostsIsOffered) {
  const auto shapes = [](Shape shape, std::int64_t hosts) {
    Design design = rails_of(8);
    design.rails = 1;
    design.shape = shape;
    std::vector<Shape> made;
    for (const Design& later : grown(design, hosts)) {
      made.push_back(later.shape);
    }
    return made;
  };
  EXPECT_EQ(shapes(Shape::kSingleSwitch, 64), (std::vector{Shape::kSingleSwitch}));
  EXPECT_EQ(shapes(Shape::kSingleSwitch, 65), (std::vector{Shape::kLeafSpine, Shape::kFatTree}));
  EXPECT_EQ(shapes(Shape::kLeafSpine, 65), (std::vector{Shape::kLeafSpine, Shape::kFatTree}));
}

TEST(PlannedGrowth, TwoTiersBecomeThree) {
  const auto later = grown(rails_of(32), 2'048);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later.front().shape, Shape::kFatTree);
  EXPECT_TRUE(grown(rails_of(32), 100'000).empty());
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
