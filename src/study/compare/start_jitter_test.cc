#include <gtest/gtest.h>

#include <set>

#include "study/compare/run_once.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

std::vector<Time> posted(std::string_view jitter, std::int64_t seed) {
  auto scenario = scenario::scenario_with(fmt::format(R"([[traffic]]
kind = "incast"
size = "1 kB"
start = "5 us"
start_jitter = "{}"
)",
                                                      jitter));
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  scenario->seed = seed;
  auto results = run_once(*scenario, {});
  EXPECT_TRUE(results.has_value());
  std::vector<Time> times;
  for (const results::MessageRow& row : results->messages) {
    times.push_back(row.record.posted);
  }
  return times;
}

TEST(StartJitter, SpreadsTheStartsOfRanksOverItsLength) {
  const std::vector<Time> times = posted("10 us", 1);
  ASSERT_EQ(times.size(), 3U);
  for (const Time at : times) {
    EXPECT_GE(at, Time::zero() + Duration::microseconds(5));
    EXPECT_LE(at, Time::zero() + Duration::microseconds(15));
  }
  EXPECT_EQ(std::set<Time>(times.begin(), times.end()).size(), times.size());
}

TEST(StartJitter, FollowsFromTheSeed) {
  EXPECT_EQ(posted("10 us", 1), posted("10 us", 1));
  EXPECT_NE(posted("10 us", 1), posted("10 us", 2));
}

TEST(StartJitter, OfNothingLetsAllStartTogether) {
  for (const Time at : posted("0 ns", 1)) {
    EXPECT_EQ(at, Time::zero() + Duration::microseconds(5));
  }
}

}  // namespace
}  // namespace weft::study::compare
