#include "sim/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace weft::sim {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

/// A few actors; `act` is called for each event that means something.
struct Actors {
  explicit Actors(std::size_t count) : wakes(count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      wakes[i].set_rank(i);
    }
  }
  [[nodiscard]] bool prefetches() const { return true; }
  void prefetch_first(ActorId) const {}
  void prefetch_second(ActorId) const {}
  void prefetch_third(ActorId) const {}
  [[nodiscard]] bool on_event(ActorId actor, Time now) {
    if (wakes[actor.index()].fires(now)) {
      fired.emplace_back(actor.index(), now);
      return !act || act(actor.index(), now);
    }
    ++ignored;
    return true;
  }
  void wake(std::uint32_t actor, Duration since_start) {
    kernel.wake(wakes[actor], ActorId(0, actor), Time::zero() + since_start);
  }

  Kernel kernel;
  std::vector<Wake> wakes;
  std::vector<std::pair<std::uint32_t, Time>> fired;
  std::function<bool(std::uint32_t, Time)> act;
  int ignored = 0;
};

using Fired = std::vector<std::pair<std::uint32_t, Time>>;

TEST(Kernel, WakesActorsInOrderOfTimeThenRank) {
  Actors actors(3);
  actors.wakes[2].set_rank(0);
  actors.wakes[0].set_rank(2);
  actors.wake(0, 5_ns);
  actors.wake(1, 4_ns);
  actors.wake(2, 5_ns);
  EXPECT_EQ(actors.kernel.run(Time::never(), kUnlimited, actors), Kernel::Stop::kEmpty);
  EXPECT_EQ(actors.fired, (Fired{{1, Time::zero() + 4_ns}, {2, Time::zero() + 5_ns}, {0, Time::zero() + 5_ns}}));
  EXPECT_EQ(actors.kernel.now(), Time::zero() + 5_ns);
}

TEST(Kernel, AnEarlierWakeUpReplacesTheOneThatIsPending) {
  Actors actors(1);
  actors.wake(0, 9_ns);
  actors.wake(0, 3_ns);
  actors.wake(0, 7_ns);
  (void)actors.kernel.run(Time::never(), kUnlimited, actors);
  EXPECT_EQ(actors.fired, (Fired{{0, Time::zero() + 3_ns}}));
  EXPECT_EQ(actors.ignored, 1);  // that of 9 ns still came
  EXPECT_EQ(actors.kernel.events(), 2U);
}

TEST(Kernel, AForgottenWakeUpMeansNothing) {
  Actors actors(1);
  actors.wake(0, 3_ns);
  actors.wakes[0].cancel();
  actors.wake(0, 8_ns);
  (void)actors.kernel.run(Time::never(), kUnlimited, actors);
  EXPECT_EQ(actors.fired, (Fired{{0, Time::zero() + 8_ns}}));
}

TEST(Kernel, AWakeUpAtThePresentInstantRunsAfterTheActorThatAskedForIt) {
  Actors actors(3);
  actors.wake(1, 5_ns);
  actors.wake(2, 5_ns);
  actors.act = [&](std::uint32_t actor, Time) {
    if (actor == 1) {
      actors.wake(0, 5_ns);  // a lower rank than the present one
    }
    return true;
  };
  (void)actors.kernel.run(Time::never(), kUnlimited, actors);
  ASSERT_EQ(actors.fired.size(), 3U);
  EXPECT_EQ(actors.fired[0].first, 1U);
  EXPECT_EQ(actors.fired[1].first, 0U);
  EXPECT_EQ(actors.fired[2].first, 2U);
}

TEST(Kernel, TheActorThatIsBeingHandledIsWokenAgainAmongTheOthers) {
  // At once, in the same bucket, in the next ones, and beyond all buckets.
  const std::vector<Duration> delays{0_ns, 100_ps, 300_ps, 5_ns, 2_us, 70_ms, 0_ns, 1_ns};
  Actors actors(2);
  std::vector<std::size_t> done(2);
  actors.act = [&](std::uint32_t actor, Time now) {
    if (done[actor] < delays.size()) {
      actors.kernel.reschedule_current(actors.wakes[actor], now + delays[done[actor]++]);
    }
    return true;
  };
  actors.wake(0, 1_ns);
  actors.wake(1, 1_ns);
  EXPECT_EQ(actors.kernel.run(Time::never(), kUnlimited, actors), Kernel::Stop::kEmpty);
  std::vector<Time> times{Time::zero() + 1_ns};
  for (const Duration delay : delays) {
    times.push_back(times.back() + delay);
  }
  for (std::uint32_t actor = 0; actor < 2; ++actor) {
    std::vector<Time> woken;
    for (const auto& [who, when] : actors.fired) {
      if (who == actor) {
        woken.push_back(when);
      }
    }
    EXPECT_EQ(woken, times);
  }
  EXPECT_TRUE(std::ranges::is_sorted(actors.fired, {}, [](const auto& fired) { return fired.second; }));
  EXPECT_EQ(actors.ignored, 0);
}

TEST(Kernel, StopsBeforeTheFirstEventAfterTheLimitAndGoesOnFromThere) {
  Actors actors(2);
  actors.wake(0, 10_ns);
  actors.wake(1, 11_ns);
  EXPECT_EQ(actors.kernel.run(Time::zero() + 10_ns, kUnlimited, actors), Kernel::Stop::kLimit);
  EXPECT_EQ(actors.fired.size(), 1U);
  EXPECT_EQ(actors.kernel.run(Time::zero() + 11_ns, kUnlimited, actors), Kernel::Stop::kEmpty);
  EXPECT_EQ(actors.fired.size(), 2U);
}

TEST(Kernel, TakesNoMoreEventsThanItsBudget) {
  Actors actors(1);
  actors.act = [&](std::uint32_t actor, Time now) {
    actors.kernel.wake(actors.wakes[actor], ActorId(0, actor), now + 1_ns);
    return true;
  };
  actors.wake(0, 1_ns);
  EXPECT_EQ(actors.kernel.run(Time::never(), 7, actors), Kernel::Stop::kAsked);
  EXPECT_EQ(actors.kernel.events(), 7U);
  EXPECT_EQ(actors.kernel.now(), Time::zero() + 7_ns);
}

TEST(Kernel, StopsAfterTheEventWhoseHandlerAsksForIt) {
  Actors actors(2);
  actors.wake(0, 1_ns);
  actors.wake(1, 1_ns);
  actors.act = [](std::uint32_t actor, Time) { return actor != 0; };
  EXPECT_EQ(actors.kernel.run(Time::never(), kUnlimited, actors), Kernel::Stop::kAsked);
  EXPECT_EQ(actors.fired.size(), 1U);
}

TEST(Kernel, SlicesOfARunGiveTheEventsOfTheWhole) {
  const auto run = [](Duration slice) {
    Actors actors(4);
    actors.act = [&](std::uint32_t actor, Time now) {
      actors.kernel.wake(actors.wakes[actor], ActorId(0, actor), now + Duration::nanoseconds(actor + 3));
      return true;
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
      actors.wake(i, 1_ns);
    }
    for (Time limit = Time::zero() + slice; limit <= Time::zero() + 1000_ns; limit += slice) {
      (void)actors.kernel.run(limit, kUnlimited, actors);
    }
    return actors.fired;
  };
  EXPECT_EQ(run(1000_ns), run(1_ns));
  EXPECT_EQ(run(1000_ns), run(125_ns));
}

}  // namespace
}  // namespace weft::sim
