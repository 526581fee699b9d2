#include "flow/transfers.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/random.h"
#include "base/rate.h"

namespace weft::flow {
namespace {

constexpr double kGigabit = 1e9;

std::vector<LinkUse> over(std::initializer_list<std::uint32_t> links) {
  std::vector<LinkUse> made;
  for (const std::uint32_t link : links) {
    made.push_back({.link = link});
  }
  return made;
}

/// Runs until nothing is carried; the instants at which owners finished.
std::map<std::uint32_t, Time> run(Transfers& transfers, Time now = {}) {
  std::map<std::uint32_t, Time> ends;
  transfers.settle(now);
  while (!transfers.next_finish().is_never()) {
    now = transfers.next_finish();
    while (const auto done = transfers.take_finished(now)) {
      ends[done->owner] = now;
    }
    transfers.settle(now);
  }
  return ends;
}

TEST(Transfers, OneAloneTakesTheTransmitTimeOfItsLink) {
  for (const std::int64_t gbps : {1, 100, 400, 800}) {
    for (const std::int64_t bytes : {1, 4'158, 1 << 20, 1'000'000'007}) {
      Transfers transfers({static_cast<double>(gbps) * kGigabit});
      transfers.begin(transfers.add_class(over({0})), 1, static_cast<double>(bytes) * 8, {});
      EXPECT_EQ(run(transfers).at(1),
                Time::zero() + Rate::bits_per_second(gbps * 1'000'000'000).transmit_time(Bytes(bytes)))
          << gbps << " Gbps, " << bytes << " bytes";
    }
  }
}

// The link that it has left is another's alone, whose bits take no answers of it either.
TEST(Transfers, AClassGoesOnOverAnotherPathWithoutItsAnswers) {
  Transfers transfers({kGigabit, kGigabit, kGigabit});
  const ClassId moved = transfers.add_class(over({0}), {}, std::array{LinkUse{.link = 1, .part = 0.5F}});
  transfers.begin(moved, 1, 1e6, {});
  EXPECT_EQ(run(transfers).at(1), Time::zero() + 1_ms);
  transfers.set_path(moved, std::array{LinkUse{.link = 2, .part = 2}});
  const Time again = Time::zero() + 10_ms;
  transfers.begin(moved, 2, 1e6, again);
  transfers.begin(transfers.add_class(over({0})), 3, 1e6, again);
  transfers.begin(transfers.add_class(over({1})), 4, 1e6, again);
  const auto ends = run(transfers, again);
  EXPECT_EQ(ends.at(2), again + 2_ms);
  EXPECT_EQ(ends.at(3), again + 1_ms);
  EXPECT_EQ(ends.at(4), again + 1_ms);
}

/// Two that begin together on one link: the shorter has half of it until it ends, then the longer has all.
TEST(Transfers, TheLongerHasTheWholeLinkOnceTheShorterIsDone) {
  Transfers transfers({kGigabit});
  transfers.begin(transfers.add_class(over({0})), 1, 1e6, {});
  transfers.begin(transfers.add_class(over({0})), 2, 3e6, {});
  const auto ends = run(transfers);
  EXPECT_EQ(ends.at(1), Time::zero() + 2_ms);
  EXPECT_EQ(ends.at(2), Time::zero() + 4_ms);
}

TEST(Transfers, EqualFlowsOfAClassFinishAtOneInstant) {
  Transfers transfers({kGigabit});
  const ClassId flows = transfers.add_class(over({0}));
  for (std::uint32_t owner = 0; owner < 10; ++owner) {
    transfers.begin(flows, owner, 1e6, {});
  }
  for (const auto& [owner, end] : run(transfers)) {
    EXPECT_EQ(end, Time::zero() + 10_ms) << owner;
  }
}

/// A later one of the same class has its own mark.
TEST(Transfers, OneThatComesLaterEndsLater) {
  Transfers transfers({kGigabit});
  const ClassId flows = transfers.add_class(over({0}));
  transfers.begin(flows, 1, 2e6, {});
  transfers.settle({});
  const Time middle = Time::zero() + 1_ms;
  ASSERT_GT(transfers.next_finish(), middle);
  transfers.begin(flows, 2, 2e6, middle);
  const auto ends = run(transfers, middle);
  EXPECT_EQ(ends.at(1), Time::zero() + 3_ms);  // half of it is left, at half the rate
  EXPECT_EQ(ends.at(2), Time::zero() + 4_ms);
}

TEST(Transfers, ASequenceWithoutBreaksIsSolvedOnce) {
  Transfers transfers({kGigabit});
  transfers.begin(transfers.add_class(over({0})), 1, 1e3, {});
  transfers.settle({});
  const std::uint64_t solved = transfers.shares().solved();
  Time now;
  for (int i = 0; i < 1'000; ++i) {
    now = transfers.next_finish();
    const auto done = transfers.take_finished(now);
    ASSERT_TRUE(done);
    transfers.follow(*done, 1e3);
    transfers.settle(now);
  }
  EXPECT_EQ(transfers.next_finish(), Time::zero() + 1'001_us);
  EXPECT_EQ(transfers.shares().solved(), solved);
}

/// Two flows in opposite directions, each with answers of a tenth of its rate beside the other's data: r = 1 - r / 10.
TEST(Transfers, AnswersTakeTheirShareOfTheOtherDirection) {
  constexpr float kShare = 0.1F;
  Transfers transfers({kGigabit, kGigabit});
  const std::vector<LinkUse> beside_first{{.link = 0, .part = kShare}};
  const std::vector<LinkUse> beside_second{{.link = 1, .part = kShare}};
  transfers.begin(transfers.add_class(over({0}), {}, beside_second), 1, 1e6, {});
  transfers.begin(transfers.add_class(over({1}), {}, beside_first), 2, 1e6, {});
  for (const auto& [owner, end] : run(transfers)) {
    // Each of three rounds brings it closer by the share.
    EXPECT_NEAR(end.since_start().seconds(), 1e-3 * (1 + kShare), 1.5e-3 * kShare * kShare * kShare) << owner;
  }
}

TEST(Transfers, AnswersOfOneDirectionLeaveItAlone) {
  Transfers transfers({kGigabit, kGigabit});
  const std::vector<LinkUse> back{{.link = 1, .part = 0.1F}};
  transfers.begin(transfers.add_class(over({0}), {}, back), 1, 1e6, {});
  EXPECT_EQ(run(transfers).at(1), Time::zero() + 1_ms);
}

/// Two flows with an access link each share link 2: each sends a gigabit per second, and half of that is served.
struct Queue {
  explicit Queue(const Transfers::QueueLimits& limits) {
    transfers.limit_queues(limits);
    for (std::uint32_t i = 0; i < 2; ++i) {
      flows[i] = transfers.add_class(over({i, 2}));
      transfers.begin(flows[i], i, 2e6, {});
    }
    transfers.settle({});
  }
  Transfers transfers{{kGigabit, kGigabit, kGigabit, kGigabit}};
  std::array<ClassId, 2> flows{};
};
constexpr double kBits = 1;  // that rounding may be off by

TEST(TransferQueues, HaveWhatFlowsHaveSentAndTheirLinkHasNotServed) {
  Queue queue({.flow = 1e9, .link = 1e9});
  EXPECT_NEAR(queue.transfers.queued_at(2, {}), 0, kBits);
  EXPECT_NEAR(queue.transfers.queued_at(2, Time::zero() + 500_us), 5e5, kBits);
  EXPECT_NEAR(queue.transfers.queued_at(0, Time::zero() + 500_us), 0, kBits) << "nothing stands where all can pass";
  // All has been sent after 2 ms, and half of it is left.
  EXPECT_NEAR(queue.transfers.queued_at(2, Time::zero() + 3_ms), 1e6, kBits);
}

TEST(TransferQueues, EndAtTheirLimits) {
  Queue of_flow({.flow = 1e5, .link = 1e9});
  EXPECT_NEAR(of_flow.transfers.queued_at(2, Time::zero() + 1_ms), 2e5, kBits);
  Queue of_link({.flow = 1e5, .link = 1.5e5});
  EXPECT_NEAR(of_link.transfers.queued_at(2, Time::zero() + 1_ms), 1.5e5, kBits);
}

TEST(TransferQueues, AreEmptyWithoutLimits) {
  Transfers transfers({kGigabit, kGigabit});
  transfers.begin(transfers.add_class(over({0, 1})), 1, 1e6, {});
  transfers.begin(transfers.add_class(over({1})), 2, 1e6, {});
  transfers.settle({});
  EXPECT_EQ(transfers.queued_at(1, Time::zero() + 500_us), 0);
}

/// One that waits is behind nothing else, but what comes after it is behind it.
TEST(TransferQueues, HaveWhatWaits) {
  Queue queue({.flow = 1e9, .link = 1e9});
  const Time later = Time::zero() + 500_us;
  const ClassId third = queue.transfers.add_class(over({3, 2}));
  queue.transfers.wait({.flows = third, .link = 2, .bits = 1e5, .since = later});
  EXPECT_NEAR(queue.transfers.queued_at(2, later), 5e5, kBits);
  EXPECT_NEAR(queue.transfers.queued_at(2, later + 500_us), 1e6 + 1e5, kBits);
  queue.transfers.begin_waiting(third, 7, later + 500_us);
  queue.transfers.settle(later + 500_us);
  EXPECT_NEAR(queue.transfers.queued_at(2, later + 500_us), 1e6 + 1e5, kBits);
  const auto ends = run(queue.transfers, later + 500_us);
  // A third of the link each, until its bits have passed.
  EXPECT_EQ(ends.at(7), Time::zero() + 1'300_us);
}

constexpr double kEighth = 1.0 / 8;

TEST(LateRates, WhatComesAfterAQuietTimeIsAppliedAtOnce) {
  Transfers transfers({kGigabit});
  transfers.put_off(kEighth);
  transfers.begin(transfers.add_class(over({0})), 1, 1e6, {});
  transfers.begin(transfers.add_class(over({0})), 2, 3e6, {});
  const auto ends = run(transfers);
  EXPECT_EQ(ends.at(1), Time::zero() + 2_ms);
  EXPECT_EQ(ends.at(2), Time::zero() + 4_ms);
}

/// The second would take 16 ms at its half of the link, so the first has the whole for an eighth of that.
TEST(LateRates, OthersKeepTheirsForAPartOfTheTimeOfOneThatBegins) {
  Transfers transfers({kGigabit});
  transfers.put_off(kEighth);
  transfers.begin(transfers.add_class(over({0})), 1, 8e6, {});
  transfers.settle({});
  const Time start = Time::zero() + 100_us;
  const ClassId second = transfers.add_class(over({0}));
  transfers.begin(second, 2, 8e6, start);
  transfers.settle(start);
  EXPECT_EQ(transfers.shares().rate(second), kGigabit / 2);
  EXPECT_EQ(transfers.next_finish(), Time::zero() + 8_ms);
  ASSERT_EQ(transfers.next_settle(), Time::zero() + 2_ms);
  transfers.settle(Time::zero() + 2_ms);
  EXPECT_TRUE(transfers.next_settle().is_never());
  EXPECT_EQ(transfers.next_finish(), Time::zero() + 14_ms);
}

TEST(LateRates, OneThatEndsLeavesItsShareUnusedAsLong) {
  Transfers transfers({kGigabit});
  transfers.put_off(kEighth);
  transfers.begin(transfers.add_class(over({0})), 1, 8e6, {});
  transfers.begin(transfers.add_class(over({0})), 2, 2e5, {});
  transfers.settle({});
  const Time middle = Time::zero() + 400_us;
  ASSERT_TRUE(transfers.take_finished(middle));
  const ClassId third = transfers.add_class(over({0}));
  transfers.begin(third, 3, 8e6, middle);  // in its place
  transfers.settle(middle);
  EXPECT_TRUE(transfers.next_settle().is_never()) << "400 us are more than an eighth of the time of the first to end";
  ASSERT_FALSE(transfers.take_finished(Time::zero() + 500_us));
  const ClassId fourth = transfers.add_class(over({0}));
  transfers.begin(fourth, 4, 1e5, Time::zero() + 401_us);
  transfers.settle(Time::zero() + 401_us);
  EXPECT_GT(transfers.next_settle(), Time::zero() + 401_us);
  transfers.set_capacity(0, kGigabit / 2);
  transfers.settle(Time::zero() + 402_us);
  EXPECT_NEAR(transfers.shares().rate(third), kGigabit / 6, 1) << "a capacity does not wait";
}

/// Senders, each with messages one after another and pauses between them, over links that they share.
class Senders {
 public:
  Senders(std::uint64_t seed, double part) : random_(seed, "senders"), transfers_(std::vector(kLinks, kGigabit)) {
    transfers_.put_off(part);
    for (std::uint32_t i = 0; i < kSenders; ++i) {
      std::vector<LinkUse> links{{.link = kShared + i}};
      for (std::uint32_t link = draw(0, 2); link < kShared; link += draw(2, 5)) {
        links.push_back({.link = link});
      }
      flows_.push_back(transfers_.add_class(links));
      next_.push_back(Time::zero() + Duration::microseconds(draw(0, 300)));
      for (std::uint32_t message = 0; message < kMessages; ++message) {
        bits_.push_back(draw(5, 10) * 1e5);
        pauses_.push_back(Duration::microseconds(draw(0, 2) == 0 ? 0 : draw(20, 400)));
      }
    }
  }

  /// When each has sent all.
  std::vector<double> run() {
    Time now;
    for (;;) {
      Time next = earlier(transfers_.next_finish(), transfers_.next_settle());
      for (const Time start : next_) {
        next = earlier(next, start);
      }
      if (next.is_never()) {
        return ends_;
      }
      now = next;
      for (std::uint32_t i = 0; i < kSenders; ++i) {
        if (next_[i] <= now) {
          transfers_.begin(flows_[i], i, bits_[i * kMessages + sent_[i]++], now);
          next_[i] = Time::never();
        }
      }
      while (const auto done = transfers_.take_finished(now)) {
        const std::uint32_t i = done->owner;
        ends_[i] = now.since_start().seconds();
        next_[i] = sent_[i] < kMessages ? now + pauses_[i * kMessages + sent_[i]] : Time::never();
      }
      transfers_.settle(now);
    }
  }

 private:
  static constexpr std::uint32_t kSenders = 40;
  static constexpr std::uint32_t kShared = 10;
  static constexpr std::uint32_t kLinks = kShared + kSenders;
  static constexpr std::uint32_t kMessages = 20;

  std::uint32_t draw(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(random_.uniform_between({.low = low, .high = high}));
  }

  RandomStream random_;
  Transfers transfers_;
  std::vector<ClassId> flows_;
  std::vector<Time> next_;
  std::vector<double> bits_;
  std::vector<Duration> pauses_;
  std::vector<std::uint32_t> sent_ = std::vector<std::uint32_t>(kSenders);
  std::vector<double> ends_ = std::vector<double>(kSenders);
};

/// What one takes and what it leaves cancel out over a sequence.
TEST(LateRates, SequencesOfMessagesTakeAsLongAsAtOnce) {
  constexpr std::uint64_t kSeeds = 12;
  double sum = 0;
  double worst = 0;
  std::size_t number = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> exact = Senders(seed, 0).run();
    const std::vector<double> late = Senders(seed, kEighth).run();
    ASSERT_EQ(exact.size(), late.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_GT(exact[i], 0);
      const double off = late[i] / exact[i] - 1;
      sum += off;
      worst = std::max(worst, std::abs(off));
      ++number;
    }
  }
  RecordProperty("mean", std::to_string(sum / static_cast<double>(number)));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(std::abs(sum / static_cast<double>(number)), 1e-2);
  EXPECT_LT(worst, 5e-2);
}

TEST(Transfers, WithoutCapacityNothingFinishes) {
  Transfers transfers({kGigabit});
  transfers.begin(transfers.add_class(over({0})), 1, 1e6, {});
  transfers.settle({});
  transfers.set_capacity(0, 0);
  transfers.settle(Time::zero() + 500_us);
  EXPECT_TRUE(transfers.next_finish().is_never());
  transfers.set_capacity(0, kGigabit);
  transfers.settle(Time::zero() + 2_ms);
  EXPECT_EQ(transfers.next_finish(), Time::zero() + 2'500_us);
}

}  // namespace
}  // namespace weft::flow
