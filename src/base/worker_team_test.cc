#include "base/worker_team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace weft {
namespace {

TEST(WorkerTeam, RunsEveryPartOnAWorkerOfItsOwn) {
  for (const std::uint32_t workers : {1U, 2U, 5U}) {
    WorkerTeam team(workers);
    EXPECT_EQ(team.size(), workers);
    std::vector<WorkerIndex> seen(workers, kMaxWorkers);
    for (int call = 0; call < 100; ++call) {
      team.run([&](WorkerIndex worker) { seen[worker] = this_worker; });
      for (WorkerIndex worker = 0; worker < workers; ++worker) {
        EXPECT_EQ(seen[worker], worker);
        seen[worker] = kMaxWorkers;
      }
    }
    EXPECT_EQ(this_worker, 0U);
  }
}

/// Rounds in which every part counts, and sees that all parts of the round before have counted.
struct Counting {
  struct alignas(64) Count {
    std::uint64_t value = 0;
    std::uint64_t before = 0;  // parts of the round before, as the turn has put them together
  };

  explicit Counting(std::uint32_t workers) : counts(workers) {}

  void count(WorkerIndex worker) {
    wrong_worker = wrong_worker || worker != this_worker;
    ++counts[worker].value;
    counts[worker].before = sum;
  }
  void add_up() {
    wrong_worker = wrong_worker || this_worker != 0;
    for (const Count& each : counts) {
      wrong += each.value == round + 1 && each.before == round * counts.size() ? 0 : 1;
    }
    ++round;
    sum = round * counts.size();
  }

  std::vector<Count> counts;
  std::uint64_t round = 0;
  std::uint64_t sum = 0;
  std::uint64_t wrong = 0;
  std::atomic<bool> wrong_worker = false;
};

TEST(WorkerTeam, DoesEveryPartOnceInEveryRound) {
  for (const std::uint32_t workers : {1U, 2U, 3U, 8U}) {
    WorkerTeam team(workers);
    Counting counting(workers);
    for (std::uint64_t rounds = 1; rounds <= 1'000; rounds += 333) {
      const std::uint64_t end = counting.round + rounds;
      team.run_rounds({.part = [&](WorkerIndex worker) { counting.count(worker); },
                       .turn =
                           [&] {
                             counting.add_up();
                             return counting.round < end;
                           }});
      EXPECT_EQ(counting.round, end);
    }
    EXPECT_EQ(counting.wrong, 0U);
    EXPECT_FALSE(counting.wrong_worker);
    EXPECT_EQ(this_worker, 0U);
  }
}

// Longer than anyone spins: whoever waits sleeps, and its next part is done by the one that goes on.
TEST(WorkerTeam, TakesOverWhatASleepingThreadHasNotBegun) {
  WorkerTeam team(2);
  Counting counting(2);
  for (int call = 0; call < 1'000 && team.parts_taken_over() == 0; ++call) {
    const std::uint64_t end = counting.round + 50;
    team.run_rounds({.part =
                         [&](WorkerIndex worker) {
                           counting.count(worker);
                           if (counting.round + 50 == end && worker == 0) {
                             std::this_thread::sleep_for(std::chrono::milliseconds(2));
                           }
                         },
                     .turn =
                         [&] {
                           counting.add_up();
                           return counting.round < end;
                         }});
  }
  EXPECT_GT(team.parts_taken_over(), 0U);
  EXPECT_EQ(counting.wrong, 0U);
  EXPECT_FALSE(counting.wrong_worker);
}

}  // namespace
}  // namespace weft
