#include "study/run/slice_growth.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workload/training/listed_graph.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::RankId;
using Role = StepPhases::Role;

constexpr Bytes kSlice{16 << 20};
constexpr Bytes kPiece{4 << 20};  // of which a slice has sixteen: 64 MiB

Bytes mib(std::int64_t count) { return Bytes(count << 20); }
/// 1 us for each MiB, and `more` once.
Duration line(Bytes size, std::int64_t more) { return Duration::microseconds((size.count() >> 20) + more); }

/// Two ranks on two hosts that add up `sizes`, one after the other, of one kind each.
class Growth : public testing::Test {
 protected:
  /// What a repetition takes: of its size, and of its number within its phase.
  using TimeOf = std::function<Duration(Bytes, std::uint32_t)>;
  struct Network {
    bool shares_links = true;
    std::uint64_t signals = 0;         // of each operation
    std::uint64_t max_hops = 100'000;  // an operation takes one for each MiB
    std::uint64_t instances = 1'000;
    std::uint32_t ring_steps = 0;
    Rate rate{};                  // of the line
    std::int64_t us_for_mib = 0;  // that the fullest link takes
  };

  void make(std::vector<Bytes> sizes) {
    sizes_ = std::move(sizes);
    phases_.emplace(StepPhases::make(
        {.layout = &layout_, .communicators = {&all_, 1}, .slice = kSlice, .settles = true, .ranks = 2}, [&](RankId) {
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

  void run(const TimeOf& of) { run(of, Network()); }
  void run(const TimeOf& of, const Network& network) {
    growth_.emplace(SliceGrowth::Options{
        .phases = *phases_,
        .board = *board_,
        .max_hops = network.max_hops,
        .piece = [] { return kPiece; },
        .rate = network.rate,
        .load = [this] { return load_; },
        .instances = [&](const StepOperation&) { return network.instances; },
        .limits =
            [&](std::uint32_t phase) {
              const Bytes amount = phases_->sample(phase).amount;
              return world::PathLimits{
                  .shares_links = network.shares_links,
                  .least_time = Duration::microseconds(network.us_for_mib * (amount.count() >> 20)),
                  .flows = 2};
            }});
    board_->set_skips([this](std::uint32_t phase) { return growth_->skips(phase); });
    board_->set_repeats([this](std::uint32_t phase) { return growth_->repeats(phase); });
    while (!board_->over()) {
      const std::uint32_t phase = board_->phase();
      const Bytes size = phases_->sample(phase).amount;
      const workload::PhasedOperation operation{.phase = phase, .communicator = CommunicatorId(0)};
      board_->note_steps(operation, {.ring = network.ring_steps});
      Time now = board_->begins_at();
      std::uint32_t done = 0;
      do {
        now = now + of(size, done);
        load_.signals += network.signals;
        load_.packet_hops += static_cast<std::uint64_t>(size.count() >> 20);
        board_->record(operation, done++, 1, now);
      } while (board_->has_repetition(operation, done));
      ran_.push_back({size, done});
      board_->finish(now);
    }
  }

  Duration cost(Bytes size, StepPhases::Before before) const {
    return phases_->cost({.communicator = all_, .request = {.communicator = CommunicatorId(0), .size = size}}, *board_,
                         before);
  }
  SliceGrowth::Outcome outcome() const { return growth_->outcomes().begin()->second; }

  using Runs = std::vector<std::pair<Bytes, std::uint32_t>>;  // size and repetitions
  workload::JobLayout layout_{{.host = 0, .rails = {0}}, {.host = 1, .rails = {0}}};
  workload::Communicator all_{.name = "all", .members = {RankId(0), RankId(1)}};
  std::vector<Bytes> sizes_;
  std::optional<StepPhases> phases_;
  std::optional<workload::PhaseCoordinator> board_;
  std::optional<SliceGrowth> growth_;
  SliceGrowth::Load load_;
  Runs ran_;
};

TEST_F(Growth, WhereNoLinkIsSharedTwoProbesAreEnough) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 3); }, {.shares_links = false});
  EXPECT_EQ(ran_, (Runs{{mib(8), 1}, {mib(16), 1}}));
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kRest), line(mib(1000), 3));
  EXPECT_FALSE(outcome().contended);
  EXPECT_TRUE(outcome().settled);
}

/// The defect: chunks of short pieces did not follow one another, and the whole operation was continued at their pace.
TEST_F(Growth, ProbesWhoseTimeGrowsFasterThanTheirLinksNeedAreNotEnough) {
  make({mib(1000)});
  const TimeOf of = [](Bytes size, std::uint32_t) { return size > mib(20) ? line(size, 0) : line(size, 0) * 2; };
  run(of, {.shares_links = false, .us_for_mib = 1});
  EXPECT_EQ(ran_, (Runs{{mib(8), 1}, {mib(16), 1}, {mib(16), 3}, {mib(64), 3}}));
  EXPECT_TRUE(outcome().contended);
  EXPECT_FALSE(outcome().shares);
  EXPECT_TRUE(outcome().settled);
}

