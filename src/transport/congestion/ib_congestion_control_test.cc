#include "transport/congestion/ib_congestion_control.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weft::transport {
namespace {

using namespace literals;

constexpr Rate kLink = 200_gbps;
constexpr Duration kTick = Duration::picoseconds(1);
const Time kStart = Time::zero() + 3_us;

//= ibta-1.7 A10
TEST(IbCongestionControl, EachBecnMovesTheIndexUpToTheLimit) {
  IbCongestionParameters parameters = ib_congestion_published(kLink);
  parameters.ccti_increase = 3;
  parameters.ccti_limit = 100;
  IbCongestionControl control(parameters);
  for (int becn = 1; becn <= 50; ++becn) {
    control.on_congestion(kStart);
    EXPECT_EQ(control.ccti(kStart), std::min(3 * becn, 100));
  }
}

//= ibta-1.7 A10
TEST(IbCongestionControl, TimerMovesTheIndexBackToItsMinimum) {
  IbCongestionParameters parameters = ib_congestion_published(kLink);
  parameters.ccti_min = 2;
  IbCongestionControl control(parameters);
  EXPECT_EQ(control.ccti(kStart), 2);
  for (int i = 0; i < 5; ++i) {
    control.on_congestion(kStart);
  }
  EXPECT_EQ(parameters.timer(), Duration::nanoseconds(150 * 1'024));
  for (int n = 1; n <= 8; ++n) {
    EXPECT_EQ(control.ccti(kStart + parameters.timer() * n - kTick), std::max(2, 7 - (n - 1)));
    EXPECT_EQ(control.ccti(kStart + parameters.timer() * n), std::max(2, 7 - n));
  }
}

TEST(IbCongestionControl, FurtherBecnsDoNotRestartTheTimer) {
  const IbCongestionParameters parameters = ib_congestion_published(kLink);
  IbCongestionControl control(parameters);
  control.on_congestion(kStart);
  control.on_congestion(kStart + parameters.timer() - kTick);
  EXPECT_EQ(control.ccti(kStart + parameters.timer() - kTick), 2);
  EXPECT_EQ(control.ccti(kStart + parameters.timer()), 1);
}

TEST(IbCongestionControl, TicksThatWereNotAskedForCountAllTheSame) {
  const IbCongestionParameters parameters = ib_congestion_published(kLink);
  IbCongestionControl lazy(parameters);
  IbCongestionControl eager(parameters);
  for (int i = 0; i < 300; ++i) {
    const Time now = kStart + Duration::nanoseconds(i * 37'123);
    (void)eager.ccti(now);
    if (i % 3 == 0 || i % 50 > 40) {
      lazy.on_congestion(now);
      eager.on_congestion(now);
    }
    if (i % 17 == 0) {
      EXPECT_EQ(lazy.ccti(now), eager.ccti(now)) << i;
    }
  }
}

//= ibta-1.7 A10
TEST(IbCongestionControl, PauseIsThePacketTimeTimesTheEntry) {
  IbCongestionParameters parameters = ib_congestion_published(kLink);
  parameters.table = linear_cct({.entries = 128, .step = 3, .shift = 2});
  IbCongestionControl control(parameters);
  const Bytes size(4'126);
  const Duration packet_time = kLink.transmit_time(size);
  EXPECT_EQ(control.transmit(size, kStart), Duration::zero());
  for (int i = 1; i <= 127; ++i) {
    control.on_congestion(kStart);
    const Duration pause = control.transmit(size, kStart) - packet_time;
    EXPECT_GE(pause * 4, packet_time * (3 * i));
    EXPECT_LT(pause * 4, packet_time * (3 * i) + kTick * 4);
  }
}

TEST(IbCongestionControl, LinearTableDividesTheRate) {
  const IbCongestionParameters parameters = ib_congestion_published(kLink);
  IbCongestionControl control(parameters);
  EXPECT_EQ(control.pacing_rate(kStart), Rate::zero());
  for (int i = 1; i <= parameters.ccti_limit; ++i) {
    control.on_congestion(kStart);
    EXPECT_EQ(control.pacing_rate(kStart), kLink / (1 + i));
    EXPECT_EQ(control.gap_after(5'000_bytes, kStart), kLink.transmit_time(5'000_bytes) * (1 + i));
  }
}

TEST(IbCongestionControl, GapFollowsATickWithoutBeingAsked) {
  const IbCongestionParameters parameters = ib_congestion_published(kLink);
  IbCongestionControl control(parameters);
  control.on_congestion(kStart);
  control.on_congestion(kStart);
  const Duration packet_time = kLink.transmit_time(4'096_bytes);
  EXPECT_EQ(control.transmit(4'096_bytes, kStart + parameters.timer() - kTick), packet_time * 3);
  EXPECT_EQ(control.transmit(4'096_bytes, kStart + parameters.timer()), packet_time * 2);
  EXPECT_EQ(control.transmit(4'096_bytes, kStart + parameters.timer() * 2), Duration::zero());
}

TEST(IbCongestionControl, CountsArrivalsAtTheTriggerThreshold) {
  IbCongestionParameters parameters = ib_congestion_published(kLink);
  parameters.trigger_threshold = 2;
  IbCongestionControl control(parameters);
  control.on_congestion(kStart);
  EXPECT_EQ(control.threshold_events(), 0U);
  control.on_congestion(kStart);
  control.on_congestion(kStart);
  EXPECT_EQ(control.threshold_events(), 1U);
  EXPECT_EQ(control.ccti(kStart + parameters.timer() * 2), 1);
  control.on_congestion(kStart + parameters.timer() * 2);
  EXPECT_EQ(control.threshold_events(), 2U);
}

TEST(IbCongestionControlDeathTest, RefusesALimitBeyondTheTable) {
  IbCongestionParameters parameters = ib_congestion_published(kLink);
  parameters.ccti_limit = 128;
  EXPECT_DEATH(IbCongestionControl{parameters}, "ccti_limit");
  EXPECT_DEATH((void)linear_cct({.entries = 128, .step = 200}), "kMaxMultiplier");
}

TEST(FecnReply, AnswersMarkedPacketsAsItIsTold) {
  for (const CongestionSignal answer : {CongestionSignal::kEcho, CongestionSignal::kCnp}) {
    FecnReply reply(answer);
    EXPECT_EQ(reply.on_data(true, kStart), answer);
    EXPECT_EQ(reply.on_data(false, kStart), CongestionSignal::kNone);
    EXPECT_TRUE(reply.wants(true));
    EXPECT_FALSE(reply.wants(false));
  }
}

}  // namespace
}  // namespace weft::transport
