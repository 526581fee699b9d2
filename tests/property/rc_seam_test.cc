// The exchangeable parts of a reliable connection as they show on the wire: congestion control with its receiver half,
// path selection, and the two extensions of loss recovery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tests/property/rc_traffic.h"
#include "tests/property/tapped_pair.h"
#include "transport/congestion/fixed_window.h"
#include "transport/congestion/ib_congestion_control.h"
#include "transport/congestion/notification_point.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using transport::LossRecovery;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1'024;

/// Counts what it is told, and paces at a constant rate.
class Recorder final : public transport::CongestionControl {
 public:
  explicit Recorder(Rate rate) : rate_(rate) {}
  void on_ack(const transport::AckSample& sample, Time) override {
    ++acks;
    marked += sample.marked ? 1 : 0;
    acknowledged += sample.acknowledged;
  }
  void on_congestion(Time) override { ++notifications; }
  void on_transmit(Bytes size, Time) override { transmitted += size; }
  [[nodiscard]] Bytes window(Time) override { return Bytes(1 << 30); }
  [[nodiscard]] Rate pacing_rate(Time) override { return rate_; }

  int acks = 0;
  int marked = 0;
  int notifications = 0;
  Bytes acknowledged = Bytes::zero();
  Bytes transmitted = Bytes::zero();

 private:
  Rate rate_;
};

TEST(RcWindow, NeverHasMoreThanItsBytesInFlight) {
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{kMtu}, std::int64_t{3 * kMtu + 500}}) {
    transport::FixedWindow window{Bytes(bytes)};
    RcPairOptions limited;
    limited.rc.congestion_control = &window;
    TappedPair pair(limited, {});
    const std::int32_t most = std::max<std::int32_t>(1, static_cast<std::int32_t>(bytes / kMtu));
    std::int32_t peak = 0;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      if (packet.end == 0) {
        const transport::RcRequester& requester = pair.qp(0).requester();
        peak = std::max(peak, requester.next_psn() - requester.oldest_unacknowledged());
      }
      return Fate{};
    });
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(pair.post(0, {.length = 11 * kMtu + 1}));
    }
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(peak, most);
    EXPECT_EQ(pair.side(0).poll_send().size(), 3U);
  }
}

