#include "control/min_max.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "control/cspf.h"
#include "control/test_networks.h"

namespace weft::control {
namespace {

/// The least highest utilisation of all placements, by trying each.
double best_by_trying(CandidatePaths& candidates, const std::vector<Demand>& demands) {
  Placement placement;
  placement.choice.assign(demands.size(), 0);
  double best = Loads(candidates, demands, placement).highest();
  for (;;) {
    std::size_t i = 0;
    for (; i < demands.size(); ++i) {
      const auto paths = candidates.between({.from = demands[i].from, .to = demands[i].to}).size();
      placement.choice[i] = (*placement.choice[i] + 1) % static_cast<std::uint32_t>(paths);
      if (*placement.choice[i] != 0) {
        break;
      }
    }
    if (i == demands.size()) {
      return best;
    }
    best = std::min(best, Loads(candidates, demands, placement).highest());
  }
}

// What may be split is: demands of one pair come to their sum over all paths.
TEST(MinMax, BoundOfOnePairIsItsSumOverItsPaths) {
  const LeavesAndSpines net{.leaves = 2, .spines = 4};
  const View view = net.view();
  CandidatePaths candidates(view, 8);
  const std::vector<Demand> demands{demand(0, 1, 90_gbps), demand(0, 1, 30_gbps), demand(0, 1, 60_gbps)};
  const MinMaxResult result = place_min_max(candidates, demands, {});
  ASSERT_TRUE(result.bound);
  EXPECT_NEAR(*result.bound, 180.0 / 400, 1e-9);
  EXPECT_DOUBLE_EQ(Loads(candidates, demands, result.placement).highest(), 0.9) << "the largest does not split";
}

// Unequal links are filled alike: with 100 and 300 Gb/s to choose from, 200 Gb/s load both by half.
TEST(MinMax, BoundWeighsLinksByTheirCapacityAndTheirBackground) {
  const LeavesAndSpines net{.leaves = 2, .spines = 2};
  View view = net.view();
  view.arcs[net.up(0, 1).value()].capacity = 300_gbps;
  view.arcs[net.down(1, 1).value()].capacity = 300_gbps;
  CandidatePaths candidates(view, 8);
  std::vector<Demand> demands(20, demand(0, 1, 10_gbps));
  EXPECT_NEAR(*place_min_max(candidates, demands, {}).bound, 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(Loads(candidates, demands, place_min_max(candidates, demands, {}).placement).highest(), 0.5);
  view.arcs[net.up(0, 1).value()].background = 100_gbps;
  CandidatePaths anew(view, 8);
  EXPECT_NEAR(*place_min_max(anew, demands, {}).bound, 0.75, 1e-9);
}

TEST(MinMax, LiesBetweenItsBoundAndCspfAndNearTheBestOfAll) {
  const LeavesAndSpines net{.leaves = 3, .spines = 3};
  double sum_best = 0;
  double sum_found = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "min-max");
    View view = net.view();
    for (Arc& arc : view.arcs) {
      arc.background = 1_gbps * static_cast<std::int64_t>(random.uniform(30));
    }
    CandidatePaths candidates(view, 8);
    const std::vector<Demand> demands = random_demands(net.leaves, 7, random);
    const MinMaxResult result = place_min_max(candidates, demands, {});
    ASSERT_TRUE(result.bound);
    const double found = Loads(candidates, demands, result.placement).highest();
    const double best = best_by_trying(candidates, demands);
    EXPECT_LE(*result.bound, best + 1e-9) << "no placement may be better than the bound";
    EXPECT_GE(found, best - 1e-9);
    EXPECT_LE(found, Loads(candidates, demands, place_cspf(candidates, demands).placement).highest() + 1e-9);
    sum_best += best;
    sum_found += found;
  }
  EXPECT_LE(sum_found, 1.03 * sum_best) << "single moves end a few per cent above the best";
}

TEST(MinMax, WithoutAnOptimumPlacesBySizeAndSaysSo) {
  const LeavesAndSpines net{.leaves = 4, .spines = 4};
  const View view = net.view();
  RandomStream random(3, "no optimum");
  const std::vector<Demand> demands = random_demands(net.leaves, 30, random);
  CandidatePaths candidates(view, 8);
  Placement by_size = place_cspf(candidates, demands).placement;
  improve(candidates, demands, by_size, 10'000);
  for (const MinMaxOptions& options : {MinMaxOptions{.iterations = 1}, MinMaxOptions{.columns = 3}}) {
    const MinMaxResult result = place_min_max(candidates, demands, options);
    EXPECT_FALSE(result.bound);
    EXPECT_EQ(result.placement.choice, by_size.choice);
  }
}

TEST(MinMax, SameInputGivesTheSamePlacement) {
  const LeavesAndSpines net{.leaves = 6, .spines = 4};
  const View view = net.view();
  RandomStream random(11, "same");
  const std::vector<Demand> demands = random_demands(net.leaves, 60, random);
  CandidatePaths one(view, 8);
  CandidatePaths other(view, 8);
  EXPECT_EQ(place_min_max(one, demands, {}).placement.choice, place_min_max(other, demands, {}).placement.choice);
}

TEST(MinMax, NothingToPlaceAndNoPathAreNoFaults) {
  const LeavesAndSpines net{.leaves = 2, .spines = 1};
  View view = net.view();
  view.arcs[net.up(0, 0).value()].state = ArcState::kDown;
  CandidatePaths candidates(view, 8);
  EXPECT_TRUE(place_min_max(candidates, {}, {}).placement.choice.empty());
  const MinMaxResult result = place_min_max(candidates, {demand(0, 1, 1_gbps), demand(1, 0, 1_gbps)}, {});
  EXPECT_EQ(result.placement.choice, (std::vector<std::optional<std::uint32_t>>{std::nullopt, 0}));
}

}  // namespace
}  // namespace weft::control
