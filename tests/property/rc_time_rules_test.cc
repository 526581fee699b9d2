// The clocks of a reliable connection, to the picosecond: RNR timer, ACK timeout, and how often each is tried again.
#include <gtest/gtest.h>

#include "tests/property/tapped_pair.h"
#include "transport/rc_timing.h"
#include "wire/aeth_syndrome.h"

namespace weft::testing {
namespace {

using verbs::WcStatus;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1'024;

Result<void> set_rnr_timer(TappedPair& pair, std::uint8_t code) {
  verbs::QpAttributes attributes;
  attributes.min_rnr_timer = code;
  return pair.qp(1).modify(attributes, verbs::kQpMinRnrTimer, pair.side(1).context, pair.network().now());
}

//= ibta-1.7 9.7.5.2.8
TEST(RcReceiverNotReady, RequesterWaitsExactlyTheTimerOfTheNak) {
  for (std::uint8_t code = 0; code < 32; ++code) {
    TappedPair pair({.rnr_retry = 1});
    ASSERT_TRUE(set_rnr_timer(pair, code));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 3 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    const std::vector<Logged> answers = pair.answers_of(1);
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0].packet.ib.aeth.syndrome, wire::rnr_syndrome(code));
    EXPECT_EQ(answers[0].psn(), RcPairOptions{}.first_psn);
    const std::vector<Logged> requests = pair.requests_of(0);
    ASSERT_EQ(requests.size(), 6U);
    EXPECT_EQ(requests[3].at, pair.arrival_of(answers[0]) + wire::rnr_timer(code)) << int{code};
    EXPECT_EQ(psns({requests.begin() + 3, requests.end()}), psns({requests.begin(), requests.begin() + 3}));
  }
}

TEST(RcReceiverNotReady, IsTriedAgainAsOftenAsTheAttributeSays) {
  for (std::uint8_t retries = 0; retries < 7; ++retries) {
    TappedPair pair({.rnr_retry = retries});
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 10}));
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(pair.requests_of(0).size(), retries + 1U);
    const auto completions = pair.side(0).poll_send();
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].status, WcStatus::kRnrRetryExcErr);
    EXPECT_EQ(pair.qp(0).state(), verbs::QpState::kErr);
  }
}

TEST(RcReceiverNotReady, IsTriedForEverWithSeven) {
  TappedPair pair({.rnr_retry = 7});
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 10}));
  pair.network().run_until(Time::zero() + 200 * wire::rnr_timer(1));
  EXPECT_GT(pair.requests_of(0).size(), 100U);
  ASSERT_TRUE(pair.side(1).post_recv(1, 0, 10));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  EXPECT_EQ(pair.side(1).poll_recv().size(), 1U);
}

TEST(RcReceiverNotReady, ProgressMakesAllRetriesAvailableAgain) {
  TappedPair pair({.rnr_retry = 2});
  for (std::uint64_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .wr_id = i, .length = 10}));
  }
  // Each message is refused twice before its receive request comes.
  for (std::uint32_t refused = 2; refused <= 8; refused += 2) {
    while (pair.qp(0).counters().rnr_nak_retry_err < refused) {
      pair.network().run_until(pair.network().now() + Duration::microseconds(1));
    }
    ASSERT_TRUE(pair.side(1).post_recv(refused, 0, 10));
  }
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.side(0).poll_send().size(), 4U);
  EXPECT_EQ(pair.qp(0).state(), verbs::QpState::kRts);
}

//= ibta-1.7 9.7.6.1.3
TEST(RcTimeout, FollowsTheFirstPacketByExactlyTheTimerOfTheAttribute) {
  for (std::uint8_t code = 1; code < 32; ++code) {
    TappedPair pair({.timeout = code, .retry_count = 1});
    pair.set_judge([](const Logged&, std::size_t) { return Fate::lost(); });
    ASSERT_TRUE(pair.post(0, {.length = 10}));
    ASSERT_TRUE(pair.network().run());
    const std::vector<Logged> requests = pair.requests_of(0);
    const Duration timeout = Duration::nanoseconds(4'096) * (std::int64_t{1} << code);
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[1].at, requests[0].at + timeout);
    EXPECT_EQ(pair.network().now(), requests[1].at + timeout);
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kRetryExcErr);
  }
}

TEST(RcTimeout, CountsFromTheLastProgress) {
  constexpr std::uint32_t kPackets = 40;
  TappedPair pair({.rc = {.ack_request_interval = 8}, .timeout = 2});
  // Of the answers only the first three arrive at first.
  int answers = 0;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    answers += packet.end == 1 ? 1 : 0;
    return packet.end == 1 && answers > 3 && answers <= 5 ? Fate::lost() : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = kPackets * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> requests = pair.requests_of(0);
  const Logged third = pair.answers_of(1).at(2);
  ASSERT_GT(requests.size(), kPackets);
  EXPECT_EQ(requests[kPackets].at, pair.arrival_of(third) + transport::ack_timeout(2));
  EXPECT_EQ(requests[kPackets].psn(), third.psn() + 1);
  EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, 1U);
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
}

TEST(RcTimeout, SendsOnceMoreThanTheRetryCountAndThenFails) {
  for (std::uint8_t retries = 0; retries <= 7; ++retries) {
    TappedPair pair({.timeout = 2, .retry_count = retries});
    pair.set_judge([](const Logged&, std::size_t) { return Fate::lost(); });
    ASSERT_TRUE(pair.post(0, {.length = 2 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(pair.requests_of(0).size(), 2U * (retries + 1U));
    EXPECT_EQ(pair.network().now(), Time::zero() + (retries + 1) * transport::ack_timeout(2));
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kRetryExcErr);
  }
}

TEST(RcTimeout, OfCodeZeroNeverComes) {
  TappedPair pair({.timeout = 0});
  pair.set_judge([](const Logged&, std::size_t) { return Fate::lost(); });
  ASSERT_TRUE(pair.post(0, {.length = 10}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_TRUE(pair.qp(0).next_timeout().is_never());
  pair.network().run_until(Time::zero() + Duration::seconds(100'000));
  EXPECT_EQ(pair.requests_of(0).size(), 1U);
  EXPECT_TRUE(pair.side(0).poll_send().empty());
  EXPECT_EQ(pair.qp(0).state(), verbs::QpState::kRts);
}

TEST(RcTimeout, NaksAndTimeoutsShareOneCountOfRetries) {
  TappedPair pair({.timeout = 2, .retry_count = 3});
  // The first packet never arrives: each attempt is answered by one NAK at most, then by silence.
  pair.set_judge([](const Logged& packet, std::size_t) {
    return packet.end == 0 && packet.psn() == RcPairOptions{}.first_psn ? Fate::lost() : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 2 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const transport::RcCounters counters = pair.qp(0).counters();
  EXPECT_EQ(counters.packet_seq_err, 1U);
  EXPECT_EQ(counters.packet_seq_err + counters.local_ack_timeout_err, 4U);
  EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kRetryExcErr);
}

}  // namespace
}  // namespace weft::testing
