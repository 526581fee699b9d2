#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "sim/kernel.h"
#include "sim/peers_test_support.h"

namespace weft::sim {
namespace {

constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
constexpr Duration kLookahead = 100_ns;

/// What happened: when, and to whom.
using Happened = std::vector<std::pair<Time, std::uint32_t>>;

/// Actors in partitions. Each has something to do of its own from time to time, and now and then sends something to one
/// elsewhere, which comes no sooner than the distance of their partitions, at least the lookahead: it goes into the
/// other's box, and the other looks there. What an actor does depends on its own past alone. The first is of partition
/// 0, and has to do with nobody else. Partitions are dealt among as many workers as are asked for.
class Crowd {
 public:
  static constexpr std::uint32_t kActors = 13;
  static constexpr std::uint32_t kPartitions = 4;  // behind the common one

  explicit Crowd(Duration lookahead, std::uint32_t workers = 1, Peers* peers = nullptr)
      : kernel({.lookahead = lookahead,
                .event_sets = std::vector<EventSet::Options>(lookahead == Duration::zero() ? 1 : kPartitions + 1)}),
        wakes_(kActors),
        next_(kActors, Time::never()),
        boxes_(kActors),
        by_partition_(kPartitions + 1) {
    if (peers != nullptr) {
      // The workers of this process, and behind them one number for each of the others.
      std::vector<WorkerIndex> dealt{0};
      for (std::uint32_t partition = 1; partition <= kPartitions; ++partition) {
        const std::uint32_t process = partition % (peers->count() + 1);
        dealt.push_back(process == peers->own_number() ? partition % workers
                                                       : workers + process - (process > peers->own_number() ? 1 : 0));
      }
      kernel.set_peers(dealt, workers, *peers);
    } else if (workers > 1) {
      std::vector<WorkerIndex> dealt;
      for (std::uint32_t partition = 0; partition <= kPartitions; ++partition) {
        dealt.push_back(partition % workers);
      }
      kernel.set_workers(dealt);
    }
    for (std::uint32_t i = 0; i < kActors; ++i) {
      streams_.emplace_back(7, std::to_string(i));
      wakes_[i].set_rank((i * 5) % kActors);
      wakes_[i].set_partition(kernel.is_divided() ? partition_of(i) : 0);
    }
    for (std::uint32_t i = 0; i < kActors; ++i) {
      next_[i] = Time::zero() + Duration::nanoseconds(i);
      plan(i);
    }
  }
  /// As cables of very different lengths would: from the lookahead to a hundred times that, at random.
  void put_apart(std::uint64_t seed) {
    RandomStream random(seed, "distances");
    for (auto& row : distances_) {
      for (Duration& each : row) {
        each = kLookahead * (random.uniform_between({.low = 0, .high = 2}) == 0
                                 ? 1
                                 : 1 + random.uniform_between({.low = 0, .high = 99}));
      }
    }
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  [[nodiscard]] static PartitionIndex partition_of(std::uint32_t actor) {
    return actor == 0 ? 0 : 1 + actor % kPartitions;
  }
  [[nodiscard]] bool prefetches() const { return false; }
  void prefetch_first(ActorId) const {}
  void prefetch_second(ActorId) const {}
  void prefetch_third(ActorId) const {}

  [[nodiscard]] bool on_event(ActorId id, Time now) {
    const std::uint32_t actor = id.index();
    if (!wakes_[actor].fires(now)) {
      return true;
    }
    by_partition_[partition_of(actor)].emplace_back(now, actor);
    if (kernel.workers() == 1) {
      happened.emplace_back(now, actor);
    }
    boxes_[actor].erase(now);
    if (next_[actor] == now) {
      act(actor, now);
    }
    plan(actor);
    return now < stop_at;
  }
  void pack(const Crossing& crossing, std::string& bytes) const { bytes.append(crossing.content % 3, 'x'); }
  void unpack(std::string_view bytes, const Crossing& crossing) {
    EXPECT_EQ(bytes, std::string(crossing.content % 3, 'x'));
  }
  /// What was done in partitions of another process, as if it had been done here.
  void add(const Crowd& other) {
    for (PartitionIndex partition = 1; partition <= kPartitions; ++partition) {
      if (kernel.is_foreign(partition) && !other.kernel.is_foreign(partition)) {
        by_partition_[partition] = other.by_partition_[partition];
      }
    }
  }
  void take(const Crossing& crossing) {
    boxes_[crossing.target].insert(crossing.at);
    plan(crossing.target);
  }
  /// Some actor wants to be seen at the end of the window.
  [[nodiscard]] bool has_news(WorkerIndex worker) { return std::exchange(news_[worker], false); }
  [[nodiscard]] bool take_news() {
    ++news;
    return news < stop_at_news;
  }

  /// In the one order of all: what partitions did by themselves, put together.
  [[nodiscard]] Happened sorted() const {
    Happened all;
    for (const Happened& part : by_partition_) {
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end(), [this](const auto& a, const auto& b) {
      return std::tuple(a.first, wakes_[a.second].rank()) < std::tuple(b.first, wakes_[b.second].rank());
    });
    return all;
  }

  Kernel kernel;
  Happened happened;  // in the order of handling, by one worker
  std::uint64_t news = 0;
  std::uint64_t stop_at_news = ~std::uint64_t{0};
  Time stop_at = Time::never();

 private:
  void act(std::uint32_t actor, Time now) {
    RandomStream& random = streams_[actor];
    const auto below = [&](std::int64_t most) { return random.uniform_between({.low = 0, .high = most}); };
    if (actor == 0) {
      next_[0] = now + 730_ns;
      return;
    }
    next_[actor] = now + Duration::nanoseconds(1 + below(150));
    if (below(3) == 0) {
      const auto other = static_cast<std::uint32_t>(1 + below(kActors - 2));
      const Duration distance = distances_[partition_of(actor)][partition_of(other)];
      const Crossing sent{.at = now + distance + Duration::nanoseconds(below(400)), .target = other, .content = other};
      if (kernel.in_window() && partition_of(other) != partition_of(actor)) {
        kernel.post(partition_of(other), sent);
      } else {
        take(sent);
      }
      news_[this_worker] |= actor == 5;
    }
  }

  void plan(std::uint32_t actor) {
    const std::set<Time>& box = boxes_[actor];
    kernel.wake(wakes_[actor], ActorId(0, actor), box.empty() ? next_[actor] : earlier(next_[actor], *box.begin()));
  }

  using Row = std::array<Duration, kPartitions + 1>;
  std::array<Row, kPartitions + 1> distances_ = [] {
    Row row;
    row.fill(kLookahead);
    std::array<Row, kPartitions + 1> rows;
    rows.fill(row);
    return rows;
  }();
  std::vector<Wake> wakes_;
  std::vector<Time> next_;
  std::vector<std::set<Time>> boxes_;
  std::vector<Happened> by_partition_;
  std::array<bool, kMaxWorkers> news_{};
  std::vector<RandomStream> streams_;
};

Happened undivided(Time limit) {
  Crowd crowd(Duration::zero());
  EXPECT_EQ(crowd.kernel.run(limit, kUnlimited, crowd), Kernel::Stop::kLimit);
  EXPECT_EQ(crowd.happened, crowd.sorted());
  return crowd.happened;
}

constexpr Time kEnd = Time::zero() + 20_us;

TEST(DividedKernel, DoesWhatAnUndividedOneDoes) {
  Crowd crowd(kLookahead);
  EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kLimit);
  EXPECT_GT(crowd.happened.size(), 2000U);
  EXPECT_NE(crowd.happened, crowd.sorted());  // or nothing was shown
  EXPECT_EQ(crowd.sorted(), undivided(kEnd));
}

TEST(DividedKernel, DoesTheSameOnAnyNumberOfWorkers) {
  Crowd alone(kLookahead);
  (void)alone.kernel.run(kEnd, kUnlimited, alone);
  EXPECT_GT(alone.news, 20U);
  for (const std::uint32_t workers : {2U, 3U, 4U}) {
    Crowd crowd(kLookahead, workers);
    EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kLimit);
    EXPECT_EQ(crowd.sorted(), alone.sorted());
    EXPECT_EQ(crowd.kernel.events(), alone.kernel.events());
    EXPECT_EQ(crowd.kernel.now(), alone.kernel.now());
    EXPECT_EQ(crowd.news, alone.news);
  }
}

// Ways of very different lengths; also with more threads than processors, which then do one another's parts.
TEST(DividedKernel, DoesTheSameHoweverFarPartitionsAreApart) {
  std::set<Happened> different;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Crowd whole(Duration::zero());
    whole.put_apart(seed);
    (void)whole.kernel.run(kEnd, kUnlimited, whole);
    different.insert(whole.happened);
    for (const std::uint32_t workers : {1U, 2U, 3U, 4U}) {
      Crowd crowd(kLookahead, workers);
      crowd.put_apart(seed);
      EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kLimit);
      EXPECT_EQ(crowd.sorted(), whole.happened) << "seed " << seed << ", workers " << workers;
    }
  }
  EXPECT_EQ(different.size(), 4U);
}

