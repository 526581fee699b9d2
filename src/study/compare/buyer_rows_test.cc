#include "study/compare/buyer_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::study::compare {
namespace {

report::ComparedFabric priced(const std::string& name, double step, double usd) {
  report::ComparedFabric made{.name = name, .possible = true, .step = {.mean = step}, .cost_usd = usd};
  made.differs_from_best = step > 1;
  made.rows = {{.label = "Primary strength"}};
  return made;
}

std::vector<std::string> strengths_of(std::vector<report::ComparedFabric> fabrics) {
  add_primary_strengths(fabrics);
  std::vector<std::string> values;
  for (const report::ComparedFabric& own : fabrics) {
    values.push_back(own.rows->front().value);
  }
  return values;
}

/// The defect: what two were best in was no strength of either, "best in no measured figure".
TEST(PrimaryStrength, IsSharedByAllThatTie) {
  const std::vector<std::string> made =
      strengths_of({priced("infiniband", 1.0, 3e6), priced("infiniband-ar", 1.0, 3e6), priced("uet", 1.2, 4e6)});
  EXPECT_EQ(made[0], "the shortest step, as infiniband-ar; the lowest price, as infiniband-ar");
  EXPECT_EQ(made[1], "the shortest step, as infiniband; the lowest price, as infiniband");
  EXPECT_EQ(made[2], "best in no measured figure");
}

TEST(PrimaryStrength, IsNoneOfWhatAllHaveAlike) {
  const std::vector<std::string> made = strengths_of({priced("rocev2", 1.0, 3e6), priced("rocev2-pfc", 1.1, 3e6)});
  EXPECT_EQ(made[0], "the shortest step");
  EXPECT_EQ(made[1], "best in no measured figure");
}

TEST(PrimaryStrength, IsNoStepThatIsNotKnown) {
  std::vector<report::ComparedFabric> fabrics = {priced("infiniband", 1.0, 3e6), priced("rocev2", 1.3, 2e6)};
  fabrics[1].step = {.mean = 1.3, .low = 0.3, .high = 2.3};
  fabrics[1].differs_from_best = false;
  EXPECT_EQ(strengths_of(fabrics), (std::vector<std::string>{"the shortest step", "the lowest price"}));
  // Nor is the least of all, if that is the one that is not known.
  fabrics[1].step.mean = 0.9;
  EXPECT_EQ(strengths_of(fabrics), (std::vector<std::string>{"best in no measured figure", "the lowest price"}));
}

}  // namespace
}  // namespace weft::study::compare
