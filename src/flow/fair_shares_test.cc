#include "flow/fair_shares.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::flow {
namespace {

using Links = std::vector<LinkUse>;

ClassId add(FairShares& shares, const Links& links, const ClassOptions& options = {}, std::uint32_t flows = 1) {
  const ClassId made = shares.add_class(links, options);
  shares.set_flows(made, flows);
  return made;
}

TEST(FairShares, FlowsOfOneLinkShareItEqually) {
  FairShares shares({100});
  const ClassId four = add(shares, {{0}}, {}, 4);
  shares.update();
  EXPECT_EQ(shares.rate(four), 25);
}

TEST(FairShares, WeightsDivideALink) {
  FairShares shares({90});
  const ClassId light = add(shares, {{0}}, {.weight = 1});
  const ClassId heavy = add(shares, {{0}}, {.weight = 2});
  shares.update();
  EXPECT_DOUBLE_EQ(shares.rate(light), 30);
  EXPECT_DOUBLE_EQ(shares.rate(heavy), 60);
}

TEST(FairShares, WhatACapLeavesGoesToTheOthers) {
  FairShares shares({100});
  const ClassId capped = add(shares, {{0}}, {.cap = 10});
  const ClassId free = add(shares, {{0}}, {}, 3);
  shares.update();
  EXPECT_EQ(shares.rate(capped), 10);
  EXPECT_DOUBLE_EQ(shares.rate(free), 30);
}

/// One flow over all n links, and one over each of them: all get half.
TEST(FairShares, AParkingLotGivesHalfToEveryFlow) {
  constexpr std::uint32_t kLinks = 5;
  FairShares shares(std::vector<double>(kLinks, 10));
  Links all;
  std::vector<ClassId> flows;
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    all.push_back({link});
    flows.push_back(add(shares, {{link}}));
  }
  flows.push_back(add(shares, all));
  shares.update();
  for (const ClassId flow : flows) {
    EXPECT_EQ(shares.rate(flow), 5);
  }
}

/// Sprayed over all n uplinks of an unblocked leaf, n flows get the whole line each.
TEST(FairShares, ASprayedFlowLoadsEachLinkWithItsPart) {
  constexpr std::uint32_t kLinks = 8;
  FairShares shares(std::vector<double>(2 * kLinks, 100));
  std::vector<ClassId> flows;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    Links links{{kLinks + i}};
    for (std::uint32_t link = 0; link < kLinks; ++link) {
      links.push_back({link, 1.0F / kLinks});
    }
    flows.push_back(add(shares, links));
  }
  shares.update();
  for (const ClassId flow : flows) {
    EXPECT_NEAR(shares.rate(flow), 100, 1e-9);
  }
}

TEST(FairShares, AFlowWithoutLinksHasItsCap) {
  FairShares shares({});
  const ClassId free = add(shares, {});
  const ClassId capped = add(shares, {}, {.cap = 7});
  shares.update();
  EXPECT_TRUE(std::isinf(shares.rate(free)));
  EXPECT_EQ(shares.rate(capped), 7);
}

TEST(FairShares, AFlowThatLeavesGivesItsShareToThoseOnItsLinks) {
  FairShares shares({10, 10});
  const ClassId both = add(shares, {{0}, {1}});
  const ClassId first = add(shares, {{0}});
  const ClassId second = add(shares, {{1}}, {}, 3);
  shares.update();
  EXPECT_EQ(shares.rate(both), 2.5);
  EXPECT_EQ(shares.rate(first), 7.5);
  EXPECT_EQ(shares.rate(second), 2.5);
  shares.set_flows(second, 0);
  shares.update();
  EXPECT_EQ(shares.rate(both), 5);
  EXPECT_EQ(shares.rate(first), 5);
  EXPECT_EQ(shares.rate(second), 0);
}

TEST(FairShares, UpdateNamesTheClassesWhoseRateIsAnother) {
  FairShares shares({10, 10, 10});
  const ClassId near = add(shares, {{0}});
  const ClassId far = add(shares, {{2}});
  shares.update();
  const ClassId other = add(shares, {{0}, {1}});
  const std::span<const ClassId> changed = shares.update();
  EXPECT_EQ(std::vector<ClassId>(changed.begin(), changed.end()), (std::vector<ClassId>{other, near}));
  EXPECT_EQ(shares.rate(far), 10);
}

/// A change at one end of a long row of pairs that share nothing is solved without the others.
TEST(FairShares, AChangeIsSolvedWhereItIsFelt) {
  constexpr std::uint32_t kPairs = 1'000;
  FairShares shares(std::vector<double>(kPairs, 10));
  std::vector<ClassId> flows;
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    flows.push_back(add(shares, {{i}}, {}, 2));
  }
  shares.update();
  const std::uint64_t before = shares.solved();
  shares.set_flows(flows[kPairs / 2], 1);
  shares.update();
  EXPECT_EQ(shares.rate(flows[kPairs / 2]), 10);
  EXPECT_EQ(shares.solved() - before, 1);
}

TEST(FairShares, ALinkThatLosesCapacityTakesItFromItsFlows) {
  FairShares shares({10, 10});
  const ClassId one = add(shares, {{0}, {1}});
  const ClassId other = add(shares, {{1}});
  shares.update();
  EXPECT_EQ(shares.rate(other), 5);
  shares.set_capacity(0, 2);
  shares.update();
  EXPECT_EQ(shares.rate(one), 2);
  EXPECT_EQ(shares.rate(other), 8);
  shares.set_capacity(0, 0);
  shares.update();
  EXPECT_EQ(shares.rate(one), 0);
  EXPECT_EQ(shares.rate(other), 10);
}

TEST(FairShares, AClassThatTakesAnotherPathLeavesItsLinks) {
  FairShares shares({10, 4});
  const ClassId moved = add(shares, {{0}});
  const ClassId stays = add(shares, {{0}});
  shares.update();
  EXPECT_EQ(shares.rate(stays), 5);
  shares.set_links(moved, Links{{1}});
  shares.update();
  EXPECT_EQ(shares.rate(moved), 4);
  EXPECT_EQ(shares.rate(stays), 10);
}

}  // namespace
}  // namespace weft::flow
