#include "transport/path/mixed_path.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

MixedPath eight_paths() { return {{.range = {.paths = 8}, .penalties = {}}, RandomStream(1, "flow")}; }

BitmapPath eight_of_the_bitmap() { return {{.range = {.paths = 8}, .penalties = {}}, RandomStream(1, "flow")}; }

TEST(MixedPath, WithoutAcknowledgementsIsTheBitmap) {
  MixedPath path = eight_paths();
  BitmapPath bitmap = eight_of_the_bitmap();
  path.on_ack(0xC002, PathMark::kMarked, Time::zero());
  bitmap.on_ack(0xC002, PathMark::kMarked, Time::zero());
  path.on_loss(0xC004, PathLoss::kTimeout, Time::zero());
  bitmap.on_loss(0xC004, PathLoss::kTimeout, Time::zero());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), bitmap.entropy_for(Psn(0), Time::zero()));
  }
}

TEST(MixedPath, RecyclesGoodEntropiesFirst) {
  MixedPath path = eight_paths();
  BitmapPath bitmap = eight_of_the_bitmap();
  path.on_ack(0xC007, PathMark::kNone, Time::zero());
  path.on_ack(0xC001, PathMark::kNone, Time::zero());
  path.on_ack(0xC002, PathMark::kMarked, Time::zero());
  bitmap.on_ack(0xC002, PathMark::kMarked, Time::zero());
  EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), 0xC007);
  EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), 0xC001);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), bitmap.entropy_for(Psn(0), Time::zero()));
  }
}

TEST(MixedPath, CountsPacketsThatHadNothingToRecycle) {
  MixedPath path = eight_paths();
  path.on_ack(0xC007, PathMark::kNone, Time::zero());
  (void)path.entropy_for(Psn(0), Time::zero());
  EXPECT_EQ(path.changes(), 0U);
  (void)path.entropy_for(Psn(0), Time::zero());
  EXPECT_EQ(path.changes(), 1U);
}

TEST(MixedPath, KeepsAsManyAsThereArePaths) {
  MixedPath path = eight_paths();
  for (std::uint16_t i = 0; i < 10; ++i) {
    path.on_ack(static_cast<std::uint16_t>(100 + i), PathMark::kNone, Time::zero());
  }
  for (std::uint16_t i = 2; i < 10; ++i) {
    EXPECT_EQ(path.entropy_for(Psn(0), Time::zero()), 100 + i);
  }
  EXPECT_GE(path.entropy_for(Psn(0), Time::zero()), 0xC000);
}

}  // namespace
}  // namespace weft::transport
