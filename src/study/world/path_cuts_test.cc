#include "study/world/path_cuts.h"

#include <gtest/gtest.h>

namespace weft::study::world {
namespace {

/// Links 0 and 1 leave a switch for two others, from which 2 and 3 lead on to one place.
std::vector<CutLink> two_paths(double slow) {
  return {{.capacity = slow, .from = 1, .to = 2},
          {.capacity = 100, .from = 1, .to = 3},
          {.capacity = 100, .from = 2, .to = 4},
          {.capacity = 100, .from = 3, .to = 4}};
}

FlowLinks halves(std::uint32_t first) { return {{.link = first, .part = 0.5}, {.link = first + 1, .part = 0.5}}; }

/// What so many flows get that choose between both paths.
std::vector<double> rates_of(std::span<const CutLink> links, std::size_t flows) {
  PathCuts cuts;
  const FlowLinks own{{.link = cuts.number_of(halves(0), links)}, {.link = cuts.number_of(halves(2), links)}};
  cuts.complete(links);
  return max_min_rates(std::vector<FlowLinks>(flows, cuts.cuts_of(own)), cuts.capacities());
}

TEST(PathCuts, ChoicesUseAllThatUnequalLinksCarry) {
  const std::vector<CutLink> links = two_paths(25);
  PathCuts cuts;
  cuts.number_of(halves(0), links);
  cuts.complete(links);
  EXPECT_TRUE(cuts.are_needed());
  EXPECT_EQ(rates_of(links, 1), std::vector<double>(1, 125));
  EXPECT_EQ(rates_of(links, 5), std::vector<double>(5, 25));
}

TEST(PathCuts, WhereAllPathsAreAlikeEqualPartsAreAsGood) {
  const std::vector<CutLink> links = two_paths(100);
  PathCuts cuts;
  cuts.number_of(halves(0), links);
  cuts.number_of(halves(2), links);
  cuts.complete(links);
  EXPECT_FALSE(cuts.are_needed());
  EXPECT_EQ(rates_of(links, 4), std::vector<double>(4, 50)) << "which is what they get";
}

/// A flow that has no choice takes its part of the link that others choose among.
TEST(PathCuts, AFlowWithoutChoiceCountsInTheCutsThatHoldItsLink) {
  const std::vector<CutLink> links = two_paths(100);
  PathCuts cuts;
  const std::uint32_t both = cuts.number_of(halves(0), links);
  const std::uint32_t one = cuts.number_of({{.link = 1}}, links);
  cuts.complete(links);
  EXPECT_TRUE(cuts.are_needed());
  std::vector<FlowLinks> flows(2, cuts.cuts_of({{.link = both}}));
  flows.push_back(cuts.cuts_of({{.link = one}}));
  for (const double rate : max_min_rates(flows, cuts.capacities())) {
    EXPECT_DOUBLE_EQ(rate, 200.0 / 3) << "three over two links, by any parts";
  }
}

/// Of three links out of a switch one flow may take the first two and another the last two: together 300.
TEST(PathCuts, HopsThatOverlapAreLimitedTogether) {
  const std::vector<CutLink> links(3, CutLink{.capacity = 100, .from = 1, .to = 2});
  PathCuts cuts;
  const std::uint32_t low = cuts.number_of(halves(0), links);
  const std::uint32_t high = cuts.number_of(halves(1), links);
  cuts.complete(links);
  EXPECT_TRUE(cuts.are_needed());
  const std::vector<FlowLinks> flows{cuts.cuts_of({{.link = low}}), cuts.cuts_of({{.link = high}})};
  EXPECT_EQ(max_min_rates(flows, cuts.capacities()), std::vector<double>(2, 150));
}

/// A rail of several carries a part of its flow.
TEST(PathCuts, APartOfAFlowLoadsACutByThatPart) {
  const std::vector<CutLink> links = two_paths(25);
  PathCuts cuts;
  const std::uint32_t set = cuts.number_of({{.link = 0, .part = 0.25}, {.link = 1, .part = 0.25}}, links);
  cuts.complete(links);
  EXPECT_EQ(max_min_rates(std::vector<FlowLinks>{cuts.cuts_of({{.link = set, .part = 0.5}})}, cuts.capacities()),
            std::vector<double>(1, 250));
}

}  // namespace
}  // namespace weft::study::world