TEST(DividedKernel, StopsOnNewsWhereverTheyComeFrom) {
  for (const std::uint32_t workers : {1U, 2U, 3U}) {
    Crowd crowd(kLookahead, workers);
    crowd.stop_at_news = 7;
    EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kAsked);
    EXPECT_EQ(crowd.news, 7U);
    Crowd alone(kLookahead);
    EXPECT_EQ(alone.kernel.run(crowd.kernel.stop_end(), kUnlimited, alone), Kernel::Stop::kLimit);
    EXPECT_EQ(crowd.sorted(), alone.sorted());
  }
}

TEST(DividedKernel, KeepsTheOneOrderWhereItIsAskedTo) {
  Crowd crowd(kLookahead);
  EXPECT_EQ(crowd.kernel.run_in_order(kEnd, kUnlimited, crowd), Kernel::Stop::kLimit);
  EXPECT_EQ(crowd.happened, undivided(kEnd));
}

TEST(DividedKernel, GivesTheSameInSlicesAndInBothWaysByTurns) {
  for (const std::uint32_t workers : {1U, 3U}) {
    Crowd crowd(kLookahead, workers);
    bool in_order = false;
    for (Time limit = Time::zero() + 37_ns; limit < kEnd; limit += 37_ns) {
      (void)(in_order ? crowd.kernel.run_in_order(limit, kUnlimited, crowd)
                      : crowd.kernel.run(limit, kUnlimited, crowd));
      EXPECT_LE(crowd.kernel.now(), limit);
      in_order = !in_order;
    }
    (void)crowd.kernel.run(kEnd, kUnlimited, crowd);
    EXPECT_EQ(crowd.sorted(), undivided(kEnd));
  }
}

