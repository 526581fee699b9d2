#include "transport/congestion/hpcc.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using namespace literals;

constexpr Rate kLine = 100_gbps;
constexpr Duration kRoundTrip = 10_us;
const Bytes kLargest = kLine.bytes_in(kRoundTrip);

HpccParameters parameters() {
  return {.line_rate = kLine,
          .minimum_rate = 100_mbps,
          .base_round_trip = kRoundTrip,
          .target = Probability::from_ratio({.numerator = 95, .denominator = 100}),
          .additive_increase = 80_bytes,
          .stages = 5};
}

/// One port on the way, whose rate and queue a test sets.
class Path {
 public:
  /// The port has sent at `load` percent of its speed for `passed`, and has this queue now.
  void run(Hpcc& flow, Duration passed, std::int64_t load, Bytes queue) {
    now_ += passed;
    sent_ += kLine.bytes_in(passed).count() * load / 100;
    wire::Telemetry telemetry;
    telemetry.depart(wire::TelemetryKind::kInBand, now_ - kRoundTrip);
    telemetry.pass(1, wire::TelemetryHop({.speed_code = *wire::telemetry_code(kLine),
                                          .time = now_,
                                          .sent = static_cast<std::uint64_t>(sent_),
                                          .queued = static_cast<std::uint32_t>(queue.count())}));
    flow.on_ack({.rtt = kRoundTrip, .acknowledged = 1_kib, .telemetry = &telemetry}, now_);
  }
  [[nodiscard]] Time now() const { return now_; }

 private:
  Time now_ = Time::zero() + 1_s;
  std::int64_t sent_ = 0;
};

double share(Hpcc& flow) {
  return static_cast<double>(flow.window({}).count()) / static_cast<double>(kLargest.count());
}

TEST(Hpcc, BeginsWithTheLinesBandwidthDelayProduct) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  EXPECT_EQ(flow.window({}), kLargest);
  EXPECT_EQ(flow.pacing_rate({}), kLine);
  EXPECT_EQ(flow.telemetry(), wire::TelemetryKind::kInBand);
}

TEST(Hpcc, FirstAcknowledgementOnlyGivesSomethingToCompareWith) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 100, 500_kib);
  EXPECT_EQ(flow.window({}), kLargest);
}

TEST(Hpcc, WindowIsDividedByTheLoadOverTheTarget) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 100, kLargest);
  path.run(flow, kRoundTrip, 100, kLargest);
  // The rate fills the port, and one bandwidth-delay product waits: the load is 2.
  EXPECT_NEAR(static_cast<double>(flow.load()) / Hpcc::kFullLoad, 2, 0.01);
  EXPECT_NEAR(share(flow), 0.95 / 2, 0.01);
  EXPECT_NEAR(static_cast<double>(flow.pacing_rate({}).bits_per_second()), 0.95 / 2 * 1e11, 1e9);
}

/// One flow alone keeps its port busy, and several keep a queue.
TEST(Hpcc, CountsCutsByAQueueAndNotByABusyPort) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  for (int i = 0; i < 10; ++i) {
    path.run(flow, kRoundTrip, 100, 4_kib);
  }
  EXPECT_EQ(flow.cuts(), 0U);
  path.run(flow, kRoundTrip, 100, kLargest);
  path.run(flow, kRoundTrip, 100, kLargest);
  EXPECT_EQ(flow.cuts(), 1U);
}

TEST(Hpcc, SmallerOfTwoLooksAtTheQueueCounts) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 50, Bytes::zero());
  path.run(flow, kRoundTrip, 50, kLargest);
  EXPECT_NEAR(static_cast<double>(flow.load()) / Hpcc::kFullLoad, 0.5, 0.01);
}

TEST(Hpcc, ShortLooksCountAsMuchAsTheyLast) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 100, Bytes::zero());
  path.run(flow, kRoundTrip / 4, 0, Bytes::zero());
  EXPECT_NEAR(static_cast<double>(flow.load()) / Hpcc::kFullLoad, 0.75, 0.01);
}

TEST(Hpcc, ReferenceWindowMovesOncePerRoundTrip) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 190, Bytes::zero());
  path.run(flow, kRoundTrip, 190, Bytes::zero());
  EXPECT_NEAR(share(flow), 0.5, 0.01);
  // Within the round trip the same load gives the same window, not half of it again.
  for (int i = 0; i < 5; ++i) {
    path.run(flow, kRoundTrip / 10, 190, Bytes::zero());
    EXPECT_NEAR(share(flow), 0.25, 0.01) << i;
  }
}

TEST(Hpcc, BelowTheTargetItAddsForSomeStagesAndThenGoesByTheLoad) {
  HpccParameters from = parameters();
  from.stages = 3;
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 380, Bytes::zero());
  path.run(flow, kRoundTrip, 380, Bytes::zero());  // down to a quarter
  const Bytes quarter = flow.window({});
  EXPECT_NEAR(share(flow), 0.25, 0.01);
  for (int stage = 1; stage <= from.stages; ++stage) {
    path.run(flow, kRoundTrip, 50, Bytes::zero());
    EXPECT_NEAR(static_cast<double>(flow.window({}).count()),
                static_cast<double>((quarter + from.additive_increase * stage).count()), 2);
  }
  path.run(flow, kRoundTrip, 50, Bytes::zero());
  EXPECT_NEAR(share(flow), 0.25 * 0.95 / 0.5, 0.02);
}

TEST(Hpcc, NeverExceedsTheLineNorFallsBelowTheMinimumRate) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  for (int i = 0; i < 100; ++i) {
    path.run(flow, kRoundTrip, 10, Bytes::zero());
  }
  EXPECT_EQ(flow.window({}), kLargest);
  for (int i = 0; i < 100; ++i) {
    path.run(flow, kRoundTrip, 1'000, 5_mib);
  }
  EXPECT_GE(flow.pacing_rate({}), from.minimum_rate);
  EXPECT_LT(flow.pacing_rate({}), from.minimum_rate * 2);
}

TEST(Hpcc, AfterAPauseNothingIsComparedWithWhatWasBefore) {
  const HpccParameters from = parameters();
  Hpcc flow(from);
  Path path;
  path.run(flow, kRoundTrip, 100, Bytes::zero());
  path.run(flow, 2_ms, 400, 5_mib);
  EXPECT_EQ(flow.window({}), kLargest);
}

}  // namespace
}  // namespace weft::transport
