#include "study/sweep/design.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace weft::study::sweep {
namespace {

using ::testing::HasSubstr;

Factor factor(const std::string& text) {
  const Result<Factor> made = parse_factor(text, {.cases = {"a", "b"}, .kind = FactorContext::Kind::kSamples});
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

TEST(SweepDesign, AGridHasEveryCombinationOnce) {
  const Result<Design> design =
      grid_design({factor("switch.buffer=1MiB..3MiB:3"), factor("routing.policy=ecmp,spray")});
  ASSERT_TRUE(design);
  std::set<std::vector<std::string>> seen;
  for (const Point& point : design->points) {
    seen.insert(point.values);
  }
  EXPECT_EQ(design->points.size(), 6u);
  EXPECT_EQ(seen.size(), 6u);
  EXPECT_EQ(design->points[1].values, (std::vector<std::string>{"1 MiB", "spray"}));
}

TEST(SweepDesign, TooManyPointsAreRefusedWithTheirNumber) {
  const Result<Design> design =
      grid_design({factor("switch.buffer=1MiB..64MiB:300"), factor("dcqcn.increase_timer=1us..1ms:400")});
  ASSERT_FALSE(design);
  EXPECT_THAT(design.error().message, HasSubstr("120000 points; at most 10000"));
}

TEST(SweepDesign, EachStratumOfARangeHasOnePoint) {
  const Result<Design> design = latin_hypercube(
      {factor("switch.buffer=1MiB..64MiB"), factor("dcqcn.increase_timer=1us..1ms:log")}, {.points = 40});
  ASSERT_TRUE(design);
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<double> at;
    for (const Point& point : design->points) {
      at.push_back(point.at[i]);
    }
    std::ranges::sort(at);
    for (std::size_t k = 0; k < at.size(); ++k) {
      EXPECT_NEAR(at[k], (2 * static_cast<double>(k) + 1) / 40 - 1, 1e-12);
    }
  }
}

TEST(SweepDesign, LevelsOfASampleComeEquallyOften) {
  const Result<Design> design =
      latin_hypercube({factor("routing.policy=ecmp,spray"), factor("switch.buffer=1MiB..64MiB")}, {.points = 30});
  ASSERT_TRUE(design);
  EXPECT_EQ(std::ranges::count_if(design->points, [](const Point& point) { return point.values[0] == "ecmp"; }), 15);
}

TEST(SweepDesign, FactorsOfASampleDoNotGoTogether) {
  const Result<Design> design = latin_hypercube(
      {factor("switch.buffer=1MiB..64MiB"), factor("dcqcn.increase_timer=1us..1ms:log")}, {.points = 40});
  double product = 0;
  double square = 0;
  for (const Point& point : design->points) {
    product += point.at[0] * point.at[1];
    square += point.at[0] * point.at[0];
  }
  EXPECT_LT(std::abs(product / square), 0.1);
}

TEST(SweepDesign, TheSameSeedDrawsTheSamePoints) {
  const auto draw = [](std::uint64_t seed) {
    return latin_hypercube({factor("switch.buffer=1MiB..64MiB"), factor("dcqcn.gain=0.1%..1%")},
                           {.points = 20, .seed = seed});
  };
  const auto values = [](const Result<Design>& design) {
    std::vector<std::vector<std::string>> all;
    for (const Point& point : design->points) {
      all.push_back(point.values);
    }
    return all;
  };
  EXPECT_EQ(values(draw(1)), values(draw(1)));
  EXPECT_NE(values(draw(1)), values(draw(2)));
}

TEST(SweepDesign, PointsAreNamedByTheLastWordsOfTheirKeys) {
  const Result<Design> one =
      grid_design({factor("case"), factor("switch.buffer=1MiB,2MiB"), factor("traffic[0].size=1kB,2kB")});
  EXPECT_EQ(point_name(*one, one->points.front()), "a, buffer 1MiB, size 1kB");
  const Result<Design> two =
      grid_design({factor("ethernet.priority.3.kmin=1kB,2kB"), factor("ethernet.priority.4.kmin=1kB,2kB")});
  EXPECT_EQ(point_name(*two, two->points.front()), "ethernet.priority.3.kmin 1kB, ethernet.priority.4.kmin 1kB");
}

}  // namespace
}  // namespace weft::study::sweep