TEST_F(Growth, ProbesWhoseTimeGrowsAsTheirLinksNeedAreEnough) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 3); }, {.shares_links = false, .us_for_mib = 1});
  EXPECT_EQ(ran_, (Runs{{mib(8), 1}, {mib(16), 1}}));
  EXPECT_FALSE(outcome().contended);
}

/// The defect: two levels of an operation overlap more and more, and the line through short slices was beyond the line.
TEST_F(Growth, WhatIsContinuedFromShortSlicesIsNotFasterThanItsPaths) {
  make({mib(1000)});
  const TimeOf flat = [](Bytes size, std::uint32_t) { return Duration::microseconds(9 + (size.count() >> 21)); };
  run(flat, {.shares_links = false});
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kRest), Duration::microseconds(9 + 500));
  const StepOperation operation = growth_->outcomes().begin()->first;
  phases_->set_path_time(operation, Duration::microseconds(1000));
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kRest), Duration::microseconds(9 + 8 + 984));
  // Paths that are slower than the sample was tell nothing.
  phases_->set_path_time(operation, Duration::microseconds(9000));
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kRest), Duration::picoseconds(17'000'000 + 17'000'000LL * 984 / 16));
}

/// The defect: nothing was marked in short slices, because their pieces never met.
TEST_F(Growth, SharedLinksMakePiecesOfSeveralProductsWithoutAnyMark) {
  make({mib(1000)});
  // Flows meet where an operation is longer than 20 MiB, and take twice as long then.
  run([](Bytes size, std::uint32_t) { return size > mib(20) ? line(size, 0) * 2 : line(size, 0); });
  EXPECT_EQ(ran_, (Runs{{mib(8), 1}, {mib(16), 1}, {mib(16), 3}, {mib(64), 3}}));
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kTraffic), line(mib(1000), 0) * 2);
  EXPECT_TRUE(outcome().settled);
}

TEST_F(Growth, CongestionWithoutASharedLinkCountsAsWell) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.shares_links = false, .signals = 1});
  EXPECT_EQ(ran_.size(), 4U);
}

TEST_F(Growth, AnOperationOfAboutASliceRunsWhole) {
  make({mib(90)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); });
  EXPECT_EQ(ran_.back(), (std::pair{mib(90), 3U}));
  EXPECT_EQ(ran_.size(), 3U);
}

TEST_F(Growth, RunsBackToBackUntilTheIntervalIsNarrow) {
  make({mib(64)});
  // By turns a tenth more and less than 64 us.
  run([](Bytes size, std::uint32_t number) { return line(size, number % 2 == 0 ? -6 : 6); });
  const auto repetitions = ran_.back().second;
  EXPECT_GT(repetitions, 10U);
  EXPECT_LT(outcome().interval.value(), 0.03);
  // t s / sqrt(n): half the width, for deviations of 6 in 64.
  EXPECT_NEAR(outcome().interval.value(), 2 * 6.0 / 64 / std::sqrt(repetitions), 0.006);
  EXPECT_TRUE(outcome().settled);
}

/// The defect: batches of the slice ended when their own mean was known, which is less than the whole's time needs.
TEST_F(Growth, RepeatsUntilTheTimeOfTheWholeIsKnown) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t done) { return line(size, size > mib(20) && done % 2 == 0 ? 6 : 0); });
  const auto [size, repetitions] = ran_.back();
  EXPECT_EQ(size, mib(64));
  EXPECT_GT(repetitions, 12U) << "of twelve the mean is known to 3 %, and the whole to 4";
  EXPECT_LT(outcome().interval.value_or(1), 0.03);
  EXPECT_TRUE(outcome().settled);
}

TEST_F(Growth, TheFirstIsFromRestAndNoneOfTheBatches) {
  make({mib(64)});
  run([](Bytes size, std::uint32_t number) { return line(size, number == 0 ? 40 : 0); });
  EXPECT_EQ(cost(mib(64), StepPhases::Before::kRest), line(mib(64), 40));
  EXPECT_EQ(cost(mib(64), StepPhases::Before::kTraffic), line(mib(64), 0));
}

/// Steps around rings are alike, so some of many stand for all.
TEST_F(Growth, OfAnOperationWithManyStepsASliceRunsSome) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return Duration::picoseconds(size.count()); }, {.ring_steps = 63});
  EXPECT_EQ(ran_.back().first, phases_->sample(3).size * 16 / 63);
  EXPECT_EQ(phases_->sample(3).ring_steps, 16U);
  const Duration whole = Duration::picoseconds(mib(1000).count());
  EXPECT_NEAR(cost(mib(1000), StepPhases::Before::kTraffic).seconds(), whole.seconds(), 1e-12);
  EXPECT_TRUE(outcome().settled);
}