TEST(RcPacing, SpacesDeparturesOfRequestsAndOfReadDataExactly) {
  const Rate rate = Rate::bits_per_second(10'000'000'000);
  for (const WrOpcode opcode : {WrOpcode::kRdmaWrite, WrOpcode::kRdmaRead}) {
    Recorder control(rate);
    RcPairOptions paced;
    paced.timeout = 8;
    paced.rc.congestion_control = &control;
    const bool reads = opcode == WrOpcode::kRdmaRead;
    TappedPair pair(reads ? RcPairOptions{.timeout = 8} : paced, reads ? paced : RcPairOptions{});
    ASSERT_TRUE(pair.post(0, {.opcode = opcode, .length = 20 * kMtu + 7}));
    ASSERT_TRUE(pair.network().run());
    const std::vector<Logged> data = reads ? pair.answers_of(1) : pair.requests_of(0);
    ASSERT_EQ(data.size(), 21U);
    Bytes total = Bytes(data[0].packet.common.wire_bytes);
    for (std::size_t i = 1; i < data.size(); ++i) {
      const Bytes before(data[i - 1].packet.common.wire_bytes);
      EXPECT_EQ(data[i].at - data[i - 1].at, rate.transmit_time(before)) << i;
      EXPECT_EQ(data[i].packet.common.ecn, wire::Ecn::kEct0);
      total += Bytes(data[i].packet.common.wire_bytes);
    }
    EXPECT_EQ(control.transmitted, total);
    EXPECT_EQ(pair.qp(0).counters().retransmitted_packets, 0U);
  }
}

/// A packet at a time and a millisecond apart, until the first acknowledgement.
class SlowStart final : public transport::CongestionControl {
 public:
  SlowStart() : CongestionControl(wire::TelemetryKind::kTimestamp) {}
  void on_ack(const transport::AckSample&, Time) override { acknowledged_ = true; }
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override { return Bytes(kMtu); }
  [[nodiscard]] Rate pacing_rate(Time) override { return Rate::zero(); }
  [[nodiscard]] Duration gap_after(Bytes, Time) override {
    return acknowledged_ ? Duration::zero() : Duration::milliseconds(1);
  }

 private:
  bool acknowledged_ = false;
};

// Swift below one packet: with an acknowledgement its window may be a packet again, and the gap before it void.
TEST(RcPacing, EndsWithTheAcknowledgementThatLiftsIt) {
  SlowStart control;
  RcPairOptions paced;
  paced.rc.congestion_control = &control;
  TappedPair pair(paced, {});
  ASSERT_TRUE(pair.post(0, {.length = 3 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> data = pair.requests_of(0);
  ASSERT_EQ(data.size(), 3U);
  EXPECT_LT(data[2].at - data[0].at, Duration::microseconds(100));
}

//= ibta-1.7 A17.9.3
TEST(RcNotification, CnpsKeepTheirIntervalAndEachIsReportedOnce) {
  const Duration interval = Duration::microseconds(2);
  Recorder control(Rate::zero());
  transport::NotificationPoint point(interval);
  RcPairOptions sender;
  sender.rc.congestion_control = &control;
  RcPairOptions receiver;
  receiver.rc.congestion_receiver = &point;
  TappedPair pair(sender, receiver);
  pair.set_judge([](const Logged& packet, std::size_t) { return packet.end == 0 ? Fate::marked() : Fate{}; });
  ASSERT_TRUE(pair.post(0, {.length = 200 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  std::vector<Logged> notifications;
  for (const Logged& answer : pair.answers_of(1)) {
    if (answer.packet.ib.opcode == wire::kOpcodeRoceCnp) {
      notifications.push_back(answer);
      EXPECT_TRUE(answer.packet.ib.has(wire::kBthBecn));
    }
  }
  ASSERT_GE(notifications.size(), 5U);
  for (std::size_t i = 1; i < notifications.size(); ++i) {
    EXPECT_GE(notifications[i].at - notifications[i - 1].at, interval);
  }
  const Duration marked_for = pair.requests_of(0).back().at - pair.requests_of(0).front().at;
  EXPECT_GE(static_cast<std::int64_t>(notifications.size()), marked_for / (2 * interval));
  EXPECT_EQ(control.notifications, static_cast<int>(notifications.size()));
  EXPECT_EQ(pair.qp(1).counters().cnp_sent, notifications.size());
  EXPECT_EQ(pair.qp(0).counters().cnp_handled, notifications.size());
}

TEST(RcNotification, UnmarkedPacketsCauseNone) {
  transport::NotificationPoint point(Duration::zero());
  RcPairOptions receiver;
  receiver.rc.congestion_receiver = &point;
  TappedPair pair({}, receiver);
  ASSERT_TRUE(pair.post(0, {.length = 50 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.qp(1).counters().cnp_sent, 0U);
}

TEST(RcNotification, MarkedReadDataIsReportedToTheResponder) {
  Recorder control(Rate::zero());
  transport::NotificationPoint point(Duration::microseconds(1));
  RcPairOptions reader;
  reader.rc.congestion_receiver = &point;
  RcPairOptions responder;
  responder.rc.congestion_control = &control;
  TappedPair pair(reader, responder);
  pair.set_judge([](const Logged& packet, std::size_t) { return packet.end == 1 ? Fate::marked() : Fate{}; });
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 100 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_GE(pair.qp(0).counters().cnp_sent, 2U);
  EXPECT_EQ(pair.qp(0).counters().cnp_sent, pair.qp(1).counters().cnp_handled);
  EXPECT_EQ(control.notifications, static_cast<int>(pair.qp(1).counters().cnp_handled));
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
}

TEST(RcNotification, EchoSetsBecnOnTheAcknowledgementOfAMarkedPacket) {
  Recorder control(Rate::zero());
  transport::FecnReply echo(transport::CongestionSignal::kEcho);
  RcPairOptions sender;
  sender.rc.congestion_control = &control;
  sender.rc.ack_request_interval = 1;
  RcPairOptions receiver;
  receiver.rc.congestion_receiver = &echo;
  TappedPair pair(sender, receiver);
  const auto is_marked = [](Psn psn) { return psn.value() % 3 == 0; };
  pair.set_judge([&](const Logged& packet, std::size_t) {
    return packet.end == 0 && is_marked(packet.psn()) ? Fate::marked() : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 30 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> answers = pair.answers_of(1);
  ASSERT_EQ(answers.size(), 30U);
  int marked = 0;
  for (const Logged& answer : answers) {
    EXPECT_EQ(answer.packet.ib.has(wire::kBthBecn), is_marked(answer.psn()));
    marked += is_marked(answer.psn()) ? 1 : 0;
  }
  EXPECT_EQ(control.acks, 30);
  EXPECT_EQ(control.marked, marked);
  EXPECT_EQ(control.acknowledged, Bytes(30 * kMtu));
}

// A marked packet on InfiniBand: FECN out, BECN back on its acknowledgement, and the source pauses after each packet.
//= ibta-1.7 A10
TEST(RcNotification, FecnComesBackAsBecnAndSlowsTheSource) {
  transport::IbCongestionParameters parameters =
      transport::ib_congestion_published(Rate::bits_per_second(100'000'000'000));
  parameters.ccti_timer = 1'000;
  transport::FecnReply reply(transport::CongestionSignal::kEcho);
  RcPairOptions sender{.encapsulation = wire::Encapsulation::kIbLocal, .timeout = 8};
  sender.rc.ack_request_interval = 1;
  RcPairOptions receiver{.encapsulation = wire::Encapsulation::kIbLocal, .timeout = 8};
  receiver.rc.congestion_receiver = &reply;
  for (const bool carries_bytes : {false, true}) {
    transport::IbCongestionControl control(parameters);
    sender.rc.congestion_control = &control;
    sender.network.carries_bytes = carries_bytes;
    TappedPair pair(sender, receiver);
    int marked = 0;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      const bool marks = packet.end == 0 && marked < 3 && packet.psn().value() % 8 == 0;
      marked += marks ? 1 : 0;
      return marks ? Fate::marked() : Fate{};
    });
    ASSERT_TRUE(pair.post(0, {.length = 200 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    int becn = 0;
    for (const Logged& answer : pair.answers_of(1)) {
      becn += answer.packet.ib.has(wire::kBthBecn) ? 1 : 0;
    }
    EXPECT_EQ(marked, 3);
    EXPECT_EQ(becn, marked);
    EXPECT_EQ(pair.qp(0).counters().cnp_handled, static_cast<std::uint32_t>(marked));
    EXPECT_EQ(pair.qp(1).counters().cnp_sent, 0U);
    const std::vector<Logged> data = pair.requests_of(0);
    const Logged& last_but_one = data[data.size() - 2];
    const Duration gap = data.back().at - last_but_one.at;
    const Bytes size(last_but_one.packet.common.wire_bytes);
    EXPECT_EQ(gap, parameters.link_rate.transmit_time(size) * (1 + marked));
  }
}

TEST(RcPath, RoundRobinGivesEveryPacketTheNextEntropy) {
  transport::RoundRobinPath path({.base = 0xC100, .paths = 7});
  // Away from the wrap, where the numbers of the paths would start anew.
  RcPairOptions sprayed{.first_psn = Psn(1)};
  sprayed.rc.path_selector = &path;
  TappedPair pair(sprayed, {.first_psn = Psn(1)});
  ASSERT_TRUE(pair.post(0, {.length = 30 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> requests = pair.requests_of(0);
  ASSERT_EQ(requests.size(), 30U);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].packet.common.entropy, 0xC100 + requests[i].psn().value() % 7);
    if (i > 0) {
      EXPECT_NE(requests[i].packet.common.entropy, requests[i - 1].packet.common.entropy);
    }
  }
}

/// A WRITE over two paths, one 2 us longer; the packets that were sent more than once.
std::uint32_t retransmissions_over_two_paths(const transport::RcOptions& rc,
                                             const transport::SelectiveRepeatOptions& selective = {}) {
  constexpr std::uint32_t kLength = 300 * kMtu;
  transport::RoundRobinPath path({.base = 0xC000, .paths = 2});
  RcPairOptions options{.rc = rc, .selective = selective, .timeout = 6};
  options.rc.path_selector = &path;
  TappedPair pair(options);
  fill(pair.side(0).memory(), 3);
  pair.set_judge([](const Logged& packet, std::size_t) {
    return packet.end == 0 && packet.packet.common.entropy == 0xC001 ? Fate::late(Duration::microseconds(2)) : Fate{};
  });
  EXPECT_TRUE(pair.post(0, {.length = kLength}));
  EXPECT_TRUE(pair.network().run());
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data(), kLength), 0);
  EXPECT_EQ(pair.requests_of(0).size(), 300 + pair.qp(0).counters().retransmitted_packets);
  return pair.qp(0).counters().retransmitted_packets;
}

TEST(RcPlacement, TwoPathsOfDifferentLengthCauseNoRetransmission) {
  const transport::RcOptions placed{.loss_recovery = LossRecovery::kSelectiveRepeat, .out_of_order_placement = true};
  // Placed packets take no room.
  EXPECT_EQ(retransmissions_over_two_paths(placed, {.reorder_threshold = 100, .reorder_capacity = 1}), 0U);
  EXPECT_EQ(retransmissions_over_two_paths(placed, {.loss_detection = transport::LossDetection::kByTime}), 0U);
  EXPECT_GT(retransmissions_over_two_paths({}), 0U);
}

RcPairOptions selective(std::uint8_t threshold) {
  RcPairOptions options;
  options.timeout = 6;
  options.rc.loss_recovery = LossRecovery::kSelectiveRepeat;
  options.selective.reorder_threshold = threshold;
  return options;
}

TEST(RcSelectiveRepeat, SendsOnlyTheMissingPacketsAgain) {
  const std::set<std::size_t> lost = {0, 7, 8, 20, 33};
  for (const bool placed : {false, true}) {
    RcPairOptions options = selective(3);
    options.rc.out_of_order_placement = placed;
    TappedPair pair(options);
    std::set<std::size_t> due = lost;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      const auto index = static_cast<std::size_t>(packet.psn() - options.first_psn);
      return packet.end == 0 && due.erase(index) == 1 ? Fate::lost() : Fate{};
    });
    fill(pair.side(0).memory(), 6);
    ASSERT_TRUE(pair.post(0, {.length = 60 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    std::map<std::uint32_t, int> copies;
    for (const Logged& request : pair.requests_of(0)) {
      ++copies[request.psn().value()];
    }
    EXPECT_EQ(copies.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i) {
      const Psn psn = options.first_psn + static_cast<std::int64_t>(i);
      EXPECT_EQ(copies[psn.value()], lost.contains(i) ? 2 : 1) << i;
    }
    EXPECT_EQ(pair.qp(0).counters().retransmitted_packets, lost.size());
    EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, 0U);
    EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data(), 60 * kMtu), 0);
  }
}

TEST(RcSelectiveRepeat, HoldsNoMoreThanItsCapacity) {
  constexpr std::uint8_t kCapacities[] = {1, 5, 64};
  for (const std::uint8_t capacity : kCapacities) {
    RcPairOptions options = selective(127);
    options.selective.reorder_capacity = capacity;
    TappedPair pair(options);
    std::size_t most = 0;
    pair.set_judge([&](const Logged&, std::size_t i) {
      most = std::max(most, pair.qp(1).responder().held_packets());
      return i == 0 ? Fate::lost() : Fate{};
    });
    fill(pair.side(0).memory(), 6);
    ASSERT_TRUE(pair.post(0, {.length = 100 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(most, capacity);
    EXPECT_EQ(pair.qp(1).responder().held_packets(), 0U);
    EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
    EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data(), 100 * kMtu), 0);
  }
}

// The copies of 0 to 4 come in the reverse order. What came too far ahead must not have taken the room for them.
TEST(RcSelectiveRepeat, ABufferThatWasExceededTakesTheCopiesThatFillTheGap) {
  RcPairOptions options = selective(3);
  options.selective.loss_detection = transport::LossDetection::kByTime;
  options.selective.round_trip = Duration::microseconds(10);
  options.selective.reorder_capacity = 8;
  options.timeout = 8;  // 1 ms: losses by time are found sooner
  TappedPair pair(options);
  std::map<std::int64_t, int> sent;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    const std::int64_t place = packet.psn() - options.first_psn;
    if (packet.end != 0 || place > 4) {
      return Fate{};
    }
    ++sent[place];
    return sent[place] == 1 ? Fate::lost() : Fate::late(Duration::microseconds(2) * (5 - place));
  });
  fill(pair.side(0).memory(), 6);
  ASSERT_TRUE(pair.post(0, {.length = 60 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  for (const auto& [place, copies] : sent) {
    EXPECT_EQ(copies, 2) << place;
  }
  EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, 0U);
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data(), 60 * kMtu), 0);
}

TEST(RcSelectiveRepeat, BitmapNamesExactlyWhatHasArrived) {
  const std::set<std::size_t> lost = {2, 3, 9, 30};
  TappedPair pair(selective(3));
  std::size_t index = 0;
  int bitmaps = 0;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    if (packet.end == 0) {
      return lost.contains(index++) ? Fate::lost() : Fate{};
    }
    std::set<std::uint32_t> arrived;
    for (const Logged& arrival : pair.arrivals()) {
      if (arrival.end == 1) {
        arrived.insert(arrival.psn().value());
      }
    }
    const Psn expected = packet.psn() + 1;
    EXPECT_FALSE(arrived.contains(expected.value()));
    const bool selective_form = packet.packet.ib.opcode == wire::kOpcodeSack;
    bitmaps += selective_form ? 1 : 0;
    for (int i = 0; i < wire::SackBitmap::kBits; ++i) {
      EXPECT_EQ(selective_form && packet.cold.sack.test(i), arrived.contains((expected + i).value())) << i;
    }
    return Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 50 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_GT(bitmaps, 20);
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
}

/// Every packet of a run of random traffic over a faulty network, and when it left.
std::vector<std::pair<Time, wire::Packet>> trace_of(std::uint64_t seed, LossRecovery recovery) {
  RcPairOptions options;
  options.network.seed = seed;
  options.memory_bytes = RcTraffic::kMemoryBytes;
  options.timeout = 4;
  options.rc.loss_recovery = recovery;
  Faults& faults = options.network.faults;
  faults.loss = faults.duplication = faults.reordering = Probability::from_ratio({.numerator = 1, .denominator = 30});
  RcPair pair(options);
  std::vector<std::pair<Time, wire::Packet>> trace;
  pair.network().set_filter([&](int, const wire::Packet& packet) {
    trace.emplace_back(pair.network().now(), packet);
    return false;
  });
  RcTraffic traffic(pair, {.seed = seed, .messages = RcTraffic::kSlots});
  EXPECT_TRUE(traffic.run());
  return trace;
}

bool same(const std::vector<std::pair<Time, wire::Packet>>& a, const std::vector<std::pair<Time, wire::Packet>>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && std::memcmp(&x.second, &y.second, sizeof(wire::Packet)) == 0;
  });
}

TEST(RcDeterminism, OneSeedAlwaysGivesTheSameDepartures) {
  for (const LossRecovery recovery : {LossRecovery::kGoBackN, LossRecovery::kSelectiveRepeat}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto trace = trace_of(seed, recovery);
      EXPECT_TRUE(same(trace, trace_of(seed, recovery))) << seed;
      EXPECT_FALSE(same(trace, trace_of(seed + 100, recovery))) << seed;
    }
  }
}

}  // namespace
}  // namespace weft::testing