TEST(DividedKernel, LetsWhatConcernsAllHappenWhenEverythingBeforeHasBeenDone) {
  Crowd crowd(kLookahead);
  (void)crowd.kernel.run(kEnd, kUnlimited, crowd);
  Time latest;
  for (const auto& [time, actor] : crowd.happened) {
    if (actor == 0) {
      EXPECT_LE(latest, time);
    }
    latest = later(latest, time);
  }
  EXPECT_EQ(std::ranges::count(crowd.happened, 0U, &Happened::value_type::second), 28);  // every 730 ns
}

TEST(DividedKernel, StopsAtTheEndOfTheWindowHoweverItRuns) {
  std::uint32_t workers = 0;
  for (const Time stop : {Time::zero() + 512_ns, Time::zero() + 731_ns, Time::zero() + 1999_ns}) {
    Crowd windows(kLookahead, ++workers);
    windows.stop_at = stop;
    EXPECT_EQ(windows.kernel.run(Time::never(), kUnlimited, windows), Kernel::Stop::kAsked);
    Crowd in_order(kLookahead);
    in_order.stop_at = stop;
    EXPECT_EQ(in_order.kernel.run_in_order(Time::never(), kUnlimited, in_order), Kernel::Stop::kAsked);
    EXPECT_EQ(windows.sorted(), in_order.happened);
    EXPECT_EQ(windows.kernel.now(), in_order.kernel.now());
    EXPECT_GE(windows.kernel.now(), stop);
    EXPECT_LT(windows.kernel.now(), stop + 2 * kLookahead);
  }
}

TEST(DividedKernel, TakesAtLeastItsBudgetAndLittleMore) {
  Crowd crowd(kLookahead);
  EXPECT_EQ(crowd.kernel.run(kEnd, 500, crowd), Kernel::Stop::kAsked);
  EXPECT_GE(crowd.kernel.events(), 500U);
  EXPECT_LT(crowd.kernel.events(), 800U);
  Crowd in_order(kLookahead);
  EXPECT_EQ(in_order.kernel.run_in_order(kEnd, 500, in_order), Kernel::Stop::kAsked);
  EXPECT_EQ(in_order.kernel.events(), 500U);
}

