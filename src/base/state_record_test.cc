#include "base/state_record.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr Time kNow = Time::from_picoseconds(1'000'000);

StateRecord record(Time now, std::uint64_t count, Duration ahead, double amount) {
  StateRecord made(now);
  made.count(count);
  made.time(now + ahead);
  made.amount(amount);
  return made;
}

TEST(StateRecord, RepeatsWhenAllIsTheSameFromItsInstantOn) {
  const StateRecord one = record(kNow, 3, 5_ns, 1e9);
  EXPECT_TRUE(record(kNow + 7_us, 3, 5_ns, 1e9).repeats(one));
  EXPECT_FALSE(record(kNow + 7_us, 4, 5_ns, 1e9).repeats(one));
  EXPECT_FALSE(record(kNow + 7_us, 3, 6_ns, 1e9).repeats(one));
  EXPECT_FALSE(record(kNow + 7_us, 3, 5_ns, 1.001e9).repeats(one));
}

TEST(StateRecord, RoundingMakesNoDifference) {
  const StateRecord one = record(kNow, 3, 5_ns, 1e12);
  EXPECT_TRUE(record(kNow, 3, 5_ns + 2_ps, 1e12 + 100).repeats(one));
  EXPECT_TRUE(record(kNow, 3, 5_ns - 2_ps, 1e12 - 100).repeats(one));
  EXPECT_FALSE(record(kNow, 3, 5_ns + 3_ps, 1e12).repeats(one));
}

TEST(StateRecord, TimesThatHavePassedAreAllAlikeAndNeverIsItsOwn) {
  StateRecord one(kNow);
  one.time(kNow - 3_ns);
  StateRecord other(kNow);
  other.time(kNow - 1_ns);
  EXPECT_TRUE(other.repeats(one));
  StateRecord never(kNow);
  never.time(Time::never());
  EXPECT_FALSE(never.repeats(one));
  StateRecord more = one;
  more.count(0);
  EXPECT_FALSE(more.repeats(one));
}

}  // namespace
}  // namespace weft
