#include "fabric/routing/conga.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/dumbbell.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/single_switch.h"

namespace weft::fabric {
namespace {

using ::testing::HasSubstr;

constexpr Time kStart = Time::zero() + 1_ms;

/// Packets of 1,000 bytes at that rate for 20 tau, and the metric at the end.
std::uint8_t metric_of(Rate sent, Rate link, const DreOptions& options = {}) {
  Dre dre;
  Time now = Time::zero();
  const Duration gap = sent.transmit_time(Bytes(1'000));
  while (now < Time::zero() + 200 * options.period) {
    dre.add(1'000, options, now);
    now = now + gap;
  }
  return dre.metric(link, options, now);
}

// X / (C tau) is the utilisation, but for what has decayed in the present period: at most alpha of it.
TEST(Dre, TheMetricIsTheUtilisationInEighths) {
  EXPECT_EQ(metric_of(5_gbps, 100_gbps), 0);
  EXPECT_NEAR(metric_of(30_gbps, 100_gbps), 8 * 0.3 * 0.95, 1);
  EXPECT_NEAR(metric_of(60_gbps, 100_gbps), 8 * 0.6 * 0.95, 1);
  EXPECT_EQ(metric_of(100_gbps, 100_gbps), 7);
  EXPECT_EQ(metric_of(100_gbps, 50_gbps), 7) << "2^Q - 1 is the most";
}

TEST(Dre, MoreBitsAreFinerSteps) {
  EXPECT_NEAR(metric_of(60_gbps, 100_gbps, {.bits = 8}), 256 * 0.6 * 0.95, 256 * 0.6 * 0.06);
  EXPECT_EQ(metric_of(30_gbps, 100_gbps, {.bits = 1}), 0);
  EXPECT_EQ(metric_of(80_gbps, 100_gbps, {.bits = 1}), 1);
}

TEST(Dre, DecaysByAlphaInEachPeriodOfTheClock) {
  const DreOptions options{
      .period = 10_us, .alpha = Probability::from_ratio({.numerator = 1, .denominator = 2}), .bits = 8};
  // C tau of 8 Gb/s and 20 us: 20,000 bytes.
  Dre dre;
  dre.add(10'000, options, Time::zero() + 1_us);
  EXPECT_EQ(dre.metric(8_gbps, options, Time::zero() + 9_us), 128);
  EXPECT_EQ(dre.metric(8_gbps, options, Time::zero() + 10_us), 64);
  EXPECT_EQ(dre.metric(8_gbps, options, Time::zero() + 39_us), 16);
  EXPECT_EQ(dre.metric(8_gbps, options, Time::zero() + 10_s), 0);
}

TEST(CongestionTables, AMetricComesBackOnAPacketOfTheOtherDirection) {
  CongestionTables here({.leaves = 3, .tags = 4}, 10_ms);
  CongestionTables there({.leaves = 3, .tags = 4}, 10_ms);
  there.take(1, {.tag = 2, .congestion = 5}, kStart);
  CongaHeader back;
  there.give(1, back, kStart);
  EXPECT_EQ(back.feedback_tag, 2);
  EXPECT_EQ(back.feedback, 5);
  here.take(2, back, kStart);
  EXPECT_EQ(here.metric(2, 2, kStart), 5);
  EXPECT_EQ(here.metric(2, 1, kStart), 0);
  EXPECT_EQ(here.metric(1, 2, kStart), 0);
}

TEST(CongestionTables, NothingComesBackBeforeSomethingHasCome) {
  CongestionTables tables({.leaves = 2, .tags = 4}, 10_ms);
  CongaHeader header;
  tables.give(1, header, kStart);
  EXPECT_EQ(header.feedback_tag, CongaHeader::kNone);
  tables.take(1, header, kStart);  // a packet of a leaf that says nothing
  tables.give(1, header, kStart);
  EXPECT_EQ(header.feedback_tag, CongaHeader::kNone);
}

TEST(CongestionTables, ChangedMetricsGoFirstAndOthersInRotation) {
  CongestionTables tables({.leaves = 2, .tags = 3}, 10_ms);
  for (std::uint8_t tag = 0; tag < 3; ++tag) {
    tables.take(1, {.tag = tag, .congestion = tag}, kStart);
  }
  const auto next = [&] {
    CongaHeader header;
    tables.give(1, header, kStart);
    return header.feedback_tag;
  };
  EXPECT_EQ(next(), 0);
  EXPECT_EQ(next(), 1);
  EXPECT_EQ(next(), 2);
  EXPECT_EQ(next(), 0) << "nothing has changed";
  tables.take(1, {.tag = 0, .congestion = 7}, kStart);
  tables.take(1, {.tag = 1, .congestion = 1}, kStart);
  EXPECT_EQ(next(), 0) << "changed; tag 1 has not";
  EXPECT_EQ(next(), 1);
}

TEST(CongestionTables, AMetricThatNothingRenewsFades) {
  CongestionTables tables({.leaves = 2, .tags = 1}, 10_ms);
  tables.take(1, {.feedback_tag = 0, .feedback = 7}, kStart);
  EXPECT_EQ(tables.metric(1, 0, kStart + 9_ms), 7);
  EXPECT_EQ(tables.metric(1, 0, kStart + 10_ms), 3);
  EXPECT_EQ(tables.metric(1, 0, kStart + 20_ms), 1);
  EXPECT_EQ(tables.metric(1, 0, kStart + 30_ms), 0);
  EXPECT_EQ(tables.metric(1, 0, kStart + 10_s), 0);
}

// Or what came back in rotation would renew what the other leaf knows for ever.
TEST(CongestionTables, AMetricOfAPathWithoutPacketsFadesWhereItIsSentBack) {
  CongestionTables tables({.leaves = 2, .tags = 1}, 10_ms);
  tables.take(1, {.tag = 0, .congestion = 7}, kStart);
  CongaHeader header;
  tables.give(1, header, kStart + 20_ms);
  EXPECT_EQ(header.feedback_tag, 0);
  EXPECT_EQ(header.feedback, 1);
}

TEST(TwoTiers, LeafSpineAndFatTreesOfTwoTiersHaveThem) {
  EXPECT_TRUE(check_two_tiers(build_graph(LeafSpineOptions{}).value()));
  EXPECT_TRUE(check_two_tiers(build_graph(FatTreeOptions{.tiers = 2}).value()));
}

TEST(TwoTiers, OtherTopologiesAreRefusedWithTheReason) {
  EXPECT_THAT(check_two_tiers(build_graph(FatTreeOptions{.tiers = 3}).value()).error().message,
              HasSubstr("joins two switches without endpoints"));
  EXPECT_THAT(check_two_tiers(build_graph(DumbbellOptions{}).value()).error().message,
              HasSubstr("no switch here is a spine"));
  EXPECT_THAT(check_two_tiers(build_graph(SingleSwitchOptions{}).value()).error().message,
              HasSubstr("no switch here is a spine"));
}

}  // namespace
}  // namespace weft::fabric