TEST_F(Growth, WithoutHopsForAllThoseStepsItRunsFewerAndSaysSo) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.max_hops = 24 + 24, .ring_steps = 63});
  EXPECT_LT(phases_->sample(3).ring_steps, 16U);
  EXPECT_EQ(phases_->sample(3).size, mib(64));
  EXPECT_FALSE(outcome().short_pieces);
  EXPECT_FALSE(outcome().settled);
}

/// Slices of operations of two sizes are the same where both are longer.
TEST_F(Growth, WhatHasBeenMeasuredIsNotMeasuredAgain) {
  make({mib(1000), mib(2000)});
  run([](Bytes size, std::uint32_t) { return line(size, 0) * 2; });
  EXPECT_EQ(ran_.size(), 6U);  // two probes each, and two slices
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kTraffic), line(mib(1000), 0) * 2);
  EXPECT_EQ(cost(mib(2000), StepPhases::Before::kTraffic), line(mib(2000), 0) * 2);
}

/// What comes once with every operation is not continued.
TEST_F(Growth, AnOperationsFixedCostCountsOnce) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 6); });
  EXPECT_NEAR(1e6 * cost(mib(1000), StepPhases::Before::kTraffic).seconds(), 1'006, 1);
}

/// Less is under way on a path where senders are slower than the line.
TEST_F(Growth, SlowSendersNeedShorterSlices) {
  make({mib(1000)});
  // Of a line of 8 MiB/us, senders reach an eighth.
  run([](Bytes size, std::uint32_t) { return line(size, 0); },
      {.rate = Rate::bits_per_second(8 * 8 * (std::int64_t{1} << 20) * 1'000'000)});
  EXPECT_EQ(ran_.back().first, mib(16));
}

TEST_F(Growth, WithoutHopsForLongPiecesItSaysThatItHasNotSettled) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.max_hops = 24 + 16 * 9});
  EXPECT_LT(ran_.back().first, mib(64));
  EXPECT_FALSE(outcome().settled);
  EXPECT_TRUE(outcome().short_pieces);
}

TEST_F(Growth, ShortPiecesAreNotFasterThanPathsAllow) {
  make({mib(1000)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.max_hops = 24});
  EXPECT_EQ(ran_.size(), 2U);
  const StepOperation operation = growth_->outcomes().begin()->first;
  phases_->set_least(operation, Duration::milliseconds(2));
  EXPECT_EQ(cost(mib(1000), StepPhases::Before::kTraffic), Duration::milliseconds(2));
}

/// Operations of a step that has them once take longer to settle than the step itself takes.
TEST_F(Growth, AStepThatIsCheaperThanItsSlicesIsRunWhole) {
  make({mib(64)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.instances = 1});
  EXPECT_TRUE(growth_->prefers_whole_step());
  EXPECT_EQ(ran_.size(), 2U);
}

/// Slices of 64 MiB whose times differ by a fifth never settle; of a budget of 1,000 the step of 400 is kept room for.
TEST_F(Growth, AStepThatFitsIsRunWholeWhereSlicesDoNotSettle) {
  make({mib(400)});
  const TimeOf restless = [](Bytes size, std::uint32_t done) { return line(size + mib(done % 2 == 0 ? 30 : 0), 0); };
  run(restless, {.max_hops = 24 + 1'000, .instances = 1});
  EXPECT_TRUE(growth_->prefers_whole_step());
  EXPECT_LE(load_.packet_hops, 24U + 600U);
}

TEST_F(Growth, AStepIsNotRunWhereSlicesSettle) {
  make({mib(400)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.max_hops = 24 + 1'000, .instances = 1});
  EXPECT_FALSE(growth_->prefers_whole_step());
  EXPECT_TRUE(outcome().settled);
}

TEST_F(Growth, AStepBeyondTheBudgetIsPutTogether) {
  make({mib(64)});
  run([](Bytes size, std::uint32_t) { return line(size, 0); }, {.max_hops = 24 + 60, .instances = 1});
  EXPECT_FALSE(growth_->prefers_whole_step());
}

TEST(BatchMean, IsStudentsIntervalOfIndependentValues) {
  const std::vector<double> values = {9, 10, 11};
  const BatchMean made = batch_mean(values);
  EXPECT_DOUBLE_EQ(made.mean, 10);
  EXPECT_NEAR(made.interval.value(), 4.303 * 1 / std::sqrt(3.0) / 10, 1e-9);  // s = 1
}

TEST(BatchMean, OfOneValueHasNoInterval) {
  const std::vector<double> values = {9};
  EXPECT_FALSE(batch_mean(values).interval);
}

}  // namespace
}  // namespace weft::study::run
