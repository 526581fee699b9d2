#include "study/tune/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace weft::study::tune {
namespace {

double bowl(std::span<const double> at, double x, double y) {
  return (at[0] - x) * (at[0] - x) + 2 * (at[1] - y) * (at[1] - y);
}

// Within a step of the grid and a little of a bowl's bottom, wherever that is.
TEST(Search, FindsTheBottomOfABowlFromAnywhere) {
  for (const double x : {-0.8, 0.0, 0.55}) {
    for (const double from : {-1.0, 0.3, 1.0}) {
      const Found found = search({.method = SearchOptions::Method::kLocal, .start = {from, -from}, .evaluations = 150},
                                 [&](std::span<const double> at) { return bowl(at, x, -0.4); });
      EXPECT_NEAR(found.place[0], x, 0.12) << from;
      EXPECT_NEAR(found.place[1], -0.4, 0.12) << from;
      EXPECT_LE(found.evaluations, 150u);
    }
  }
}

// A broad bowl, and a deeper narrow one elsewhere: a local search from the broad one stays there.
TEST(Search, GloballyFindsWhatALocalSearchMisses) {
  const auto two = [](std::span<const double> at) {
    return std::min(1 + bowl(at, -0.6, 0.6), 8 * bowl(at, 0.6, -0.5));
  };
  const Found local =
      search({.method = SearchOptions::Method::kLocal, .start = {-0.6, 0.6}, .step = 0.1, .evaluations = 60}, two);
  EXPECT_GT(*local.value, 0.9);
  const Found global = search({.method = SearchOptions::Method::kGlobal, .start = {0, 0}, .evaluations = 80}, two);
  EXPECT_LT(*global.value, 0.3);
}

TEST(Search, EndsWhenItIsToldTo) {
  std::size_t asked = 0;
  const Found found = search({.start = {0, 0}, .evaluations = 100}, [&](std::span<const double> at) {
    return ++asked < 7 ? std::optional(at[0]) : std::nullopt;
  });
  EXPECT_EQ(asked, 7u);
  EXPECT_EQ(found.evaluations, 7u);
  EXPECT_TRUE(found.value.has_value());
}

TEST(Search, PlacesLieOnAGrid) {
  std::set<double> seen;
  (void)search({.start = {0}, .evaluations = 100}, [&](std::span<const double> at) {
    seen.insert(at[0]);
    return std::optional(at[0] * at[0]);
  });
  for (const double place : seen) {
    EXPECT_DOUBLE_EQ(place, on_grid(place));
    EXPECT_LE(std::abs(place), 1);
  }
}

TEST(Search, TheSameSearchVisitsTheSamePlaces) {
  const auto visit = [] {
    std::vector<double> places;
    (void)search({.method = SearchOptions::Method::kLocal, .start = {0.2, 0.2, 0.2}, .evaluations = 50},
                 [&](std::span<const double> at) {
                   places.insert(places.end(), at.begin(), at.end());
                   return std::optional(at[0] * at[1] + at[2]);
                 });
    return places;
  };
  EXPECT_EQ(visit(), visit());
}

}  // namespace
}  // namespace weft::study::tune
