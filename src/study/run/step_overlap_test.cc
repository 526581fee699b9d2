#include "study/run/step_overlap.h"

#include <gtest/gtest.h>

namespace weft::study::run {
namespace {

using Id = StepOverlap::Id;
using Member = StepOverlap::Member;

constexpr Duration ms(std::int64_t count) { return Duration::milliseconds(count); }
constexpr double kMs = 1e-3;

/// Members of an overlap that begin and end, and the factors that they have.
class Overlapping : public testing::Test {
 protected:
  void make(const std::vector<Member>& members) { overlap_.emplace(members); }
  void begin(std::uint32_t place, Duration alone) {
    factors_[place] = 1;
    take(overlap_->begin(place, {.place = place}, alone));
  }
  void end(std::uint32_t place) {
    factors_.erase(place);
    take(overlap_->end(place));
  }
  double factor(std::uint32_t place) const { return factors_.at(place); }

  std::optional<StepOverlap> overlap_;

 private:
  void take(const std::vector<StepOverlap::Change>& changes) {
    for (const auto& [id, factor] : changes) {
      factors_.at(id) = factor;
    }
  }
  std::map<Id, double> factors_;
};

TEST_F(Overlapping, TwoKindsThatEachFillALinkTakeTwiceAsLong) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 10 * kMs}}},
        {.kind = 1, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 10 * kMs}}}});
  EXPECT_TRUE(overlap_->any_meet());
  begin(0, ms(10));
  EXPECT_EQ(factor(0), 1);
  begin(1, ms(10));
  EXPECT_NEAR(factor(0), 2, 1e-6);
  EXPECT_NEAR(factor(1), 2, 1e-6);
  end(0);
  EXPECT_EQ(factor(1), 1);
  EXPECT_TRUE(overlap_->has_met(0) && overlap_->has_met(1));
}

TEST_F(Overlapping, KindsThatFitIntoALinkTogetherDoNotSlowOneAnother) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 6 * kMs}}},
        {.kind = 1, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 4 * kMs}}}});
  begin(0, ms(10));
  begin(1, ms(10));
  EXPECT_EQ(factor(0), 1);
  EXPECT_EQ(factor(1), 1);
  EXPECT_FALSE(overlap_->has_met());
}

/// One needs a fifth of the link, less than its share, and the other gets the rest.
TEST_F(Overlapping, WhatOneDoesNotNeedTheOtherGets) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 10 * kMs}}},
        {.kind = 1, .flow_bytes = 2e5, .uses = {{.link = 7, .seconds = 2 * kMs}}}});
  begin(0, ms(10));
  begin(1, ms(10));
  EXPECT_NEAR(factor(0), 1.25, 1e-6);
  EXPECT_EQ(factor(1), 1);
}

/// Three flows of one kind and one of the other: each flow has a quarter.
TEST_F(Overlapping, FlowsGetTheSame) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 30 * kMs}}},
        {.kind = 1, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 10 * kMs}}}});
  begin(0, ms(30));
  begin(1, ms(10));
  EXPECT_NEAR(factor(0), 4.0 / 3, 1e-6);
  EXPECT_NEAR(factor(1), 4, 1e-6);
}

/// The first shares one link with the second, and that one another with the third.
TEST_F(Overlapping, WhoIsSlowedLeavesRoomElsewhere) {
  make({{.kind = 0, .flow_bytes = 3e6, .uses = {{.link = 1, .seconds = 30 * kMs}}},
        {.kind = 1, .flow_bytes = 1e6, .uses = {{.link = 1, .seconds = 10 * kMs}, {.link = 2, .seconds = 10 * kMs}}},
        {.kind = 2, .flow_bytes = 1e6, .uses = {{.link = 1, .seconds = 10 * kMs}}},
        {.kind = 3, .flow_bytes = 1e6, .uses = {{.link = 2, .seconds = 10 * kMs}}}});
  begin(0, ms(30));
  begin(1, ms(10));
  begin(2, ms(10));
  begin(3, ms(10));
  EXPECT_NEAR(factor(1), 3, 1e-6);    // a third of the first link
  EXPECT_NEAR(factor(3), 1.5, 1e-6);  // the rest of the second
  end(1);
  EXPECT_EQ(factor(3), 1);
  EXPECT_NEAR(factor(0), 2, 1e-6);
}

/// Both of a kind were measured together and needed 8 of 10 ms for their bytes; one alone needs half of that.
TEST_F(Overlapping, AnOperationWithoutTheOthersOfItsKindIsFaster) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 4 * kMs}}},
        {.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 7, .seconds = 4 * kMs}}}});
  begin(0, ms(10));
  EXPECT_NEAR(factor(0), 0.6, 1e-9);
  begin(1, ms(10));
  EXPECT_EQ(factor(0), 1);
  EXPECT_EQ(factor(1), 1);
  end(0);
  EXPECT_NEAR(factor(1), 0.6, 1e-9);
}

TEST_F(Overlapping, OperationsOnLinksOfTheirOwnNeverMeet) {
  make({{.kind = 0, .flow_bytes = 1e6, .uses = {{.link = 1, .seconds = 10 * kMs}}},
        {.kind = 1, .flow_bytes = 1e6, .uses = {{.link = 2, .seconds = 10 * kMs}}}});
  EXPECT_FALSE(overlap_->any_meet());
  begin(0, ms(10));
  begin(1, ms(10));
  EXPECT_EQ(factor(0), 1);
  EXPECT_EQ(factor(1), 1);
}

}  // namespace
}  // namespace weft::study::run
