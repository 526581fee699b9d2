// The ring all-reduce over real engines: bytes per rank, and, with real bytes, the sum itself.
#include "workload/ring_all_reduce.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "tests/workload/small_world.h"

namespace weft::testing {
namespace {

using workload::RankId;
using workload::RingAllReduce;
using workload::RingAllReduceOptions;

std::int32_t load(const std::vector<std::byte>& memory, std::uint64_t at) {
  std::int32_t value = 0;
  std::memcpy(&value, memory.data() + at, sizeof value);
  return value;
}

class Adder final : public workload::ChunkReducer {
 public:
  explicit Adder(std::vector<std::byte>& memory) : memory_(memory) {}
  void reduce(const Operands& operands) override {
    for (std::int64_t i = 0; i < operands.size.count(); i += 4) {
      const auto at = static_cast<std::uint64_t>(i);
      const std::int32_t sum = load(memory_, operands.data + at) + load(memory_, operands.scratch + at);
      std::memcpy(memory_.data() + operands.data + at, &sum, sizeof sum);
    }
  }

 private:
  std::vector<std::byte>& memory_;
};

void run_ring(SmallWorld& world, const RingAllReduceOptions& common,
              std::vector<std::unique_ptr<Adder>>* adders = nullptr) {
  world.run([&](workload::Messenger& messenger, workload::DeliveryMatcher& matcher, RankId rank) {
    RingAllReduceOptions options = common;
    options.job = world.job().id;
    options.rank = rank;
    options.shape.ranks = world.job().ranks;
    if (adders != nullptr) {
      adders->push_back(std::make_unique<Adder>(world.memory(rank.value())));
      options.reducer = adders->back().get();
    }
    return RingAllReduce::make(messenger, matcher, options).value();
  });
}

TEST(RingAllReduce, EveryRankSendsItsShareAndEachRankFinishes) {
  for (std::uint32_t ranks = 1; ranks <= 9; ++ranks) {
    SmallWorld world({.ranks = ranks});
    const Bytes size(static_cast<std::int64_t>(ranks) * 60'000);
    run_ring(world, {.shape = {.size = size, .chunk = Bytes(16'384)}, .iterations = 3});
    EXPECT_TRUE(world.all_done()) << ranks;
    EXPECT_EQ(world.recorded.collectives.size(), 3U * ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto& program = dynamic_cast<const RingAllReduce&>(world.program(rank));
      EXPECT_EQ(program.bytes_sent(), size * (2 * (static_cast<std::int64_t>(ranks) - 1)) / ranks * 3) << ranks;
    }
    for (const workload::MessageRecord& message : world.recorded.messages)
      EXPECT_FALSE(message.delivered.is_never());
  }
}

TEST(RingAllReduce, ChunksArePipelinedRoundTheRing) {
  // Without a rate to share, each step takes one latency; only the last completion needs the way back.
  SmallWorld world({.ranks = 5});
  run_ring(world, {.shape = {.size = Bytes(5 * 40'000), .chunk = Bytes(10'000)}});
  const Time expected = Time::zero() + SmallWorld::kLatency * (2 * 4 + 1);
  for (const workload::CollectiveRecord& record : world.recorded.collectives)
    EXPECT_EQ(record.finished, expected);
}

TEST(RingAllReduce, AddingTakesTheTimeThatItsRateSays) {
  SmallWorld world({.ranks = 2});
  const Rate rate = 80_gbps;
  run_ring(world, {.shape = {.size = Bytes(20'000), .chunk = Bytes(10'000)}, .reduce_rate = rate});
  const Time expected = Time::zero() + 3 * SmallWorld::kLatency + rate.transmit_time(Bytes(10'000));
  ASSERT_EQ(world.recorded.collectives.size(), 2U);
  for (const workload::CollectiveRecord& record : world.recorded.collectives)
    EXPECT_EQ(record.finished, expected);
}

void expect_sums(SmallWorld& world, std::uint64_t elements, std::int32_t factor) {
  const auto ranks = static_cast<std::int32_t>(world.job().ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t i = 0; i < elements; ++i) {
      const std::int32_t sum = ranks * (ranks + 1) / 2 * static_cast<std::int32_t>(i + 1) * factor;
      ASSERT_EQ(load(world.memory(static_cast<std::uint32_t>(rank)), 4 * i), sum)
          << "rank " << rank << ", element " << i;
    }
  }
}

void run_sum(SmallWorld& world, std::uint64_t elements, const RingAllReduceOptions& options) {
  for (std::uint32_t rank = 0; rank < world.job().ranks; ++rank) {
    for (std::uint64_t i = 0; i < elements; ++i) {
      const auto value = static_cast<std::int32_t>((rank + 1) * (i + 1));
      std::memcpy(world.memory(rank).data() + 4 * i, &value, sizeof value);
    }
  }
  std::vector<std::unique_ptr<Adder>> adders;
  run_ring(world, options, &adders);
  EXPECT_TRUE(world.all_done());
}

TEST(RingAllReduce, EveryRankHasTheSumForAnyRankCountAndSize) {
  for (std::uint32_t ranks = 1; ranks <= 9; ++ranks) {
    for (const std::uint64_t elements : {0U, 1U, 5U, 1000U, 1001U}) {
      SmallWorld world({.ranks = ranks, .memory_bytes = 8 * elements + 8});
      run_sum(world, elements,
              {.shape = {.size = Bytes(static_cast<std::int64_t>(4 * elements)), .chunk = Bytes(256)}});
      expect_sums(world, elements, 1);
    }
  }
}

TEST(RingAllReduce, EveryRankHasTheSumOverSeveralQueuePairsWithLossAndSlowAdding) {
  constexpr std::uint64_t kElements = 3001;
  SmallWorld world({.ranks = 4, .memory_bytes = 8 * kElements});
  RandomStream random(3, "loss");
  world.loses = [&](const wire::Packet&) {
    return random.bernoulli(Probability::from_ratio({.numerator = 1, .denominator = 50}));
  };
  RingAllReduceOptions options{.shape = {.size = Bytes(4 * kElements), .chunk = Bytes(128)}, .iterations = 3};
  options.connection.queue_pairs = 3;
  options.connection.max_send_wr = 4;
  options.reduce_rate = 1_gbps;
  run_sum(world, kElements, options);
  // Each further all-reduce adds four equal buffers.
  expect_sums(world, kElements, 4 * 4);
}

}  // namespace
}  // namespace weft::testing
