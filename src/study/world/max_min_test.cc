#include "study/world/max_min.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace weft::study::world {
namespace {

using Rates = std::vector<double>;

TEST(MaxMin, FlowsOfOneLinkShareItEqually) {
  const std::vector<FlowLinks> flows(4, FlowLinks{{.link = 0}});
  EXPECT_EQ(max_min_rates(flows, Rates{100}), Rates(4, 25));
}

/// One flow over all n links, and one over each of them: all get half.
TEST(MaxMin, AParkingLotGivesHalfToEveryFlow) {
  constexpr std::uint32_t kLinks = 5;
  std::vector<FlowLinks> flows(1);
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    flows.front().push_back({.link = link});
    flows.push_back({{.link = link}});
  }
  EXPECT_EQ(max_min_rates(flows, Rates(kLinks, 10)), Rates(kLinks + 1, 5));
}

/// Bertsekas and Gallager's kind of example: what a bottleneck elsewhere leaves goes to the others.
TEST(MaxMin, WhatAFlowCannotUseGoesToTheOthers) {
  // Link 0 of 1: flows a and b. Link 1 of 2: b and c.
  const std::vector<FlowLinks> flows = {{{.link = 0}}, {{.link = 0}, {.link = 1}}, {{.link = 1}}};
  const Rates rates = max_min_rates(flows, Rates{1, 2});
  EXPECT_DOUBLE_EQ(rates[0], 0.5);
  EXPECT_DOUBLE_EQ(rates[1], 0.5);
  EXPECT_DOUBLE_EQ(rates[2], 1.5);
}

/// k flows hashed onto one of two uplinks, and one alone on the other: 1/k and 1 of the line.
TEST(MaxMin, AHashCollisionOfKFlowsLeavesEachTheKthPart) {
  constexpr std::uint32_t kFlows = 3;
  std::vector<FlowLinks> flows;
  for (std::uint32_t i = 0; i <= kFlows; ++i) {
    flows.push_back({{.link = i}, {.link = kFlows + 1 + (i == kFlows ? 1 : 0)}});
  }
  const Rates rates = max_min_rates(flows, Rates(kFlows + 3, 100));
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    EXPECT_DOUBLE_EQ(rates[i], 100.0 / kFlows);
  }
  EXPECT_DOUBLE_EQ(rates[kFlows], 100);
}

/// Sprayed over all n uplinks of an unblocked leaf, n flows get the whole line each.
TEST(MaxMin, ASprayedFlowLoadsEachLinkWithItsPart) {
  constexpr std::uint32_t kLinks = 8;
  std::vector<FlowLinks> flows;
  for (std::uint32_t i = 0; i < kLinks; ++i) {
    FlowLinks& flow = flows.emplace_back(FlowLinks{{.link = kLinks + i}});
    for (std::uint32_t link = 0; link < kLinks; ++link) {
      flow.push_back({.link = link, .part = 1.0 / kLinks});
    }
  }
  for (const double rate : max_min_rates(flows, Rates(std::size_t{2} * kLinks, 100))) {
    EXPECT_NEAR(rate, 100, 1e-9);
  }
}

TEST(MaxMin, LinksOfAnotherRateCountByTheirRate) {
  const std::vector<FlowLinks> flows = {{{.link = 0}, {.link = 1}}, {{.link = 1}}};
  const Rates rates = max_min_rates(flows, Rates{10, 100});
  EXPECT_DOUBLE_EQ(rates[0], 10);
  EXPECT_DOUBLE_EQ(rates[1], 90);
}

TEST(MaxMin, AFlowWithoutLinksIsNotLimited) {
  const std::vector<FlowLinks> flows(1);
  EXPECT_TRUE(std::isinf(max_min_rates(flows, Rates{}).front()));
}

/// Two properties define the allocation: no link is overfull, and every flow has a full link on which none gets more.
TEST(MaxMin, EveryFlowHasABottleneck) {
  constexpr std::uint32_t kLinks = 12;
  std::vector<FlowLinks> flows;
  for (std::uint32_t i = 0; i < 40; ++i) {
    flows.push_back({{.link = i * 7 % kLinks}, {.link = (i * 7 + 1 + i % 5) % kLinks}});
  }
  Rates capacities(kLinks);
  std::iota(capacities.begin(), capacities.end(), 5);
  const Rates rates = max_min_rates(flows, capacities);
  Rates used(kLinks);
  Rates most(kLinks);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (const LinkUse& use : flows[i]) {
      used[use.link] += rates[i];
      most[use.link] = std::max(most[use.link], rates[i]);
    }
  }
  for (std::uint32_t link = 0; link < kLinks; ++link) {
    EXPECT_LE(used[link], capacities[link] * (1 + 1e-9));
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    bool has_bottleneck = false;
    for (const LinkUse& use : flows[i]) {
      has_bottleneck |= used[use.link] > capacities[use.link] * (1 - 1e-9) && rates[i] > most[use.link] * (1 - 1e-9);
    }
    EXPECT_TRUE(has_bottleneck) << i;
  }
}

}  // namespace
}  // namespace weft::study::world