/// Crowds of as many processes, each a thread of this one: what becomes of each, put together in the first.
std::vector<std::unique_ptr<Crowd>> run_in_processes(std::uint32_t processes, std::uint32_t workers,
                                                     const std::function<void(Crowd&)>& run,
                                                     std::uint64_t leaves_after = ~std::uint64_t{0}) {
  MeetingPlace place(processes);
  std::vector<std::unique_ptr<ThreadPeers>> peers;
  std::vector<std::unique_ptr<Crowd>> crowds;
  for (std::uint32_t number = 0; number < processes; ++number) {
    peers.push_back(std::make_unique<ThreadPeers>(place, number));
    crowds.push_back(std::make_unique<Crowd>(kLookahead, workers, peers.back().get()));
  }
  peers.back()->leave_after(leaves_after);
  std::vector<std::thread> threads;
  for (const auto& crowd : crowds) {
    threads.emplace_back([&run, &crowd] { run(*crowd); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::uint32_t number = 1; number < processes; ++number) {
    crowds[0]->add(*crowds[number]);
  }
  return crowds;
}

TEST(DividedKernel, DoesTheSameInSeveralProcesses) {
  Crowd alone(kLookahead);
  (void)alone.kernel.run(kEnd, kUnlimited, alone);
  for (const auto& [processes, workers] : {std::pair{2U, 1U}, {3U, 1U}, {4U, 1U}, {2U, 2U}}) {
    const auto crowds = run_in_processes(processes, workers, [](Crowd& crowd) {
      for (Time limit = Time::zero() + 3_us; limit < kEnd; limit += 3_us) {
        EXPECT_EQ(crowd.kernel.run(limit, kUnlimited, crowd), Kernel::Stop::kLimit);
      }
      EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kLimit);
    });
    EXPECT_EQ(crowds[0]->sorted(), alone.sorted());
    for (const auto& crowd : crowds) {
      EXPECT_EQ(crowd->kernel.events(), alone.kernel.events());
      EXPECT_EQ(crowd->kernel.now(), alone.kernel.now());
      EXPECT_EQ(crowd->news, alone.news);
    }
  }
}

TEST(DividedKernel, StopsInAllProcessesAtTheSameInstant) {
  Crowd alone(kLookahead);
  alone.stop_at_news = 7;
  (void)alone.kernel.run(kEnd, kUnlimited, alone);
  const auto crowds = run_in_processes(3, 1, [](Crowd& crowd) {
    crowd.stop_at_news = 7;
    EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kAsked);
  });
  EXPECT_EQ(crowds[0]->sorted(), alone.sorted());
  EXPECT_EQ(crowds[0]->kernel.stop_end(), alone.kernel.stop_end());
  EXPECT_EQ(crowds[2]->kernel.events(), alone.kernel.events());
}

TEST(DividedKernel, EndsWhereAProcessIsLost) {
  for (const std::uint64_t exchanges : {0U, 1U, 5U, 40U}) {
    const auto crowds = run_in_processes(
        3, 1, [](Crowd& crowd) { EXPECT_EQ(crowd.kernel.run(kEnd, kUnlimited, crowd), Kernel::Stop::kAsked); },
        exchanges);
    for (const auto& crowd : crowds) {
      EXPECT_TRUE(crowd->kernel.has_lost_peer());
      EXPECT_LT(crowd->kernel.now(), kEnd);
    }
  }
}

TEST(DividedKernel, SaysWhenNothingIsLeft) {
  struct Silent {
    [[nodiscard]] bool prefetches() const { return false; }
    void prefetch_first(ActorId) const {}
    void prefetch_second(ActorId) const {}
    void prefetch_third(ActorId) const {}
    [[nodiscard]] bool on_event(ActorId, Time now) { return wake.fires(now); }
    Wake wake;
  } silent;
  silent.wake.set_partition(2);
  Kernel kernel({.lookahead = kLookahead, .event_sets = std::vector<EventSet::Options>(3)});
  EXPECT_EQ(kernel.run(Time::never(), kUnlimited, silent), Kernel::Stop::kEmpty);
  kernel.wake(silent.wake, ActorId(0, 0), Time::zero() + 5_us);
  EXPECT_EQ(kernel.run(Time::zero() + 4_us, kUnlimited, silent), Kernel::Stop::kLimit);
  EXPECT_EQ(kernel.run(Time::never(), kUnlimited, silent), Kernel::Stop::kEmpty);
  EXPECT_EQ(kernel.now(), Time::zero() + 5_us);
}

}  // namespace
}  // namespace weft::sim
