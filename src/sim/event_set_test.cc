#include "sim/event_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/random.h"

namespace weft::sim {
namespace {

Time at(std::int64_t picoseconds) { return Time::from_picoseconds(picoseconds); }
Event event(std::int64_t picoseconds, std::uint32_t rank) { return {at(picoseconds), rank, ActorId(0, rank)}; }

std::vector<Event> drain(EventSet& set, Time limit = Time::from_picoseconds(std::int64_t{1} << 60)) {
  std::vector<Event> all;
  Event next;
  while (set.pop(next, limit)) {
    all.push_back(next);
  }
  return all;
}

bool before(const Event& a, const Event& b) { return a.before(b); }

TEST(EventSet, IsEmptyAtFirst) {
  EventSet set;
  Event none;
  EXPECT_EQ(set.size(), 0U);
  EXPECT_FALSE(set.pop(none, at(1'000'000)));
}

TEST(EventSet, GivesEventsByTimeThenRank) {
  EventSet set;
  const std::array<Event, 5> given{event(500, 2), event(300, 9), event(500, 1), event(299, 7), event(300, 3)};
  for (const Event& one : given) {
    set.insert(one);
  }
  std::vector<Event> expected(given.begin(), given.end());
  std::sort(expected.begin(), expected.end(), before);
  EXPECT_EQ(drain(set), expected);
}

TEST(EventSet, KeepsWhatIsAfterTheLimit) {
  EventSet set;
  set.insert(event(10, 0));
  set.insert(event(20, 0));
  Event next;
  EXPECT_TRUE(set.pop(next, at(10)));
  EXPECT_FALSE(set.pop(next, at(19)));
  EXPECT_EQ(set.size(), 1U);
  EXPECT_TRUE(set.pop(next, at(20)));
  EXPECT_EQ(next, event(20, 0));
}

TEST(EventSet, TakesAnEventBeforeOneThatTheLimitHeldBack) {
  // The bucket of the late event has been opened already when the earlier one comes.
  EventSet set({.bucket_shift = 4, .bucket_count_shift = 6});
  set.insert(event(1'000'000, 0));
  Event next;
  EXPECT_FALSE(set.pop(next, at(5)));
  set.insert(event(7, 1));
  set.insert(event(999'999, 1));
  EXPECT_EQ(drain(set), (std::vector{event(7, 1), event(999'999, 1), event(1'000'000, 0)}));
}

TEST(EventSet, PutsAnEventOfThePresentInstantAmongThoseThatRemain) {
  EventSet set;
  for (const std::uint32_t rank : {1U, 3U, 5U}) {
    set.insert(event(100, rank));
  }
  Event next;
  ASSERT_TRUE(set.pop(next, at(100)));
  set.insert(event(100, 4));
  set.insert(event(100, 0));  // its rank has passed: it comes next, not never
  EXPECT_EQ(drain(set), (std::vector{event(100, 0), event(100, 3), event(100, 4), event(100, 5)}));
}

TEST(EventSet, FindsEveryBucketOfTheRingFromEveryPlace) {
  constexpr std::int64_t kBuckets = 8192;  // two words of the summary
  for (const std::int64_t from : {0, 1, 63, 64, 4095, 4096, 5000, 8191}) {
    for (const std::int64_t ahead : {1, 2, 63, 64, 65, 4000, 4096, 4200, 8190, 8191, 8192, 8193, 20'000}) {
      EventSet set({.bucket_shift = 3, .bucket_count_shift = 13});
      set.insert(event((kBuckets + from) * 8, 0));
      Event next;
      ASSERT_TRUE(set.pop(next, at(std::int64_t{1} << 40)));
      const Event wanted = event((kBuckets + from + ahead) * 8 + 5, 1);
      set.insert(wanted);
      ASSERT_TRUE(set.pop(next, at(std::int64_t{1} << 40))) << from << " + " << ahead;
      EXPECT_EQ(next, wanted);
      EXPECT_EQ(set.size(), 0U);
    }
  }
}

TEST(EventSet, HoldsTheSameEventTwice) {
  EventSet set;
  set.insert(event(9, 1));
  set.insert(event(9, 1));
  EXPECT_EQ(drain(set).size(), 2U);
}

TEST(EventSet, PeeksAtEventsInTheOrderInWhichTheyCome) {
  EventSet set({.bucket_shift = 10, .bucket_count_shift = 6, .prefetches = true});
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    set.insert(event(100 + rank, rank));
  }
  Event next;
  ASSERT_TRUE(set.pop_prefetching(next, at(1000)));
  EXPECT_EQ(*set.peek(3), event(104, 4));
}

TEST(EventSet, PeeksIntoTheBucketsThatFollowClosely) {
  EventSet set({.bucket_shift = 4, .bucket_count_shift = 10, .prefetches = true});
  for (std::uint32_t i = 0; i < 100; ++i) {
    set.insert(event(100 + 10 * i, i));
  }
  Event next;
  ASSERT_TRUE(set.pop_prefetching(next, at(1000)));
  for (std::size_t ahead = 0; ahead < 10; ++ahead) {
    EXPECT_EQ(*set.peek(ahead),
              event(110 + 10 * static_cast<std::int64_t>(ahead), static_cast<std::uint32_t>(ahead) + 1));
  }
}

TEST(EventSet, ForgetsNothingOfALongListOfBuckets) {
  // More events of one instant than any list had before, and more buckets than are opened beforehand.
  EventSet set({.bucket_shift = 0, .bucket_count_shift = 8});
  std::vector<Event> expected;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    expected.push_back(event(5 + i / 100, i));
    set.insert(expected.back());
  }
  EXPECT_EQ(drain(set), expected);
}

TEST(EventSet, MemoryFollowsThePendingEventsNotTheTraffic) {
  EventSet set;
  Event next;
  for (std::uint32_t i = 0; i < 100; ++i) {
    set.insert(event(100 + i, i));
  }
  const auto turn_over = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(set.pop(next, Time::from_picoseconds(std::int64_t{1} << 60)));
      set.insert({next.time + Duration::picoseconds(1'000'000), 0, next.actor()});
    }
  };
  turn_over(1'000);
  const std::size_t settled = set.heap_bytes();
  turn_over(50'000);
  EXPECT_LE(set.heap_bytes(), 2 * settled);
}

struct Shape {
  EventSet::Options options;
  std::int64_t spread;  // delays up to this
};

class EventSetAgainstSortedList : public ::testing::TestWithParam<Shape> {};

// Random insertions and removals, limits included, beside a list that is kept sorted.
TEST_P(EventSetAgainstSortedList, AgreesEventForEvent) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EventSet set(GetParam().options);
    std::vector<Event> list;
    RandomStream random(seed, "event set");
    Time now;
    for (int step = 0; step < 3'000; ++step) {
      if (random.uniform(100) < 52 && list.size() < 300) {
        const std::uint64_t kind = random.uniform(10);
        const auto delay = kind == 0 ? 0
                                     : static_cast<std::int64_t>(random.uniform(static_cast<std::uint64_t>(
                                           kind < 8 ? GetParam().spread : 100 * GetParam().spread)));
        const Event one((now + Duration::picoseconds(delay)), static_cast<std::uint32_t>(random.uniform(50)),
                        ActorId(1, static_cast<std::uint32_t>(step)));
        if (random.uniform(2) == 0 || !set.insert_if_open(one)) {
          set.insert(one);
        }
        list.insert(std::upper_bound(list.begin(), list.end(), one, before), one);
        continue;
      }
      const Time limit = now + Duration::picoseconds(static_cast<std::int64_t>(
                                   random.uniform(static_cast<std::uint64_t>(GetParam().spread))));
      Event next;
      const bool popped = GetParam().options.prefetches ? set.pop_prefetching(next, limit) : set.pop(next, limit);
      ASSERT_EQ(popped, !list.empty() && list.front().time <= limit) << "seed " << seed << " step " << step;
      if (popped) {
        ASSERT_EQ(next, list.front()) << "seed " << seed << " step " << step;
        list.erase(list.begin());
        now = next.time;
      } else {
        now = limit;
      }
      ASSERT_EQ(set.size(), list.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, EventSetAgainstSortedList,
                         ::testing::Values(Shape{{.bucket_shift = 0, .bucket_count_shift = 6}, 40},
                                           Shape{{.bucket_shift = 4, .bucket_count_shift = 6}, 3'000},
                                           Shape{{.bucket_shift = 8, .bucket_count_shift = 13}, 2'000'000},
                                           Shape{{.bucket_shift = 12, .bucket_count_shift = 10}, 100},
                                           Shape{{.bucket_shift = 4, .bucket_count_shift = 10, .prefetches = true}, 50},
                                           Shape{{.bucket_shift = 8, .bucket_count_shift = 13, .prefetches = true},
                                                 100'000},
                                           Shape{{.bucket_shift = 23, .bucket_count_shift = 6}, 2'000'000},
                                           Shape{{.bucket_shift = 8, .bucket_count_shift = 13}, 1'000'000'000}));

}  // namespace
}  // namespace weft::sim
