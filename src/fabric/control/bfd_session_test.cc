#include "fabric/control/bfd_session.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::fabric {
namespace {

using wire::BfdState;

/// Two ends and a cable that takes so long.
struct BfdPair {
  explicit BfdPair(const BfdSession::Options& a, const BfdSession::Options& b)
      : ends{BfdSession(a, RandomStream(1, "a")), BfdSession(b, RandomStream(1, "b"))} {}

  struct InFlight {
    Time at;
    int to;
    wire::BfdControl packet;
  };

  void run(Time until) {
    for (;;) {
      for (int end = 0; end < 2; ++end) {
        while (const auto packet = ends[end].poll(now)) {
          ++sent[end];
          if (!is_cut) {
            wire.push_back({now + delay, 1 - end, *packet});
          }
        }
      }
      Time next = earlier(ends[0].next_timeout(), ends[1].next_timeout());
      for (const InFlight& own : wire) {
        next = earlier(next, own.at);
      }
      if (next > until) {
        now = until;
        return;
      }
      now = next;
      for (std::size_t i = 0; i < wire.size();) {
        if (wire[i].at <= now) {
          ends[wire[i].to].on_packet(wire[i].packet, now);
          wire.erase(wire.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          ++i;
        }
      }
      for (BfdSession& end : ends) {
        end.on_timeout(now);
      }
      for (int end = 0; end < 2; ++end) {
        if (down_at[end].is_never() && was_up[end] && !ends[end].is_up()) {
          down_at[end] = now;
        }
        was_up[end] = ends[end].is_up();
      }
    }
  }

  BfdSession ends[2];
  Time now = Time::zero();
  Duration delay = 1_us;
  std::vector<InFlight> wire;
  bool is_cut = false;
  int sent[2] = {0, 0};
  bool was_up[2] = {false, false};
  Time down_at[2] = {Time::never(), Time::never()};
};

constexpr BfdSession::Options kUsual{.interval = 300_ms, .multiplier = 3, .discriminator = 7};

TEST(BfdSession, ComesUpWithinARoundTripOfAThreeWayHandshake) {
  BfdPair pair(kUsual, {.discriminator = 9});
  pair.ends[0].start(Time::zero());
  pair.ends[1].start(Time::zero());
  pair.run(Time::zero() + 3 * pair.delay);
  EXPECT_TRUE(pair.ends[0].is_up());
  EXPECT_TRUE(pair.ends[1].is_up());
}

//= rfc5880 6.8.4
TEST(BfdSession, DetectsAFailureWithinTheDetectionTimeAndNotBeforeAnIntervalLess) {
  for (const std::uint8_t multiplier : {1, 2, 3, 5}) {
    for (const Duration interval : {10_ms, 50_ms, 300_ms}) {
      const BfdSession::Options options{.interval = interval, .multiplier = multiplier, .discriminator = 1};
      BfdPair pair(options, options);
      pair.ends[0].start(Time::zero());
      pair.ends[1].start(Time::zero());
      const Time cut = Time::zero() + 4_s;
      pair.run(cut);
      pair.is_cut = true;
      pair.run(cut + 10_s);
      for (int end = 0; end < 2; ++end) {
        ASSERT_FALSE(pair.down_at[end].is_never());
        const Duration took = pair.down_at[end] - cut;
        EXPECT_LE(took, interval * multiplier + pair.delay);
        EXPECT_GE(took, interval * (multiplier - 1));
      }
      EXPECT_EQ(pair.ends[0].expirations() + pair.ends[1].expirations(), 2U);
    }
  }
}

//= rfc5880 6.8.7
TEST(BfdSession, SendsAtTheSlowerEndsIntervalLessUpToAQuarter) {
  BfdPair pair({.interval = 20_ms, .discriminator = 1}, {.interval = 50_ms, .discriminator = 2});
  pair.ends[0].start(Time::zero());
  pair.ends[1].start(Time::zero());
  pair.run(Time::zero() + 2_s);
  const int before[2] = {pair.sent[0], pair.sent[1]};
  pair.run(Time::zero() + 12_s);
  for (int end = 0; end < 2; ++end) {
    EXPECT_GE(pair.sent[end] - before[end], 10_s / 50_ms - 1);
    EXPECT_LE(pair.sent[end] - before[end], 10_s * 4 / (50_ms * 3) + 1);
  }
  EXPECT_EQ(pair.ends[0].expirations() + pair.ends[1].expirations(), 0U);
}

TEST(BfdSession, ReturnsWhenPacketsDo) {
  BfdPair pair(kUsual, {.discriminator = 9});
  pair.ends[0].start(Time::zero());
  pair.ends[1].start(Time::zero());
  pair.run(Time::zero() + 2_s);
  pair.is_cut = true;
  pair.run(Time::zero() + 5_s);
  EXPECT_EQ(pair.ends[0].state(), BfdState::kDown);
  pair.is_cut = false;
  pair.run(Time::zero() + 5_s + BfdSession::kSlowInterval + 3 * pair.delay);
  EXPECT_TRUE(pair.ends[0].is_up());
  EXPECT_TRUE(pair.ends[1].is_up());
}

TEST(BfdSession, IgnoresPacketsForAnotherSession) {
  BfdSession session(kUsual, RandomStream(1, "a"));
  session.start(Time::zero());
  session.on_packet({.state = BfdState::kDown, .my_discriminator = 4, .your_discriminator = 8}, Time::zero());
  EXPECT_EQ(session.state(), BfdState::kDown);
  session.on_packet({.state = BfdState::kDown, .my_discriminator = 4}, Time::zero());
  EXPECT_EQ(session.state(), BfdState::kInit);
}

}  // namespace
}  // namespace weft::fabric
