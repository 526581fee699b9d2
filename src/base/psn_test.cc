#include "base/psn.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace weft {
namespace {

// Every number within 40 of the places where 24-bit arithmetic can go wrong.
std::vector<Psn> edge_values() {
  std::vector<Psn> values;
  for (const std::uint32_t centre : {0U, 1U << 23, Psn::kMask}) {
    for (std::uint32_t offset = 0; offset <= 80; ++offset) {
      values.emplace_back(centre + offset - 40);
    }
  }
  return values;
}

//= ibta-1.7 9.7.1
TEST(Psn, WrapsAfter24Bits) {
  EXPECT_EQ(Psn(Psn::kMask) + 1, Psn(0));
  EXPECT_EQ(Psn(0) - 1, Psn(Psn::kMask));
  EXPECT_EQ(Psn(Psn::kModulus + 5), Psn(5));
  Psn psn(Psn::kMask);
  EXPECT_EQ(++psn, Psn(0));
}

TEST(Psn, DifferenceIsTheShortestWayAtEveryEdge) {
  for (const Psn a : edge_values()) {
    for (const Psn b : edge_values()) {
      const std::int32_t difference = a - b;
      EXPECT_EQ(b + difference, a);
      EXPECT_GE(difference, -Psn::kHalf);
      EXPECT_LT(difference, Psn::kHalf);
    }
  }
}

TEST(Psn, OrderFollowsTheDifferenceAtEveryEdge) {
  for (const Psn a : edge_values()) {
    for (const Psn b : edge_values()) {
      if (a - b == -Psn::kHalf) {
        continue;  // exactly half the space apart: no order is defined
      }
      EXPECT_EQ(a<b, b> a);
      EXPECT_EQ(a <= b, !(a > b));
      EXPECT_EQ(a >= b, !(a < b));
      EXPECT_EQ(a < b, a - b < 0);
      EXPECT_EQ(a == b, a - b == 0);
    }
  }
}

TEST(Psn, SuccessorIsLaterThroughTheWholeSpace) {
  Psn psn(0);
  std::uint32_t out_of_order = 0;
  for (std::uint32_t i = 0; i < Psn::kModulus; ++i) {
    const Psn next = psn + 1;
    out_of_order += psn < next && next - psn == 1 ? 0U : 1U;
    psn = next;
  }
  EXPECT_EQ(out_of_order, 0U);
  EXPECT_EQ(psn, Psn(0));
}

TEST(Psn, AddingTheDifferenceReturns) {
  RandomStream random(1, "psn");
  for (int i = 0; i < 100'000; ++i) {
    const Psn a(static_cast<std::uint32_t>(random.next()));
    const Psn b(static_cast<std::uint32_t>(random.next()));
    ASSERT_EQ(a + (b - a), b);
    const std::int64_t step = random.uniform_between({.low = -(1LL << 40), .high = 1LL << 40});
    ASSERT_EQ(a + step - step, a);
  }
}

TEST(Psn, WindowEndsHalfTheSpaceAhead) {
  const Psn oldest(0xffff00);
  EXPECT_LT(oldest, oldest + (Psn::kHalf - 1));
  EXPECT_GT(oldest, oldest + (Psn::kHalf + 1));
}

}  // namespace
}  // namespace weft
