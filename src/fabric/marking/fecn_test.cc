#include "fabric/marking/fecn.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

using Cause = Fecn::Cause;

constexpr std::uint32_t kFrame = 4122;

Fecn marker(FecnOptions options) { return Fecn(options, 7); }

TEST(Fecn, MarksAboveTheThresholdAndNotAtIt) {
  Fecn fecn = marker({.threshold = Bytes(10'000)});
  EXPECT_FALSE(fecn.marks({.depth = 10'000, .frame_bytes = kFrame}));
  EXPECT_TRUE(fecn.marks({.depth = 10'001, .frame_bytes = kFrame}));
}

//= ibta-1.7 A10
TEST(Fecn, AVictimMarksOnlyWithTheVictimMask) {
  const Fecn::Departure victim{.depth = 20'000, .frame_bytes = kFrame, .cause = Cause::kVictim};
  EXPECT_FALSE(marker({.threshold = Bytes(10'000)}).marks(victim));
  EXPECT_TRUE(marker({.threshold = Bytes(10'000), .victim_mask = true}).marks(victim));
}

//= ibta-1.7 A10
TEST(Fecn, SmallPacketsPass) {
  Fecn fecn = marker({.threshold = Bytes(10'000), .packet_size = Bytes(8 * 64)});
  EXPECT_FALSE(fecn.marks({.depth = 20'000, .frame_bytes = 8 * 64 - 1}));
  EXPECT_TRUE(fecn.marks({.depth = 20'000, .frame_bytes = 8 * 64}));
}

//= ibta-1.7 A10
TEST(Fecn, MarkingRateIsTheMeanGapBetweenMarks) {
  Fecn fecn = marker({.threshold = Bytes(10'000), .marking_rate = 4});
  constexpr int kPackets = 50'000;
  int marked = 0;
  for (int i = 0; i < kPackets; ++i) {
    marked += fecn.marks({.depth = 20'000, .frame_bytes = kFrame}) ? 1 : 0;
  }
  EXPECT_NEAR(marked, kPackets / (4 + 1), kPackets / 5 / 20);
}

TEST(Fecn, AMarkerWithoutOptionsNeverMarks) {
  Fecn fecn;
  EXPECT_FALSE(fecn.marks({.depth = 0xFFFFFFFF, .frame_bytes = kFrame}));
}

TEST(Fecn, ClassesAreEvenlySpacedAndFifteenIsTheMostEager) {
  const Bytes buffer(64 * 1024);
  EXPECT_EQ(fecn_threshold({15}, buffer), Bytes(4 * 1024));
  EXPECT_EQ(fecn_threshold({1}, buffer), Bytes(60 * 1024));
}

}  // namespace
}  // namespace weft::fabric
