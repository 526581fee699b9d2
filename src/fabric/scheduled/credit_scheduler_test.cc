#include "fabric/scheduled/credit_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fabric/scheduled/cells.h"

namespace weft::fabric {
namespace {

constexpr CreditSource of(std::uint32_t leaf, std::uint32_t priority) { return leaf * kPriorities + priority; }

TEST(CreditScheduler, QueuesTakeTurnsACreditEach) {
  CreditScheduler scheduler({.credit = 1'000, .egress_buffer = 100'000, .weights = {}});
  for (std::uint32_t leaf = 0; leaf < 3; ++leaf) {
    scheduler.request(of(leaf, 3), 2'500);
  }
  std::vector<std::uint32_t> bytes;
  std::map<CreditSource, std::uint32_t> sums;
  for (int i = 0; i < 9; ++i) {
    const auto grant = scheduler.grant();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->source, of(static_cast<std::uint32_t>(i) % 3, 3));
    EXPECT_EQ(grant->bytes, i < 6 ? 1'000U : 500U);  // never more than was asked for
    sums[grant->source] += grant->bytes;
  }
  EXPECT_EQ(sums[of(1, 3)], 2'500U);
  EXPECT_FALSE(scheduler.grant());
  EXPECT_FALSE(scheduler.wants());
  EXPECT_EQ(scheduler.coming(), 7'500U);
  EXPECT_EQ(scheduler.granted(), 9U);
}

TEST(CreditScheduler, GrantsNoMoreThanTheEgressBufferHolds) {
  CreditScheduler scheduler({.credit = 1'000, .egress_buffer = 2'500, .weights = {}});
  scheduler.request(of(0, 0), 10'000);
  EXPECT_TRUE(scheduler.grant());
  EXPECT_TRUE(scheduler.grant());
  EXPECT_FALSE(scheduler.grant());
  EXPECT_TRUE(scheduler.wants());
  scheduler.arrive(of(0, 0), 2'000);
  EXPECT_FALSE(scheduler.grant());  // it is here now, and takes as much
  scheduler.release(499);
  EXPECT_FALSE(scheduler.grant());
  scheduler.release(1);
  EXPECT_TRUE(scheduler.grant());
}

TEST(CreditScheduler, WhatCameAheadOfItsCreditIsPaidForAndTakesNoRoom) {
  CreditScheduler scheduler({.credit = 1'000, .egress_buffer = 3'000, .weights = {}});
  scheduler.request(of(0, 0), 3'000);
  ASSERT_TRUE(scheduler.grant());
  scheduler.arrive(of(0, 0), 1'500);  // a packet larger than the credit
  EXPECT_EQ(scheduler.balance(of(0, 0)), -500);
  EXPECT_EQ(scheduler.coming(), 0U);
  EXPECT_EQ(scheduler.stored(), 1'500U);
  ASSERT_TRUE(scheduler.grant());
  EXPECT_EQ(scheduler.coming(), 500U);
  scheduler.arrive(of(0, 0), 1'500);
  EXPECT_EQ(scheduler.coming(), 0U);
  EXPECT_EQ(scheduler.stored(), 3'000U);
  // No room, and nothing is to come for this one.
  EXPECT_TRUE(scheduler.grant());
  EXPECT_FALSE(scheduler.wants());
  EXPECT_EQ(scheduler.balance(of(0, 0)), 0);
}

/// Bytes for each source, of so many grants.
std::map<CreditSource, std::uint32_t> granted(CreditScheduler& scheduler, int grants) {
  std::map<CreditSource, std::uint32_t> sums;
  for (int i = 0; i < grants; ++i) {
    const auto grant = scheduler.grant();
    sums[grant->source] += grant->bytes;
  }
  return sums;
}

TEST(CreditScheduler, StrictPrioritiesComeFirstAndOthersShareByWeight) {
  CreditScheduler scheduler({.credit = 1'000, .egress_buffer = 10'000'000, .weights = {1, 3, 0, 0, 0, 0, 0, 0}});
  scheduler.request(of(0, 0), 1'000'000);
  scheduler.request(of(0, 1), 1'000'000);
  scheduler.request(of(0, 6), 1'500);
  EXPECT_EQ(scheduler.grant()->source, of(0, 6));
  EXPECT_EQ(scheduler.grant()->bytes, 500U);
  std::map<CreditSource, std::uint32_t> sums = granted(scheduler, 400);
  EXPECT_EQ(sums[of(0, 0)], 100'000U);
  EXPECT_EQ(sums[of(0, 1)], 300'000U);
}

TEST(CreditScheduler, WhatWasGrantedToAPriorityAloneIsNotHeldAgainstIt) {
  CreditScheduler scheduler({.credit = 1'000, .egress_buffer = 10'000'000, .weights = {1, 1, 0, 0, 0, 0, 0, 0}});
  scheduler.request(of(0, 0), 5'000'000);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(scheduler.grant());
  }
  scheduler.request(of(0, 1), 1'000'000);
  std::map<CreditSource, std::uint32_t> sums = granted(scheduler, 400);
  EXPECT_EQ(sums[of(0, 0)], 200'000U);
  EXPECT_EQ(sums[of(0, 1)], 200'000U);
}

TEST(CellFormat, CountsWholeCellsAndTheirHeaders) {
  const CellFormat format{.size = 256, .header = 16};
  EXPECT_EQ(format.cells_of(1), 1U);
  EXPECT_EQ(format.cells_of(240), 1U);
  EXPECT_EQ(format.cells_of(241), 2U);
  EXPECT_EQ(format.cells_of(4'158), 18U);
  EXPECT_EQ(format.wire_bytes_of(4'158), 4'158U + 18 * 16);
}

TEST(CellSprayer, LinksDifferByOneCellAtMost) {
  constexpr std::uint32_t kLinks = 7;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CellSprayer sprayer(seed);
    std::vector<std::uint16_t> scratch;
    std::vector<std::uint64_t> sums(kLinks);
    RandomStream random(seed, "cells");
    std::uint64_t all = 0;
    for (int i = 0; i < 2'000; ++i) {
      const auto cells = static_cast<std::uint32_t>(random.uniform_between({.low = 1, .high = 40}));
      all += cells;
      std::uint32_t given = 0;
      sprayer.spray(cells, kLinks, scratch, [&](std::uint32_t link, std::uint32_t count) {
        sums.at(link) += count;
        given += count;
      });
      ASSERT_EQ(given, cells);
      const auto [least, most] = std::ranges::minmax(sums);
      ASSERT_LE(most - least, 1U);
    }
    EXPECT_EQ(sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6], all);
  }
}

TEST(CellSprayer, TheOrderWithinARoundTurns) {
  // Packets of as many cells as there are links and one more: the odd one would fall on links in turn, one of seven
  // cells on the same link for ever.
  CellSprayer sprayer(3);
  std::vector<std::uint16_t> scratch;
  std::vector<std::uint32_t> odd(7);
  for (int i = 0; i < 700; ++i) {
    sprayer.spray(6, 7, scratch, [](std::uint32_t, std::uint32_t) {});
    sprayer.spray(1, 7, scratch, [&](std::uint32_t link, std::uint32_t) { ++odd.at(link); });
  }
  for (const std::uint32_t count : odd) {
    EXPECT_GT(count, 50U);
    EXPECT_LT(count, 150U);
  }
}

}  // namespace
}  // namespace weft::fabric
