#include "fabric/flow_control/credits.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weft::fabric {
namespace {

CreditReceiver receiver_of(std::uint32_t buffer, std::uint32_t largest) {
  return CreditReceiver({.buffer = buffer, .largest_packet = largest, .round_trip_blocks = 0, .divisor = 4});
}

TEST(Credits, APacketCostsItsBlocksRoundedUp) {
  EXPECT_EQ(blocks_of(1), 1U);
  EXPECT_EQ(blocks_of(kBlockBytes), 1U);
  EXPECT_EQ(blocks_of(kBlockBytes + 1), 2U);
}

//= ibta-1.7 7.9.4
TEST(Credits, SenderStopsExactlyAtTheLimit) {
  CreditSender sender;
  sender.restart(10);
  EXPECT_TRUE(sender.admits(10));
  EXPECT_FALSE(sender.admits(11));
  sender.spend(10);
  EXPECT_FALSE(sender.admits(1));
  sender.set_limit(11);
  EXPECT_TRUE(sender.admits(1));
  EXPECT_FALSE(sender.admits(2));
}

TEST(Credits, CountersWrapWithoutNotice) {
  CreditSender sender;
  CreditReceiver receiver = receiver_of(300, 66);
  sender.restart(receiver.advertised());
  RandomStream random(1, "wrap");
  std::uint32_t total = 0;
  while (total < 5 * (kCreditMask + 1)) {
    const auto blocks = static_cast<std::uint32_t>(random.uniform_between({.low = 1, .high = 66}));
    ASSERT_TRUE(sender.admits(blocks)) << total;
    sender.spend(blocks);
    receiver.count(blocks);
    ASSERT_EQ(sender.total_sent(), receiver.received());
    total += blocks;
    if (receiver.update_due()) {
      sender.set_limit(receiver.advertise());
    }
  }
}

TEST(Credits, AtMost2048BlocksAreAdvertised) {
  EXPECT_EQ(receiver_of(3000, 66).advertised(), kMaxAdvertised);
  EXPECT_EQ(receiver_of(2000, 66).advertised(), 2000U);
}

TEST(Credits, ABufferAboveTheMaximumFillsBehindTheLimit) {
  CreditReceiver receiver = receiver_of(3000, 66);
  const std::uint32_t before = receiver.limit();
  receiver.count(900);
  receiver.store(900);
  EXPECT_EQ(receiver.limit(), before + 900);  // 2100 blocks are free: 2048 of them are advertised
  receiver.count(100);
  receiver.store(100);
  EXPECT_EQ(receiver.limit(), before + 900 + (3000 - 900 - kMaxAdvertised));
}

TEST(Credits, LimitIsSaidWhenAQuarterOfTheBufferIsUnsaid) {
  CreditReceiver receiver = receiver_of(400, 66);
  receiver.count(99);
  EXPECT_FALSE(receiver.update_due());
  receiver.count(1);
  EXPECT_TRUE(receiver.update_due());
}

TEST(Credits, LimitIsSaidMoreOftenWhereTheLoopNeedsTheBuffer) {
  const auto threshold = [](std::uint32_t round_trip_blocks) {
    return CreditReceiver({.buffer = 1600, .largest_packet = 66, .round_trip_blocks = round_trip_blocks, .divisor = 4})
        .threshold();
  };
  EXPECT_EQ(threshold(0), 1600U / 4);
  EXPECT_EQ(threshold(1200), 1600U - 1200 - 2 * 66);
  EXPECT_EQ(threshold(1600), 1600U / kMinThresholdDivisor);
}

TEST(Credits, WhatStaysUnsaidNeverStopsTheLargestPacket) {
  for (const std::uint32_t buffer : {66U, 67U, 80U, 100U, 1024U, 4000U}) {
    const CreditReceiver receiver = receiver_of(buffer, 66);
    const std::uint32_t usable = std::min(buffer, kMaxAdvertised);
    EXPECT_GE(usable - (receiver.threshold() - 1), 66U) << buffer;
  }
}

TEST(Credits, WhatIsStoredIsNotAdvertisedUntilReleased) {
  CreditReceiver receiver = receiver_of(100, 66);
  receiver.count(60);
  receiver.store(60);
  EXPECT_EQ(receiver.unadvertised(), 0U);
  receiver.release(60);
  EXPECT_EQ(receiver.unadvertised(), 60U);
}

//= ibta-1.7 7.9.4
TEST(Credits, TotalSentMakesALostPacketGood) {
  CreditSender sender;
  CreditReceiver receiver = receiver_of(100, 66);
  sender.restart(receiver.advertised());
  sender.spend(66);  // lost
  EXPECT_FALSE(sender.admits(66));
  EXPECT_EQ(receiver.unadvertised(), 0U);
  receiver.resynchronise(sender.total_sent());
  EXPECT_EQ(receiver.unadvertised(), 66U);
  sender.set_limit(receiver.advertise());
  EXPECT_TRUE(sender.admits(66));
}

}  // namespace
}  // namespace weft::fabric
