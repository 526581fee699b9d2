#include "base/shared_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <set>
#include <vector>

#include "base/random.h"
#include "base/worker_team.h"

namespace weft {
namespace {

struct Record {
  std::uint64_t owner = 7;
  std::uint64_t number = 0;
};

TEST(SharedPool, OfOneWorkerGivesNewRecordsInOrderAndReleasedOnesBack) {
  SharedPool<Record> pool(1 << 16);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    ASSERT_EQ(pool.allocate(), i);
    ASSERT_EQ(pool[i].owner, 7U);
    pool[i].owner = i;
  }
  EXPECT_EQ(pool.live_count(), 5'000U);
  EXPECT_EQ(pool.heap_bytes(), 5'000 * sizeof(Record));
  pool.release(17);
  pool.release(4);
  EXPECT_EQ(pool.live_count(), 4'998U);
  EXPECT_EQ(pool.allocate(), 4U);
  EXPECT_EQ(pool[4].owner, 7U);
  EXPECT_EQ(pool.allocate(), 17U);
  EXPECT_EQ(pool.allocate(), 5'000U);
}

// One allocates, the other releases: records go round, and memory does not grow with what passes.
TEST(SharedPool, ReturnsRecordsToWhoeverAllocates) {
  constexpr std::uint32_t kRounds = 200;
  constexpr std::uint32_t kPerRound = 1'000;
  SharedPool<Record> pool(1 << 20);
  WorkerTeam team(2);
  std::barrier meeting(2);
  pool.set_workers(2);
  std::vector<std::uint32_t> handed;
  std::array<std::uint64_t, 2> wrong{};
  team.run([&](WorkerIndex worker) {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      if (worker == 0) {
        for (std::uint32_t i = 0; i < kPerRound; ++i) {
          handed.push_back(pool.allocate());
          pool[handed.back()] = {.owner = round, .number = i};
        }
      }
      meeting.arrive_and_wait();
      if (worker == 1) {
        for (std::uint32_t i = 0; i < kPerRound; ++i) {
          wrong[1] += pool[handed[i]].owner == round && pool[handed[i]].number == i ? 0 : 1;
          pool.release(handed[i]);
        }
        handed.clear();
      }
      meeting.arrive_and_wait();
    }
  });
  EXPECT_EQ(wrong[1], 0U);
  EXPECT_EQ(pool.live_count(), 0U);
  EXPECT_LE(pool.heap_bytes(), 8'000 * sizeof(Record));  // of 200,000 that passed
}

// At the same time, in random order: no record is anyone else's while it lives.
TEST(SharedPool, GivesNoRecordTwice) {
  constexpr std::uint32_t kWorkers = 3;
  SharedPool<Record> pool(1 << 20);
  pool.set_workers(kWorkers);
  WorkerTeam team(kWorkers);
  std::array<std::uint64_t, kWorkers> wrong{};
  std::array<std::vector<std::uint32_t>, kWorkers> own;
  team.run([&](WorkerIndex worker) {
    RandomStream random(worker, "pool");
    for (std::uint64_t i = 0; i < 30'000; ++i) {
      std::vector<std::uint32_t>& mine = own[worker];
      if (mine.empty() || random.uniform(100) < 55) {
        mine.push_back(pool.allocate());
        pool[mine.back()] = {.owner = worker, .number = mine.back()};
      } else {
        std::swap(mine[random.uniform(mine.size())], mine.back());
        wrong[worker] += pool[mine.back()].owner == worker && pool[mine.back()].number == mine.back() ? 0 : 1;
        pool.release(mine.back());
        mine.pop_back();
      }
    }
  });
  std::set<std::uint32_t> all;
  std::size_t count = 0;
  for (WorkerIndex worker = 0; worker < kWorkers; ++worker) {
    EXPECT_EQ(wrong[worker], 0U);
    all.insert(own[worker].begin(), own[worker].end());
    count += own[worker].size();
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(pool.live_count(), count);
}

}  // namespace
}  // namespace weft
