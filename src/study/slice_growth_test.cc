#include "study/slice_growth.h"

#include <gtest/gtest.h>

#include "workload/training/listed_graph.h"

namespace weft::study {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::RankId;

constexpr Bytes kSlice{16 << 20};

/// Two ranks on two hosts that add up `sizes`, one after the other, of one kind each.
class Growth : public testing::Test {
 protected:
  struct Phase {
    Duration time{};
    std::uint64_t signs = 0;
  };

  void make(std::vector<Bytes> sizes, bool grows = true) {
    sizes_ = std::move(sizes);
    phases_.emplace(StepPhases::make(
        {.layout = &layout_, .communicators = {&all_, 1}, .slice = kSlice, .grows = grows, .ranks = 2}, [&](RankId) {
          workload::ListedGraph::Contents contents{.communicators = {all_}};
          for (const Bytes size : sizes_) {
            contents.nodes.push_back(
                {.work = workload::CommunicationNode{{.communicator = CommunicatorId(0), .size = size}},
                 .label = {.purpose = workload::Purpose::kData}});
          }
          return std::make_unique<workload::ListedGraph>(std::move(contents));
        }));
    board_.emplace(phases_->phases(), Duration::milliseconds(1));
  }

  /// Runs all phases: what a sample takes and meets is `of(its size)`.
  void run(const std::function<Phase(Bytes)>& of, std::uint64_t most_hops = 1'000'000) {
    growth_.emplace(SliceGrowth::Options{
        .phases = *phases_, .board = *board_, .most_hops = most_hops, .load = [this] { return load_; }});
    board_->set_skips([this](std::uint32_t phase) { return growth_->skips(phase); });
    while (!board_->over()) {
      const Bytes size = phases_->sample(board_->phase()).size;
      const Phase phase = of(size);
      ran_.push_back(size);
      load_.signs += phase.signs;
      load_.packet_hops += static_cast<std::uint64_t>(size.count() >> 20);
      const Time end = board_->begins_at() + phase.time;
      board_->record({.phase = board_->phase(), .communicator = CommunicatorId(0), .number = 0}, end);
      board_->finish(end);
    }
  }

  Duration cost(Bytes size) const {
    return phases_->cost({.communicator = all_, .request = {.communicator = CommunicatorId(0), .size = size}},
                         board_->times());
  }

  workload::JobLayout layout_{{.host = 0, .rails = {0}}, {.host = 1, .rails = {0}}};
  workload::Communicator all_{.name = "all", .members = {RankId(0), RankId(1)}};
  std::vector<Bytes> sizes_;
  std::optional<StepPhases> phases_;
  std::optional<workload::PhaseBoard> board_;
  std::optional<SliceGrowth> growth_;
  SliceGrowth::Load load_;
  std::vector<Bytes> ran_;
};

Bytes mib(std::int64_t count) { return Bytes(count << 20); }
/// 1 us for each MiB, and `more` once.
Duration line(Bytes size, std::int64_t more) { return Duration::microseconds((size.count() >> 20) + more); }

TEST_F(Growth, WithoutCongestionTwoSamplesAreEnough) {
  make({mib(100)});
  run([](Bytes size) { return Phase{.time = line(size, 3)}; });
  EXPECT_EQ(ran_, (std::vector{mib(8), mib(16)}));
  EXPECT_EQ(cost(mib(100)), line(mib(100), 3));
  EXPECT_FALSE(growth_->unsettled());
}

TEST_F(Growth, CongestionDoublesTheSliceUntilTheWholeIsPromisedTwice) {
  make({mib(1000)});
  // 40 us are lost in the beginning, by all that take longer than 8 MiB.
  run([](Bytes size) { return Phase{.time = line(size, size > mib(8) ? 40 : 0), .signs = 1}; });
  EXPECT_EQ(ran_, (std::vector{mib(8), mib(16), mib(32), mib(64)}));
  EXPECT_FALSE(growth_->unsettled());
  // By the line through 8 and 16 it would be 5.96 ms.
  EXPECT_EQ(cost(mib(1000)), line(mib(1000), 40));
}

TEST_F(Growth, EndsWithTheWhole) {
  make({mib(40)});
  run([](Bytes size) {
    return Phase{.time = line(size, size == mib(32) ? 30 : size == mib(40) ? 500 : 0), .signs = 1};
  });
  EXPECT_EQ(ran_.back(), mib(40));
  EXPECT_EQ(cost(mib(40)), line(mib(40), 500));
  EXPECT_FALSE(growth_->unsettled());
}

TEST_F(Growth, IsContentWithTwoOfOnePromise) {
  make({mib(1000)});
  run([](Bytes size) { return Phase{.time = line(size, size.count() >> 18), .signs = 1}; });
  EXPECT_EQ(ran_, (std::vector{mib(8), mib(16), mib(32)}));
  EXPECT_FALSE(growth_->unsettled());
}

TEST_F(Growth, GivesUpBeyondTheHopsOfTheRun) {
  make({mib(1000)});
  run([](Bytes size) { return Phase{.time = line(size, size == mib(32) ? 20 : 0), .signs = 1}; }, 60);
  EXPECT_EQ(ran_, (std::vector{mib(8), mib(16), mib(32)}));
  ASSERT_TRUE(growth_->unsettled());
  EXPECT_EQ(growth_->unsettled()->longest, mib(32));
  // 1000 us by 8 and 16; by 16 and 32 it is 52 + 968 * 36 / 16.
  EXPECT_NEAR(growth_->unsettled()->change.value(), 1.23, 0.001);
}

TEST_F(Growth, LongerSamplesOfAllOperationsComeBehindTheirFirst) {
  make({mib(64), mib(65)});
  run([](Bytes size) { return Phase{.time = line(size, size.count() >> 19), .signs = 1}; });
  EXPECT_EQ(ran_, (std::vector{mib(8), mib(16), mib(8), mib(16), mib(32), mib(32)}));
}

TEST_F(Growth, IsOffWhereSlicesDoNotGrow) {
  make({mib(100)}, false);
  EXPECT_EQ(phases_->phases(), 2U);
}

TEST_F(Growth, ASliceOfAByteStillHasAShorterOne) {
  phases_.emplace(
      StepPhases::make({.layout = &layout_, .communicators = {&all_, 1}, .slice = Bytes(1), .ranks = 2}, [&](RankId) {
        workload::ListedGraph::Contents contents{.communicators = {all_}};
        contents.nodes.push_back(
            {.work = workload::CommunicationNode{{.communicator = CommunicatorId(0), .size = mib(1)}}});
        return std::make_unique<workload::ListedGraph>(std::move(contents));
      }));
  ASSERT_EQ(phases_->phases(), 2U);
  EXPECT_LT(phases_->sample(0).size, phases_->sample(1).size);
}

}  // namespace
}  // namespace weft::study
