// What a path selector that learns is told by a reliable connection: each packet's fate, by the entropy that it had.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/property/tapped_pair.h"
#include "transport/congestion/marked_paths.h"
#include "transport/congestion/notification_point.h"

namespace weft::testing {
namespace {

using transport::PathLoss;
using transport::PathMark;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1'024;

/// A new entropy for every packet, and a record of what became of each.
class Diary final : public transport::PathSelector {
 public:
  Diary() : PathSelector(Feedback::kWanted) {}
  [[nodiscard]] std::uint16_t entropy_for(Psn, Time) override { return next++; }
  void on_ack(std::uint16_t entropy, PathMark mark, Time) override {
    (mark == PathMark::kMarked ? marked : good).insert(entropy);
  }
  void on_loss(std::uint16_t entropy, PathLoss sign, Time) override {
    (sign == PathLoss::kTimeout ? timed_out : lost).insert(entropy);
  }
  [[nodiscard]] std::uint32_t paths() const override { return 1U << 14; }

  std::uint16_t next = 0xC000;
  std::multiset<std::uint16_t> good;
  std::multiset<std::uint16_t> marked;
  std::multiset<std::uint16_t> lost;
  std::multiset<std::uint16_t> timed_out;
};

RcPairOptions any_order() {
  RcPairOptions options;
  options.timeout = 8;
  options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
  options.rc.out_of_order_placement = true;
  options.rc.ack_request_interval = 8;
  options.selective.loss_detection = transport::LossDetection::kByTime;
  options.selective.round_trip = Duration::microseconds(10);
  return options;
}

std::multiset<std::uint16_t> entropies(const std::vector<Logged>& packets) {
  std::multiset<std::uint16_t> all;
  for (const Logged& packet : packets) {
    all.insert(packet.packet.common.entropy);
  }
  return all;
}

TEST(RcPaths, EveryPacketThatArrivesIsToldOnce) {
  Diary diary;
  RcPairOptions sender = any_order();
  sender.rc.path_selector = &diary;
  TappedPair pair(sender, any_order());
  for (const std::uint32_t packets : {1U, 7U, 300U}) {
    ASSERT_TRUE(pair.post(0, {.length = packets * kMtu}));
  }
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(diary.good, entropies(pair.requests_of(0)));
  EXPECT_EQ(diary.good.size(), 308U);
  EXPECT_TRUE(diary.marked.empty() && diary.lost.empty() && diary.timed_out.empty());
}

TEST(RcPaths, APacketThatOthersOvertookIsToldOnceToo) {
  Diary diary;
  RcPairOptions sender = any_order();
  sender.rc.path_selector = &diary;
  TappedPair pair(sender, any_order());
  pair.set_judge([](const Logged& packet, std::size_t) {
    return packet.end == 0 && packet.psn().value() % 5 == 0 ? Fate::late(Duration::microseconds(3)) : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 200 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(diary.good, entropies(pair.requests_of(0)));
  EXPECT_TRUE(diary.lost.empty());
}

TEST(RcPaths, MarksAreToldOfTheVeryPacketsThatCarriedThem) {
  for (const bool with_cnps : {false, true}) {
    Diary diary;
    transport::MarkedPaths marks;
    transport::NotificationPoint cnps(Duration::microseconds(50));
    cnps.name_marked_paths();
    RcPairOptions sender = any_order();
    sender.rc.path_selector = &diary;
    RcPairOptions receiver = any_order();
    receiver.rc.congestion_receiver = with_cnps ? static_cast<transport::CongestionReceiver*>(&cnps) : &marks;
    TappedPair pair(sender, receiver);
    std::multiset<std::uint16_t> marked;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      if (packet.end != 0 || packet.psn().value() % 7 != 3)
        return Fate{};
      marked.insert(packet.packet.common.entropy);
      return Fate::marked();
    });
    ASSERT_TRUE(pair.post(0, {.length = 200 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(diary.marked, marked);
    EXPECT_EQ(diary.good.size() + diary.marked.size(), 200U);
    // The source port of such an acknowledgement is that of the packet; all others keep to the connection's own.
    std::multiset<std::uint16_t> named;
    std::set<std::uint16_t> others;
    for (const Logged& answer : pair.answers_of(1)) {
      const bool names = answer.packet.ib.opcode == wire::kOpcodeSack && answer.cold.sack.marked;
      if (names)
        named.insert(answer.packet.common.entropy);
      else
        others.insert(answer.packet.common.entropy);
    }
    EXPECT_EQ(named, marked);
    EXPECT_EQ(others.size(), 1U);
  }
}

TEST(RcPaths, WithoutTheReceiversHelpMarksAreNotHeardOf) {
  Diary diary;
  RcPairOptions sender = any_order();
  sender.rc.path_selector = &diary;
  TappedPair pair(sender, any_order());
  pair.set_judge([](const Logged& packet, std::size_t) { return packet.end == 0 ? Fate::marked() : Fate{}; });
  ASSERT_TRUE(pair.post(0, {.length = 50 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(diary.good.size(), 50U);
}

TEST(RcPaths, ALostPacketIsToldWithTheEntropyThatItHad) {
  Diary diary;
  RcPairOptions sender = any_order();
  sender.rc.path_selector = &diary;
  TappedPair pair(sender, any_order());
  std::multiset<std::uint16_t> lost;
  pair.set_judge([&](const Logged& packet, std::size_t index) {
    if (packet.end != 0 || index == 0 || index > 100 || packet.psn().value() % 9 != 0)
      return Fate{};
    lost.insert(packet.packet.common.entropy);
    return Fate::lost();
  });
  ASSERT_TRUE(pair.post(0, {.length = 200 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  ASSERT_GE(lost.size(), 5U);
  EXPECT_EQ(diary.lost, lost);
  EXPECT_TRUE(diary.timed_out.empty());
  EXPECT_EQ(diary.good.size(), 200U);
  EXPECT_TRUE(std::ranges::none_of(lost, [&](std::uint16_t entropy) { return diary.good.contains(entropy); }));
}

// Nothing later tells of the tail. One probe is answered, and then all of it is known to be lost: not one probe for
// each.
TEST(RcPaths, ALongTailThatIsLostIsFoundByOneProbe) {
  TappedPair pair(any_order(), any_order());
  std::set<std::int32_t> lost;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    const std::int32_t place = packet.psn() - RcPairOptions{}.first_psn;
    return packet.end == 0 && place >= 32 && lost.insert(place).second ? Fate::lost() : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 60 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> sent = pair.requests_of(0);
  EXPECT_EQ(lost.size(), 28U);
  ASSERT_EQ(sent.size(), 60U + 28U);
  EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, 0U);
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  // Silence, the probe, one round trip of patience, and the rest in one go; 28 probes would take 28 times as long.
  const Duration probe = sent[60].at - sent[59].at;
  EXPECT_LT(sent.back().at - sent[59].at, 3 * probe);
}

TEST(RcPaths, ATimeoutIsToldOfTheOldestPacket) {
  Diary diary;
  RcPairOptions sender = any_order();
  sender.timeout = 4;  // 65.5 us
  sender.rc.path_selector = &diary;
  TappedPair pair(sender, any_order());
  // Nothing at all arrives for a while: no later packet can tell.
  pair.set_judge([&](const Logged& packet, std::size_t) {
    return packet.at < Time::zero() + Duration::microseconds(150) ? Fate::lost() : Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 20 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_FALSE(diary.timed_out.empty());
  EXPECT_EQ(diary.good.size(), 20U);
}

TEST(RcPaths, ReadDataKeepToOnePath) {
  Diary diary;
  transport::MarkedPaths marks;
  RcPairOptions reader = any_order();
  reader.rc.congestion_receiver = &marks;
  RcPairOptions responder = any_order();
  responder.rc.path_selector = &diary;
  TappedPair pair(reader, responder);
  pair.set_judge([](const Logged& packet, std::size_t) { return packet.end == 1 ? Fate::marked() : Fate{}; });
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 100 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(entropies(pair.answers_of(1)).count(0xC000), 100U);
  EXPECT_TRUE(diary.good.empty() && diary.marked.empty());
  EXPECT_TRUE(std::ranges::none_of(pair.departures(), [](const Logged& packet) {
    return packet.end == 0 && packet.packet.ib.opcode == wire::kOpcodeSack;
  }));
}

}  // namespace
}  // namespace weft::testing
