#include "fabric/flow_control/shared_buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/random.h"

namespace weft::fabric {
namespace {

using Admission = SharedBuffer::Admission;

TEST(SharedBuffer, AGroupUsesItsReserveBeforeThePool) {
  SharedBuffer buffer(10'000);
  IngressGroup group{.reserve = 3'000};
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 2'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.used(), 0);
  EXPECT_EQ(buffer.admit(group, 500), Admission::kAdmitted);
  EXPECT_EQ(buffer.used(), 500);
  EXPECT_FALSE(buffer.release(group, 1'000));
  EXPECT_EQ(buffer.used(), 0);
}

TEST(SharedBuffer, TheThresholdIsAlphaTimesWhatIsLeft) {
  for (const int shift : {-6, -4, -3, 0, 1, 3}) {
    SharedBuffer buffer(1 << 20);
    IngressGroup other{.alpha_shift = 10};
    (void)buffer.admit(other, 1 << 18);
    const std::int64_t left = buffer.pool() - buffer.used();
    const auto expected =
        static_cast<std::uint64_t>(shift >= 0 ? left * (std::int64_t{1} << shift) : left / (std::int64_t{1} << -shift));
    EXPECT_EQ(buffer.threshold(static_cast<std::int8_t>(shift)), expected);
    EXPECT_EQ(buffer.limit({.reserve = 700, .alpha_shift = static_cast<std::int8_t>(shift)}), expected + 700);
  }
}

TEST(SharedBuffer, GroupsOfOneAlphaSettleAtEqualShares) {
  // n groups that all want more each get alpha B / (1 + n alpha), to a packet.
  constexpr std::int64_t kPool = 1'000'000;
  constexpr std::uint32_t kPacket = 100;
  for (const std::int64_t n : {1, 2, 5, 10}) {
    SharedBuffer buffer(kPool);
    std::vector<IngressGroup> groups(static_cast<std::size_t>(n));
    for (int round = 0; round < 20'000; ++round) {
      for (IngressGroup& group : groups) {
        (void)buffer.admit(group, kPacket);
      }
    }
    for (const IngressGroup& group : groups) {
      EXPECT_NEAR(group.bytes, static_cast<double>(kPool) / static_cast<double>(1 + n), kPacket);
    }
  }
}

TEST(SharedBuffer, ThePacketThatCrossesTheLimitFitsAndAsksForThePause) {
  SharedBuffer buffer(1'000'000);
  IngressGroup group{.headroom_limit = 5'000, .fixed_limit = 2'500, .lossless = true, .has_fixed_limit = true};
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmittedPause);
  EXPECT_TRUE(group.xoff);
  EXPECT_EQ(group.bytes, 3'000U);
  EXPECT_EQ(group.headroom, 0U);
}

TEST(SharedBuffer, WhatComesAfterThePauseGoesToTheHeadroomAndIsDroppedBeyondIt) {
  SharedBuffer buffer(1'000'000);
  IngressGroup group{.headroom_limit = 2'000, .fixed_limit = 1'000, .lossless = true, .has_fixed_limit = true};
  ASSERT_EQ(buffer.admit(group, 1'000), Admission::kAdmittedPause);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1), Admission::kDropped);
  EXPECT_EQ(group.headroom, 2'000U);
  EXPECT_EQ(group.peak, 3'000U);
  EXPECT_EQ(buffer.used(), 1'000);  // headroom is nobody else's
}

// A limit that others shrink below what a group holds is noticed by the group's next packet. That packet was on its way
// before any pause, as the one that crosses a limit is, and the headroom is computed for those behind it.
TEST(SharedBuffer, ThePacketThatFindsTheLimitShrunkIsNotHeadrooms) {
  SharedBuffer buffer(10'000);
  IngressGroup group{.headroom_limit = 1'000, .lossless = true};
  ASSERT_EQ(buffer.admit(group, 2'000), Admission::kAdmitted);
  IngressGroup other{.alpha_shift = 10};
  (void)buffer.admit(other, 7'000);
  ASSERT_LT(buffer.limit(group), group.bytes);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmittedPause);
  EXPECT_EQ(group.headroom, 0U);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(group.headroom, 1'000U);
}

TEST(SharedBuffer, ALossyGroupIsDroppedAtItsLimit) {
  SharedBuffer buffer(1'000'000);
  IngressGroup group{.fixed_limit = 1'500, .has_fixed_limit = true};
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kAdmitted);
  EXPECT_EQ(buffer.admit(group, 1'000), Admission::kDropped);
  EXPECT_FALSE(group.xoff);
  EXPECT_EQ(group.held(), 2'000U);
}

TEST(SharedBuffer, ResumesOnlyWithEmptyHeadroomAndBelowTheLimitByTheOffset) {
  SharedBuffer buffer(1'000'000);
  IngressGroup group{
      .headroom_limit = 4'000, .fixed_limit = 3'000, .xon_offset = 1'000, .lossless = true, .has_fixed_limit = true};
  for (int i = 0; i < 5; ++i) {
    (void)buffer.admit(group, 1'000);
  }
  ASSERT_EQ(group.headroom, 2'000U);
  EXPECT_FALSE(buffer.release(group, 1'000));
  EXPECT_FALSE(buffer.release(group, 1'000));  // headroom empty, but the group is at its limit
  EXPECT_TRUE(group.xoff);
  EXPECT_TRUE(buffer.release(group, 1'000));  // 2000 + 1000 <= 3000
  EXPECT_FALSE(group.xoff);
  EXPECT_FALSE(buffer.release(group, 1'000));  // said once
}

TEST(SharedBuffer, AnEmptyGroupResumesWhateverTheLimit) {
  SharedBuffer buffer(0);
  IngressGroup group{.headroom_limit = 1'000, .xon_offset = 500, .lossless = true};
  ASSERT_EQ(buffer.admit(group, 800), Admission::kAdmittedPause);
  EXPECT_TRUE(buffer.release(group, 800));
}

TEST(SharedBuffer, RandomTrafficKeepsEverySum) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, "buffer");
    SharedBuffer buffer(60'000);
    std::array<IngressGroup, 4> groups;
    std::array<std::vector<std::uint32_t>, 4> packets;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].lossless = i % 2 == 0;
      groups[i].reserve = static_cast<std::uint32_t>(random.uniform(5'000));
      groups[i].alpha_shift = static_cast<std::int8_t>(static_cast<int>(random.uniform(5)) - 3);
      groups[i].headroom_limit = groups[i].lossless ? 9'000 : 0;
      groups[i].xon_offset = static_cast<std::uint32_t>(random.uniform(3'000));
    }
    for (int step = 0; step < 5'000; ++step) {
      const std::size_t i = random.uniform(groups.size());
      IngressGroup& group = groups[i];
      if (random.uniform(100) < 55) {
        const auto size = static_cast<std::uint32_t>(64 + random.uniform(4'100));
        const bool was_off = group.xoff;
        const Admission admission = buffer.admit(group, size);
        if (admission != Admission::kDropped) {
          packets[i].push_back(size);
        }
        EXPECT_EQ(admission == Admission::kAdmittedPause, group.xoff && !was_off);
      } else if (!packets[i].empty()) {
        const std::uint32_t size = packets[i].back();
        packets[i].pop_back();
        const bool was_off = group.xoff;
        const bool resumes = buffer.release(group, size);
        EXPECT_EQ(resumes, was_off && !group.xoff);
      }
      std::int64_t used = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        std::uint64_t held = 0;
        for (const std::uint32_t size : packets[g]) {
          held += size;
        }
        ASSERT_EQ(groups[g].held(), held);
        ASSERT_LE(groups[g].headroom, groups[g].headroom_limit);
        used += groups[g].bytes > groups[g].reserve ? groups[g].bytes - groups[g].reserve : 0;
      }
      ASSERT_EQ(buffer.used(), used) << "seed " << seed << " step " << step;
    }
  }
}

}  // namespace
}  // namespace weft::fabric
