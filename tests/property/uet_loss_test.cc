// Losses that no switch tells of: found by what has overtaken them or by a probe, and not by a timeout.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/property/uet_pair.h"
#include "transport/congestion/fixed_window.h"

namespace weft::testing {
namespace {

using namespace literals;

constexpr std::uint32_t kPackets = 600;
constexpr std::uint32_t kPayload = 1'024;

UetPairOptions loss_options() {
  UetPairOptions options;
  options.uet.timeout = 1_ms;
  options.uet.loss_by_count = true;
  options.uet.loss_window = Bytes(20 * 1'100);
  return options;
}

/// Loses packets of side 0 by their place in the message: so many of their departures, the first ones.
class Losses {
 public:
  Losses(UetPair& pair, std::map<std::uint32_t, int> lost) : lost_(std::move(lost)) {
    pair.set_filter([this](int from, wire::Packet& packet) {
      if (from != 0 || !is_request(packet.uet.type))
        return false;
      if (!begun_)
        start_ = packet.uet.psn;
      begun_ = true;
      const auto found = lost_.find(packet.uet.psn - start_);
      return found != lost_.end() && found->second-- > 0;
    });
  }

 private:
  std::map<std::uint32_t, int> lost_;
  std::uint32_t start_ = 0;
  bool begun_ = false;
};

/// One WRITE from side 0; how long it takes.
Duration write_all(UetPair& pair, std::uint32_t packets = kPackets) {
  const std::uint32_t bytes = packets * kPayload;
  for (std::uint32_t i = 0; i < bytes; ++i)
    pair.memory(0)[i] = static_cast<std::byte>(i * 7 + i / 1'000);
  const verbs::Sge element = pair.sge(0, 0, bytes);
  verbs::SendWr write{.wr_id = 1, .sg_list = {&element, 1}, .opcode = verbs::WrOpcode::kRdmaWrite};
  write.send_flags = verbs::kSendSignaled;
  write.rdma = {TrafficEnds::kBase, pair.key(1)};
  EXPECT_TRUE(pair.post_send(0, write).has_value());
  std::size_t done = 0;
  while (done == 0 && pair.now() < Time::zero() + 100_ms) {
    pair.run_until(pair.now() + 1_us);
    done = pair.poll_send(0).size();
  }
  EXPECT_EQ(done, 1U);
  const Duration took = pair.now() - Time::zero();
  EXPECT_TRUE(pair.run());
  EXPECT_EQ(std::memcmp(pair.memory(0).data(), pair.memory(1).data(), bytes), 0);
  return took;
}

// Wherever the second one is: overtaken before the first is found or after, sent before its recovery or in it.
//= uet-1.0 3.6
TEST(UetLoss, ASecondLossWithinARecoveryWaitsForNoTimeout) {
  for (std::uint32_t second = 101; second < 240; ++second) {
    SCOPED_TRACE(second);
    UetPair pair(loss_options());
    const Losses losses(pair, {{100, 1}, {second, 1}});
    const Duration took = write_all(pair);
    EXPECT_EQ(pair.counters(0).timeouts, 0U);
    EXPECT_GE(pair.counters(0).retransmissions, 2U);
    EXPECT_LE(pair.counters(0).retransmissions, 2U + 44);  // what had left and not arrived, each time
    EXPECT_LT(took, 100_us);
  }
}

//= uet-1.0 3.6
TEST(UetLoss, APacketThatIsLostAgainIsFoundByWhatDepartedLater) {
  for (int times = 2; times < 6; ++times) {
    SCOPED_TRACE(times);
    UetPair pair(loss_options());
    const Losses losses(pair, {{100, times}});
    EXPECT_LT(write_all(pair), 100_us);
    EXPECT_EQ(pair.counters(0).timeouts, 0U);
    EXPECT_GE(pair.counters(0).retransmissions, static_cast<std::uint64_t>(times));
  }
}

// Only every so many windows is there nothing but a timeout: nothing departs any more that could overtake.
//= uet-1.0 3.6
TEST(UetLoss, TheLastPacketsAreFoundByAProbe) {
  for (const int times : {1, 2}) {
    UetPairOptions options = loss_options();
    options.uet.probe_after = 8_us;
    UetPair pair(options);
    const Losses losses(pair, {{kPackets - 3, times}, {kPackets - 1, times}});
    EXPECT_LT(write_all(pair), 120_us);
    EXPECT_EQ(pair.counters(0).timeouts, 0U);
    EXPECT_EQ(pair.counters(0).retransmissions, 2U * static_cast<unsigned>(times));
    EXPECT_GE(pair.counters(0).probes, static_cast<std::uint64_t>(times));
  }
}

// Probes leave at intervals far below the round trip: their answers say nothing of what left after them.
//= uet-1.0 3.6
TEST(UetLoss, AProbeLosesNothingThatIsStillOnItsWay) {
  UetPairOptions options = loss_options();
  options.uet.probe_after = 500_ns;
  options.delay = 10_us;
  UetPair pair(options);
  (void)write_all(pair);
  EXPECT_GT(pair.counters(0).probes, 0U);
  EXPECT_EQ(pair.counters(0).retransmissions, 0U);
}

// A packet that never comes through ends its context, whether timeouts miss it or probes.
TEST(UetLoss, APacketThatIsAlwaysLostFailsItsContextThoughProbesAreAnswered) {
  UetPairOptions options = loss_options();
  options.uet.probe_after = 8_us;
  options.uet.max_retries = 6;
  UetPair pair(options);
  const Losses losses(pair, {{kPackets - 1, 1'000}});
  const verbs::Sge element = pair.sge(0, 0, kPackets * kPayload);
  verbs::SendWr write{.wr_id = 1, .sg_list = {&element, 1}, .opcode = verbs::WrOpcode::kRdmaWrite};
  write.send_flags = verbs::kSendSignaled;
  write.rdma = {TrafficEnds::kBase, pair.key(1)};
  ASSERT_TRUE(pair.post_send(0, write).has_value());
  ASSERT_TRUE(pair.run());
  const auto done = pair.poll_send(0);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_NE(done.front().status, verbs::WcStatus::kSuccess);
  EXPECT_LE(pair.counters(0).retransmissions, 6U);
}

// One packet in a hundred is lost; 128 may be under way.
//= uet-1.0 3.6
TEST(UetLoss, FewLossesWaitForATimeoutWhereOnePacketInAHundredIsLost) {
  std::uint64_t sent_again = 0;
  std::uint64_t timeouts = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    UetPairOptions options = loss_options();
    options.seed = seed;
    options.uet.probe_after = 8_us;
    options.faults.loss = Probability::from_ratio({.numerator = 1, .denominator = 100});
    options.policies.congestion_control = [] { return std::make_unique<transport::FixedWindow>(Bytes(128 * 1'100)); };
    UetPair pair(options);
    EXPECT_LT(write_all(pair), 1_ms);
    sent_again += pair.counters(0).retransmissions;
    timeouts += pair.counters(0).timeouts;
  }
  EXPECT_GT(sent_again, 100U);
  EXPECT_LE(timeouts, 2U);
}

/// A window that never changes, and the round trips that it is told of.
class RoundTrips final : public transport::CongestionControl {
 public:
  RoundTrips(Bytes window, std::vector<Duration>& known) : window_(window), known_(known) {}
  void on_ack(const transport::AckSample& sample, Time) override {
    if (sample.rtt >= Duration::zero())
      known_.push_back(sample.rtt);
  }
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override { return window_; }
  [[nodiscard]] Rate pacing_rate(Time) override { return Rate::zero(); }

 private:
  Bytes window_;
  std::vector<Duration>& known_;
};

// As in the simulator of the protocol's authors; a part of a packet that is still free is not used.
//= uet-1.0 3.6
TEST(UetLoss, APacketLeavesOnlyIfTheWindowHoldsAllOfIt) {
  constexpr std::uint32_t kHeld = 10;
  std::uint32_t frame = 0;
  for (const std::uint32_t more : {0U, 1U, 600U}) {
    UetPairOptions options = loss_options();
    if (frame != 0)
      options.policies.congestion_control = [bytes = kHeld * frame + more] {
        return std::make_unique<transport::FixedWindow>(Bytes(bytes));
      };
    UetPair pair(options);
    std::uint32_t sent = 0;
    bool answered = false;
    pair.set_filter([&](int from, wire::Packet& packet) {
      answered = answered || from == 1;
      if (from == 0 && is_request(packet.uet.type) && !answered) {
        ++sent;
        frame = std::max<std::uint32_t>(frame, packet.common.frame_bytes);
      }
      return false;
    });
    (void)write_all(pair, 100);
    if (options.policies.congestion_control) {
      EXPECT_EQ(sent, kHeld) << more;
    }
  }
}

// An acknowledgement says that it answers a copy. Of the second copy it is known when that left, of a third one not
// which it was.
//= uet-1.0 3.6
TEST(UetLoss, TheRoundTripOfASecondCopyIsKnown) {
  for (const int times : {0, 1, 2}) {
    SCOPED_TRACE(times);
    std::vector<Duration> known;
    UetPairOptions options = loss_options();
    options.delay = 10_us;
    options.uet.ack_every = Bytes(1);
    options.policies.congestion_control = [&known] { return std::make_unique<RoundTrips>(Bytes(1'200), known); };
    UetPair pair(options);
    const Losses losses(pair, {{5, times}});  // one packet at a time: each has an acknowledgement of its own
    (void)write_all(pair, 10);
    EXPECT_EQ(pair.counters(0).timeouts, static_cast<std::uint64_t>(times));
    EXPECT_EQ(known.size(), times == 2 ? 9U : 10U);
    for (const Duration& round_trip : known)
      EXPECT_LT(round_trip, 25_us);  // and not from the first copy, which left a millisecond before
  }
}

}  // namespace
}  // namespace weft::testing
