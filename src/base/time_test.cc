#include "base/time.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace weft {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

static_assert(Addable<Time, Duration> && Addable<Duration, Time> && Addable<Duration, Duration>);
static_assert(!Addable<Time, Time>);
static_assert(!Addable<Duration, int> && !Addable<Time, int>);
static_assert(!Comparable<Time, Duration> && !Comparable<Duration, int>);
static_assert(std::is_trivially_copyable_v<Time> && sizeof(Time) == 8);
static_assert(std::is_trivially_copyable_v<Duration> && sizeof(Duration) == 8);

TEST(Duration, UnitsAreAThousandApart) {
  EXPECT_EQ(1_ns, 1000_ps);
  EXPECT_EQ(1_us, 1000_ns);
  EXPECT_EQ(1_ms, 1000_us);
  EXPECT_EQ(1_s, 1000_ms);
  EXPECT_EQ((7_us).picoseconds(), 7'000'000);
}

TEST(Duration, QuotientAndRemainderReassemble) {
  for (const Duration span : {0_ps, 1_ps, 999_ps, 1_ns, 12345_ps, -12345_ps}) {
    const Duration step = 1_ns;
    EXPECT_EQ((span / step) * step + span % step, span);
  }
}

TEST(Duration, DivisionRoundsTowardsZero) {
  EXPECT_EQ(7_ps / 2, 3_ps);
  EXPECT_EQ(-7_ps / 2, -3_ps);
}

TEST(Duration, MayBeNegative) {
  EXPECT_LT(1_ns - 2_ns, Duration::zero());
  EXPECT_EQ(1_ns - 2_ns, -1_ns);
}

TEST(Duration, RangeIsAtLeastAHundredDays) { EXPECT_GT(Duration::max() / Duration::seconds(24 * 3600), 100); }

TEST(Time, DifferenceOfPointsIsASpan) {
  const Time start = Time::zero() + 5_us;
  EXPECT_EQ(start + 3_us - start, 3_us);
  EXPECT_EQ(start - 5_us, Time::zero());
  EXPECT_EQ(start.since_start(), 5_us);
}

TEST(Time, CompoundAssignmentMovesThePoint) {
  Time now;
  now += 4_ns;
  now -= 1_ns;
  EXPECT_EQ(now, Time::zero() + 3_ns);
}

TEST(Time, NeverIsLaterThanEveryOtherTime) {
  const Time late = Time::zero() + Duration::seconds(9'000'000);
  EXPECT_LT(late, Time::never());
  EXPECT_TRUE(Time::never().is_never());
  EXPECT_FALSE(late.is_never());
  EXPECT_EQ(earlier(Time::never(), late), late);
  EXPECT_EQ(later(late, Time::never()), Time::never());
}

#if defined(WEFT_DCHECKS)
TEST(TimeDeathTest, NothingMayBeAddedToNever) { EXPECT_DEATH((void)(Time::never() + 1_ps), "is_never"); }
#endif

}  // namespace
}  // namespace weft
