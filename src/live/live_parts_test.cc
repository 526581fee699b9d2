// The small parts of live/ that need no socket: runs, spinning, patterns, figures, fault texts.
#include <gtest/gtest.h>

#include <vector>

#include "live/message_pattern.h"
#include "live/perf_report.h"
#include "live/segment_runs.h"
#include "live/socket_faults.h"
#include "live/spin_budget.h"

namespace weft::live {
namespace {

TEST(SegmentRuns, NumbersEqualSizesToOneDestinationAndEndsWithAShorterOne) {
  SegmentRuns runs(64);
  int a = 0;
  int b = 0;
  EXPECT_EQ(runs.place(1'000, &a), 0);
  EXPECT_EQ(runs.place(1'000, &a), 1);
  EXPECT_EQ(runs.place(500, &a), 2);
  EXPECT_EQ(runs.place(500, &a), 0);    // a run has ended with the shorter one
  EXPECT_EQ(runs.place(1'000, &a), 0);  // longer than the run's size
  EXPECT_EQ(runs.place(1'000, &b), 0);  // somewhere else
}

TEST(SegmentRuns, KeepsWithinTheKernelsLimits) {
  SegmentRuns four(4);
  SegmentRuns many(1'000);
  SegmentRuns none(1);
  int a = 0;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(four.place(10, &a), i % 4);
    EXPECT_EQ(many.place(SegmentRuns::kMaxRunBytes / 3, &a), i % 3);
    EXPECT_EQ(none.place(10, &a), 0);
  }
}

TEST(SpinBudget, ShrinksOnLongGapsAndGrowsOnShortOnes) {
  SpinBudget budget(200_us);
  for (int i = 0; i < 20; ++i)
    budget.on_event(10_ms);
  EXPECT_EQ(budget.budget(), SpinBudget::kMin);
  budget.on_event(20_us);
  EXPECT_EQ(budget.budget(), 80_us);
  budget.on_event(100_us);
  EXPECT_EQ(budget.budget(), 200_us);
}

TEST(SpinBudget, OfZeroNeverSpins) {
  SpinBudget budget(Duration::zero());
  budget.on_event(1_us);
  EXPECT_EQ(budget.budget(), Duration::zero());
}

TEST(MessagePattern, TellsMessagesApartAndSeesEveryDamagedByte) {
  for (const std::size_t size : {1, 3, 8, 9, 100, 5'000}) {
    std::vector<std::byte> message(size);
    fill_body(message);
    stamp(message, 41);
    EXPECT_TRUE(has_stamp(message, 41) && has_body(message));
    EXPECT_FALSE(has_stamp(message, 42));
    for (std::size_t at = 0; at < size; ++at) {
      message[at] ^= std::byte{0x80};
      EXPECT_FALSE(has_stamp(message, 41) && has_body(message)) << size << ' ' << at;
      message[at] ^= std::byte{0x80};
    }
    clear_stamp(message);
    EXPECT_FALSE(has_stamp(message, 0));
  }
}

TEST(PerfReport, LatencyFiguresAreThoseOfTheSamples) {
  std::vector<Duration> samples;
  for (int i = 1'000; i > 0; --i)
    samples.push_back(Duration::microseconds(i));
  const LatencyFigures figures = latency_of(samples);
  EXPECT_DOUBLE_EQ(figures.min, 1);
  EXPECT_DOUBLE_EQ(figures.max, 1'000);
  EXPECT_DOUBLE_EQ(figures.typical, 500);
  EXPECT_DOUBLE_EQ(figures.average, 500.5);
  EXPECT_DOUBLE_EQ(figures.percentile_99, 990);
  EXPECT_DOUBLE_EQ(figures.percentile_99_9, 999);
}

TEST(PerfReport, PeakIsTheBestStretchAndAverageTheWhole) {
  // 100 messages of 1000 bytes: half of them at one per 2 us, half at one per 1 us.
  std::vector<CompletionSample> completions;
  for (std::uint64_t n = 1; n <= 100; ++n) {
    const auto us = static_cast<std::int64_t>(n <= 50 ? 2 * n : 100 + (n - 50));
    completions.push_back({.at = Time::zero() + Duration::microseconds(us), .completed = n});
  }
  const BandwidthFigures figures = bandwidth_of(
      {.row = {.size = 1'000, .iterations = 100}, .begin = Time::zero(), .completions = completions, .in_flight = 4});
  EXPECT_NEAR(figures.peak_gbps, 8, 1e-9);
  EXPECT_NEAR(figures.average_gbps, 8.0 * 100 / 150, 1e-9);
  EXPECT_NEAR(figures.message_mpps, 100.0 / 150, 1e-9);
}

TEST(FaultOptions, AreReadFromText) {
  const Result<FaultOptions> faults = parse_faults("loss=1%,reorder=0.5,seed=9,delay=2ms");
  ASSERT_TRUE(faults.has_value());
  EXPECT_EQ(faults->loss, Probability::from_ratio({.numerator = 1, .denominator = 100}));
  EXPECT_EQ(faults->duplicate, Probability::zero());
  EXPECT_EQ(faults->delay, 2_ms);
  EXPECT_EQ(faults->seed, 9U);
  EXPECT_FALSE(parse_faults("").value().any());
}

TEST(FaultOptions, NameWhatIsWrong) {
  for (const char* const text : {"los=1%", "loss", "loss=2", "seed=x", "delay=0s", "delay=1h"})
    EXPECT_FALSE(parse_faults(text).has_value()) << text;
}

}  // namespace
}  // namespace weft::live
