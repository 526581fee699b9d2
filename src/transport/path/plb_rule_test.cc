// The published rules, with the numbers of Linux: 12 rounds, 3 when idle, half of all marked, 60 to 120 s of rest.
#include "transport/path/plb_rule.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using namespace literals;

constexpr PlbRule::Round kCongested{.marked = 50, .acknowledged = 100};
constexpr PlbRule::Round kFree{.marked = 49, .acknowledged = 100};

PlbRule rule_of(const PlbRule::Options& options = {}) { return {options, RandomStream(1, "plb")}; }

TEST(PlbRule, LeavesAfterTwelveCongestedRoundsInARow) {
  PlbRule rule = rule_of();
  for (int round = 0; round < 11; ++round) {
    rule.on_round(kCongested);
    EXPECT_FALSE(rule.leaves(PlbRule::Flight::kSome, Time::zero()));
  }
  rule.on_round(kCongested);
  EXPECT_TRUE(rule.leaves(PlbRule::Flight::kSome, Time::zero()));
  EXPECT_FALSE(rule.leaves(PlbRule::Flight::kSome, Time::zero()));
  EXPECT_EQ(rule.congested_rounds(), 0);
}

TEST(PlbRule, ARoundBelowTheThresholdBeginsTheCountAnew) {
  PlbRule rule = rule_of();
  for (int round = 0; round < 11; ++round) {
    rule.on_round(kCongested);
  }
  rule.on_round(kFree);
  for (int round = 0; round < 11; ++round) {
    rule.on_round(kCongested);
    EXPECT_FALSE(rule.leaves(PlbRule::Flight::kSome, Time::zero()));
  }
}

TEST(PlbRule, WithNothingInFlightThreeRoundsAreEnough) {
  PlbRule rule = rule_of();
  rule.on_round(kCongested);
  rule.on_round(kCongested);
  EXPECT_FALSE(rule.leaves(PlbRule::Flight::kNone, Time::zero()));
  rule.on_round(kCongested);
  EXPECT_FALSE(rule.leaves(PlbRule::Flight::kSome, Time::zero()));
  EXPECT_TRUE(rule.leaves(PlbRule::Flight::kNone, Time::zero()));
}

TEST(PlbRule, WithoutIdleRoundsAPauseIsNoReason) {
  PlbRule rule = rule_of({.idle_rounds = 0});
  for (int round = 0; round < 11; ++round) {
    rule.on_round(kCongested);
    EXPECT_FALSE(rule.leaves(PlbRule::Flight::kNone, Time::zero()));
  }
}

TEST(PlbRule, AfterATimeoutItRestsOnceToTwiceTheSuspension) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    PlbRule rule({}, RandomStream(seed, "plb"));
    for (int round = 0; round < 12; ++round) {
      rule.on_round(kCongested);
    }
    rule.on_timeout(Time::zero());
    EXPECT_EQ(rule.congested_rounds(), 0);
    for (int round = 0; round < 20; ++round) {
      rule.on_round(kCongested);
    }
    EXPECT_FALSE(rule.leaves(PlbRule::Flight::kSome, Time::zero() + 59_s));
    EXPECT_TRUE(rule.leaves(PlbRule::Flight::kSome, Time::zero() + 120_s));
  }
}

}  // namespace
}  // namespace weft::transport
