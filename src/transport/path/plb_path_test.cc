#include "transport/path/plb_path.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::transport {
namespace {

using namespace literals;

constexpr EntropyRange kRange{.base = 0xC000, .paths = 64};

/// A sender with ten packets in flight at most, whose packets are acknowledged in order.
class Sender {
 public:
  explicit Sender(const PlbRule::Options& rule = {}) : path({.range = kRange, .rule = rule}, RandomStream(5, "plb")) {}
  std::uint16_t send() {
    const std::uint16_t entropy = path.entropy_for(next_, Time::zero());
    ++next_;
    return entropy;
  }
  void acknowledge(PathMark mark) {
    path.on_ack(path.entropy_for(next_ - 1, Time::zero()), mark, Time::zero());
    ++una_;
    path.on_progress({.unacknowledged = una_}, Time::zero());
  }
  /// Rounds of ten packets in a steady stream, of which the first `marked` come marked.
  void rounds(int count, int marked) {
    for (int round = 0; round < count; ++round) {
      for (int i = 0; i < 10; ++i) {
        while (next_ - una_ < 10) {
          (void)send();
        }
        acknowledge(i < marked ? PathMark::kMarked : PathMark::kNone);
      }
    }
  }
  void drain(PathMark mark) {
    while (una_ < next_) {
      acknowledge(mark);
    }
  }
  PlbPath path;

 private:
  Psn una_{100};
  Psn next_{100};
};

TEST(PlbPath, KeepsToOnePathWhileFewPacketsAreMarked) {
  Sender sender;
  const std::uint16_t first = sender.send();
  sender.rounds(100, 4);
  EXPECT_EQ(sender.send(), first);
  EXPECT_EQ(sender.path.changes(), 0U);
  EXPECT_EQ(sender.path.lasting_entropy(), first);
}

// A round is the nine packets that are in flight when an acknowledgement ends the one before: 138 in 1,240 packets, of
// which twelve make a move.
TEST(PlbPath, LeavesEveryTwelveRoundsWhileItIsCongestedEverywhere) {
  Sender sender;
  const std::uint16_t first = sender.send();
  sender.rounds(124, 6);
  EXPECT_NEAR(static_cast<double>(sender.path.changes()), 11, 1);
  EXPECT_NE(sender.send(), first);
}

TEST(PlbPath, AfterAPauseThreeCongestedRoundsAreEnough) {
  Sender sender;
  sender.rounds(5, 10);
  sender.drain(PathMark::kMarked);
  EXPECT_LE(sender.path.changes(), 1U);
  (void)sender.send();
  EXPECT_EQ(sender.path.changes(), 1U);
}

TEST(PlbPath, ATimeoutTakesAnotherPathOnceAndSuspends) {
  Sender sender;
  const std::uint16_t first = sender.send();
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(sender.send(), first);
  }
  for (int i = 0; i < 10; ++i) {
    sender.path.on_loss(first, PathLoss::kTimeout, Time::zero());
  }
  EXPECT_EQ(sender.path.changes(), 1U);
  EXPECT_NE(sender.send(), first);
  sender.rounds(100, 10);
  EXPECT_EQ(sender.path.changes(), 1U);
}

TEST(PlbPath, OtherLossesAreNoReasonToLeave) {
  Sender sender;
  const std::uint16_t first = sender.send();
  sender.path.on_loss(first, PathLoss::kOther, Time::zero());
  EXPECT_EQ(sender.send(), first);
}

TEST(PlbPath, FlowsBeginOnDifferentPaths) {
  std::set<std::uint16_t> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    seen.insert(PlbPath({.range = kRange}, RandomStream(seed, "plb")).entropy_for(Psn(0), Time::zero()));
  }
  EXPECT_GT(seen.size(), 30U);  // 40 expected
}

}  // namespace
}  // namespace weft::transport
