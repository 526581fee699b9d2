#include "fabric/control/session_stream.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace weft::fabric {
namespace {

std::vector<std::byte> numbered(std::size_t count, std::size_t from = 0) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>((from + i) * 7 & 0xFF));
  }
  return bytes;
}

/// Two streams and a cable that loses what `loses` says.
struct StreamPair {
  void run(Time until, RandomStream* losses = nullptr) {
    for (;;) {
      for (int end = 0; end < 2; ++end) {
        while (auto segment = ends[end].poll(now)) {
          if (losses == nullptr || losses->uniform(4) != 0) {
            wire.emplace(now + 1_us, std::pair(1 - end, std::move(*segment)));
          }
        }
      }
      Time next = earlier(ends[0].next_timeout(), ends[1].next_timeout());
      if (!wire.empty()) {
        next = earlier(next, wire.begin()->first);
      }
      if (next > until) {
        now = until;
        return;
      }
      now = next;
      while (!wire.empty() && wire.begin()->first <= now) {
        const auto [to, segment] = std::move(wire.begin()->second);
        wire.erase(wire.begin());
        alive = ends[to].on_segment(segment, now) && alive;
      }
      ends[0].on_timeout(now);
      ends[1].on_timeout(now);
    }
  }

  SessionStream ends[2];
  Time now = Time::zero();
  std::multimap<Time, std::pair<int, Segment>> wire;
  bool alive = true;
};

TEST(SessionStream, OpensInOneRoundTripAndCarriesBytesBothWays) {
  StreamPair pair;
  pair.ends[1].listen(0xFFFFFF00);  // numbers wrap on the way
  pair.ends[0].open(0xFFFFFFF0, pair.now);
  pair.run(Time::zero() + 3_us);
  ASSERT_TRUE(pair.ends[0].is_open());
  ASSERT_TRUE(pair.ends[1].is_open());
  pair.ends[0].write(numbered(5000));
  pair.ends[1].write(numbered(400, 9));
  pair.run(Time::zero() + 20_us);
  EXPECT_EQ(pair.ends[1].received(), numbered(5000));
  EXPECT_EQ(pair.ends[0].received(), numbered(400, 9));
  EXPECT_TRUE(pair.ends[0].is_drained());
  EXPECT_TRUE(pair.ends[0].next_timeout().is_never());
}

TEST(SessionStream, DeliversEverythingOnceWhateverIsLost) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    StreamPair pair;
    RandomStream losses(seed, "losses");
    pair.ends[1].listen(static_cast<std::uint32_t>(losses.next()));
    pair.ends[0].open(static_cast<std::uint32_t>(losses.next()), pair.now);
    pair.run(Time::zero() + 500_s, &losses);
    ASSERT_TRUE(pair.ends[0].is_open()) << seed;
    pair.ends[0].write(numbered(20'000));
    pair.run(Time::zero() + 5'000_s, &losses);
    ASSERT_TRUE(pair.alive) << seed;
    ASSERT_TRUE(pair.ends[1].is_open()) << seed;
    EXPECT_EQ(pair.ends[1].received(), numbered(20'000)) << seed;
  }
}

TEST(SessionStream, RepeatsAfterATimeoutThatDoubles) {
  StreamPair pair;
  pair.ends[0].open(0, pair.now);  // nobody answers
  EXPECT_EQ(pair.ends[0].next_timeout(), Time::zero() + 200_ms);
  pair.run(Time::zero() + 200_ms);
  EXPECT_EQ(pair.ends[0].next_timeout(), Time::zero() + 600_ms);
  pair.run(Time::zero() + 600_ms);
  EXPECT_EQ(pair.ends[0].next_timeout(), Time::zero() + 1'400_ms);
  EXPECT_EQ(pair.ends[0].retransmissions(), 2U);
}

TEST(SessionStream, AResetEndsTheOtherSide) {
  StreamPair pair;
  pair.ends[1].listen(5);
  pair.ends[0].open(0, pair.now);
  pair.run(Time::zero() + 3_us);
  pair.ends[0].close(SessionStream::Tells::kReset);
  pair.run(Time::zero() + 6_us);
  EXPECT_FALSE(pair.alive);
  EXPECT_EQ(pair.ends[1].state(), SessionStream::State::kClosed);
}

}  // namespace
}  // namespace weft::fabric
