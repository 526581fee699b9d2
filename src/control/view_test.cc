#include "control/view.h"

#include <gtest/gtest.h>

#include "control/cspf.h"
#include "control/greedy.h"
#include "control/test_networks.h"

namespace weft::control {
namespace {

TEST(ControlView, CandidatesAreAllPathsOfFewestLinksThatAreUp) {
  const LeavesAndSpines net{.leaves = 3, .spines = 4};
  View view = net.view();
  view.arcs[net.up(0, 1).value()].state = ArcState::kDown;
  view.arcs[net.down(2, 3).value()].state = ArcState::kDown;
  CandidatePaths candidates(view, 64);
  const Path by_first{net.up(0, 0), net.down(2, 0)};
  const Path by_third{net.up(0, 2), net.down(2, 2)};
  EXPECT_EQ(candidates.between({.from = Vertex(0), .to = Vertex(2)}), (std::vector<Path>{by_first, by_third}));
  EXPECT_EQ(candidates.between({.from = Vertex(2), .to = Vertex(0)}).size(), 4U) << "the other directions are up";
}

TEST(ControlView, OfTooManyCandidatesThoseAtEvenDistancesAreTaken) {
  const LeavesAndSpines net{.leaves = 2, .spines = 12};
  const View view = net.view();
  CandidatePaths candidates(view, 4);
  std::vector<ArcIndex> first;
  for (const Path& path : candidates.between({.from = Vertex(0), .to = Vertex(1)})) {
    first.push_back(path[0]);
  }
  EXPECT_EQ(first, (std::vector<ArcIndex>{net.up(0, 0), net.up(0, 3), net.up(0, 6), net.up(0, 9)}));
}

TEST(ControlView, ThereIsNoPathWhereAllLinksOfASwitchAreDown) {
  const LeavesAndSpines net{.leaves = 2, .spines = 1};
  View view = net.view();
  view.arcs[net.down(1, 0).value()].state = ArcState::kDown;
  CandidatePaths candidates(view, 4);
  EXPECT_TRUE(candidates.between({.from = Vertex(0), .to = Vertex(1)}).empty());
  const std::vector<Demand> demands{demand(0, 1, 1_gbps)};
  EXPECT_EQ(place_cspf(candidates, demands).placement.choice[0], std::nullopt);
  EXPECT_EQ(place_greedily(candidates, demands).choice[0], std::nullopt);
}

TEST(ControlView, LoadsAreBackgroundAndDemands) {
  const LeavesAndSpines net{.leaves = 2, .spines = 2};
  View view = net.view();
  view.arcs[net.up(0, 1).value()].background = 20_gbps;
  CandidatePaths candidates(view, 4);
  const std::vector<Demand> demands{demand(0, 1, 30_gbps), demand(0, 1, 40_gbps)};
  const Loads loads(candidates, demands, {.choice = {0, 1}});
  EXPECT_EQ(loads.of(net.up(0, 0)), 30_gbps);
  EXPECT_EQ(loads.of(net.up(0, 1)), 60_gbps);
  EXPECT_EQ(loads.of(net.down(1, 1)), 40_gbps);
  EXPECT_DOUBLE_EQ(loads.highest(), 0.6);
}

// CSPF avoids what others use, and says which demands find no room.
TEST(Cspf, TakesPathsWithRoomAndCountsWhatDoesNotFit) {
  const LeavesAndSpines net{.leaves = 2, .spines = 2};
  View view = net.view();
  view.arcs[net.down(1, 0).value()].background = 50_gbps;
  CandidatePaths candidates(view, 4);
  const std::vector<Demand> demands{demand(0, 1, 40_gbps), demand(0, 1, 60_gbps), demand(0, 1, 45_gbps),
                                    demand(0, 1, 10_gbps)};
  const OrderedResult result = place_cspf(candidates, demands);
  // 60 where nothing is, 45 beside the 50, 40 fills the rest of the 60's path; 10 goes where least is over.
  EXPECT_EQ(result.placement.choice, (std::vector<std::optional<std::uint32_t>>{1, 1, 0, 0}));
  EXPECT_EQ(result.unfit, 1U);
}

TEST(Cspf, PlacesTheLargestFirstWhereGreedyTakesThemAsTheyCome) {
  const LeavesAndSpines net{.leaves = 2, .spines = 2};
  const View view = net.view();
  CandidatePaths candidates(view, 4);
  // 30 and 30 on one path each, then 60: 90 at best for who cannot move; by size 60 alone.
  const std::vector<Demand> demands{demand(0, 1, 30_gbps), demand(0, 1, 30_gbps), demand(0, 1, 60_gbps)};
  EXPECT_DOUBLE_EQ(Loads(candidates, demands, place_greedily(candidates, demands)).highest(), 0.9);
  EXPECT_DOUBLE_EQ(Loads(candidates, demands, place_cspf(candidates, demands).placement).highest(), 0.6);
}

// Graham's bound for demands of one pair over equal disjoint paths: 2 - 1/n of the best, which is at least the mean and
// at least the largest demand.
TEST(Greedy, StaysWithinItsBound) {
  const LeavesAndSpines net{.leaves = 2, .spines = 4};
  const View view = net.view();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "greedy");
    CandidatePaths candidates(view, 8);
    std::vector<Demand> demands;
    Rate sum;
    Rate most;
    for (int i = 0; i < 11; ++i) {
      demands.push_back(demand(0, 1, 1_gbps * static_cast<std::int64_t>(1 + random.uniform(60))));
      sum = sum + demands.back().rate;
      most = std::max(most, demands.back().rate);
    }
    const double best =
        std::max(static_cast<double>(sum.bits_per_second()) / 4, static_cast<double>(most.bits_per_second())) / 100e9;
    const double got = Loads(candidates, demands, place_greedily(candidates, demands)).highest();
    EXPECT_GE(got, best - 1e-12);
    EXPECT_LE(got, best * (2 - 0.25) + 1e-12);
  }
}

TEST(Improve, NeverRaisesTheHighestUtilisationAndEndsWhereNoMoveHelps) {
  const LeavesAndSpines net{.leaves = 5, .spines = 3};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "improve");
    View view = net.view();
    for (Arc& arc : view.arcs) {
      arc.background = 1_gbps * static_cast<std::int64_t>(random.uniform(40));
    }
    CandidatePaths candidates(view, 8);
    const std::vector<Demand> demands = random_demands(net.leaves, 30, random);
    Placement placement;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      placement.choice.push_back(static_cast<std::uint32_t>(random.uniform(net.spines)));
    }
    const double before = Loads(candidates, demands, placement).highest();
    EXPECT_EQ(improve(candidates, demands, placement, 0), 0U);
    EXPECT_GT(improve(candidates, demands, placement, 1'000), 0U);
    const double after = Loads(candidates, demands, placement).highest();
    EXPECT_LT(after, before);
    EXPECT_EQ(improve(candidates, demands, placement, 1'000), 0U);
  }
}

}  // namespace
}  // namespace weft::control
