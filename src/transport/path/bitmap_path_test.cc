#include "transport/path/bitmap_path.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::transport {
namespace {

constexpr std::uint16_t kPaths = 8;
constexpr std::uint16_t kBad = 0xC003;

BitmapPath eight_paths() { return {{.range = {.paths = kPaths}, .penalties = {}}, RandomStream(1, "flow")}; }

std::map<std::uint16_t, int> uses(BitmapPath& path, int packets) {
  std::map<std::uint16_t, int> counts;
  for (int i = 0; i < packets; ++i) {
    ++counts[path.entropy_for(Psn(0), Time::zero())];
  }
  return counts;
}

TEST(BitmapPath, WithoutPenaltiesTakesEveryPathOncePerCycle) {
  BitmapPath path = eight_paths();
  EXPECT_TRUE(path.wants_feedback());
  for (const auto& [entropy, count] : uses(path, 5 * kPaths)) {
    EXPECT_EQ(count, 5) << entropy;
  }
}

TEST(BitmapPath, MarksLossesAndTimeoutsGivePointsUpToFifteen) {
  BitmapPath path = eight_paths();
  path.on_ack(kBad, PathMark::kNone, Time::zero());
  EXPECT_EQ(path.penalty(kBad), 0);
  path.on_ack(kBad, PathMark::kMarked, Time::zero());
  EXPECT_EQ(path.penalty(kBad), 1);
  path.on_loss(kBad, PathLoss::kTrimmed, Time::zero());
  EXPECT_EQ(path.penalty(kBad), 5);
  path.on_loss(kBad, PathLoss::kOther, Time::zero());
  EXPECT_EQ(path.penalty(kBad), 9);
  path.on_loss(kBad, PathLoss::kTimeout, Time::zero());
  EXPECT_EQ(path.penalty(kBad), 15);
  EXPECT_EQ(path.penalty(kBad + 1), 0);
}

TEST(BitmapPath, CountsTheTurnsThatPenalisedPathsMissed) {
  BitmapPath path = eight_paths();
  (void)uses(path, 5 * kPaths);
  EXPECT_EQ(path.changes(), 0U);
  path.on_loss(kBad, PathLoss::kTrimmed, Time::zero());
  (void)uses(path, 20 * kPaths);
  EXPECT_EQ(path.changes(), 4U) << "a point each";
}

TEST(BitmapPath, APathMissesATurnForEachPoint) {
  BitmapPath path = eight_paths();
  path.on_loss(kBad, PathLoss::kTrimmed, Time::zero());
  // It comes up once per cycle, which is a packet shorter each time that it is skipped.
  int packets = 0;
  while (path.penalty(kBad) > 0) {
    EXPECT_NE(path.entropy_for(Psn(0), Time::zero()), kBad);
    ++packets;
  }
  EXPECT_GT(packets, 3 * (kPaths - 1));
  EXPECT_LE(packets, 4 * (kPaths - 1) + 1);
  EXPECT_GE(uses(path, 2 * kPaths)[kBad], 1);
}

TEST(BitmapPath, APacketUsesUpOnePointAlone) {
  BitmapPath path = eight_paths();
  for (std::uint16_t i = 0; i < kPaths - 1; ++i) {
    path.on_loss(static_cast<std::uint16_t>(0xC000 + i), PathLoss::kTimeout, Time::zero());
  }
  const auto points = [&] {
    int sum = 0;
    for (std::uint16_t i = 0; i < kPaths; ++i) {
      sum += path.penalty(static_cast<std::uint16_t>(0xC000 + i));
    }
    return sum;
  };
  int before = points();
  for (int packet = 0; packet < 20; ++packet) {
    EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), 0xC000 + kPaths - 1);
    EXPECT_GE(points(), before - 1);
    before = points();
  }
}

TEST(BitmapPath, WhereAllHavePointsOneIsUsedAllTheSame) {
  BitmapPath path = eight_paths();
  for (std::uint16_t i = 0; i < kPaths; ++i) {
    path.on_loss(static_cast<std::uint16_t>(0xC000 + i), PathLoss::kTimeout, Time::zero());
  }
  int sent = 0;
  for (const auto& [entropy, count] : uses(path, 100)) {
    EXPECT_TRUE(entropy >= 0xC000 && entropy < 0xC000 + kPaths);
    sent += count;
  }
  EXPECT_EQ(sent, 100);
}

TEST(BitmapPath, AnEntropyThatIsNotItsOwnChangesNothing) {
  BitmapPath path = eight_paths();
  path.on_loss(0xC000 + kPaths, PathLoss::kTimeout, Time::zero());
  path.on_ack(7, PathMark::kMarked, Time::zero());
  EXPECT_EQ(uses(path, kPaths).size(), kPaths);
}

}  // namespace
}  // namespace weft::transport
