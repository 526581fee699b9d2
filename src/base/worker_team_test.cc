#include "base/worker_team.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
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

// What was written in front of a meeting is there behind it, round after round.
TEST(WorkerTeam, MeetsAsOftenAsItIsAskedTo) {
  constexpr std::uint32_t kWorkers = 3;
  constexpr std::uint64_t kRounds = 2'000;
  WorkerTeam team(kWorkers);
  struct alignas(64) Count {
    std::uint64_t value = 0;
  };
  std::array<Count, kWorkers> counts{};
  std::array<std::uint64_t, kWorkers> wrong{};
  team.run([&](WorkerIndex worker) {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      ++counts[worker].value;
      team.meet();
      for (const Count& count : counts) {
        wrong[worker] += count.value == round ? 0 : 1;
      }
      team.meet();
    }
  });
  for (const std::uint64_t each : wrong) {
    EXPECT_EQ(each, 0U);
  }
}

// Longer than anyone spins.
TEST(WorkerTeam, WaitsForOneThatIsLate) {
  WorkerTeam team(2);
  std::atomic<bool> done = false;
  bool seen = false;
  team.run([&](WorkerIndex worker) {
    if (worker == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done = true;
    }
    team.meet();
    if (worker == 0) {
      seen = done;
    }
  });
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace weft
