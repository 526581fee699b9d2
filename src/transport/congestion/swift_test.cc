#include "transport/congestion/swift.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::transport {
namespace {

using namespace literals;

constexpr Bytes kPacket = 4096_bytes;

SwiftParameters parameters() {
  return {.packet = kPacket,
          .base_target = 25_us,
          .hop_delay = 1_us,
          .flow_scaling_range = Duration::zero(),
          .flow_scaling_least = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 10})),
          .flow_scaling_most = PacketCount::packets(100),
          .additive_increase = PacketCount::packets(1),
          .decrease = Probability::from_ratio({.numerator = 4, .denominator = 5}),
          .maximum_decrease = Probability::from_ratio({.numerator = 1, .denominator = 2}),
          .initial_window = PacketCount::packets(10),
          .least_window = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 1000})),
          .largest_window = PacketCount::packets(1000)};
}

double packets(const Swift& flow) { return static_cast<double>(flow.congestion_window().raw()) / PacketCount::kOne; }

/// An acknowledgement of one packet.
void acknowledge(Swift& flow, Duration rtt, Time now, std::uint8_t switches = 0) {
  wire::Telemetry telemetry;
  telemetry.depart(wire::TelemetryKind::kTimestamp, now - rtt);
  telemetry.switches = switches & 0xFU;
  flow.on_ack({.rtt = rtt, .acknowledged = kPacket, .telemetry = &telemetry}, now);
}

const Time kStart = Time::zero() + 1_ms;

TEST(Swift, GrowsByOnePacketPerRoundTripBelowTheTarget) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  for (int i = 0; i < 10; ++i) {
    acknowledge(flow, 20_us, kStart);
  }
  EXPECT_NEAR(packets(flow), std::sqrt(10.0 * 10 + 2 * 10), 0.05);  // ten steps of 1 / window
}

TEST(Swift, ShrinksInProportionToTheExcessOverTheTarget) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  acknowledge(flow, 30_us, kStart);
  EXPECT_NEAR(packets(flow), 10 * (1 - 0.8 * (30.0 - 25) / 30), 1e-4);
}

/// What no switch counts, for those that ask whether there was congestion.
TEST(Swift, CountsWhatDelaysCutAndNotWhatLossesDo) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  acknowledge(flow, 20_us, kStart);
  EXPECT_EQ(flow.cuts(), 0U);
  flow.on_loss(LossEvent::kDetected, kStart);
  EXPECT_EQ(flow.cuts(), 0U);
  acknowledge(flow, 30_us, kStart + 30_us);
  EXPECT_EQ(flow.cuts(), 1U);
}

TEST(Swift, OneDecreaseTakesAtMostItsMaximum) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  acknowledge(flow, 1_ms, kStart);
  EXPECT_NEAR(packets(flow), 5, 1e-4);
}

TEST(Swift, ShrinksAtMostOncePerRoundTrip) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  acknowledge(flow, 1_ms, kStart);
  acknowledge(flow, 100_us, kStart + 50_us);
  EXPECT_NEAR(packets(flow), 5, 1e-4);
  acknowledge(flow, 100_us, kStart + 100_us);
  EXPECT_NEAR(packets(flow), 2.5, 1e-4);
}

TEST(Swift, TargetGrowsWithTheSwitchesOnThePath) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  EXPECT_EQ(flow.target_delay(0), 25_us);
  EXPECT_EQ(flow.target_delay(5), 30_us);
  acknowledge(flow, 29_us, kStart, 5);
  EXPECT_GT(packets(flow), 10);
  acknowledge(flow, 29_us, kStart, 3);
  EXPECT_LT(packets(flow), 10);
}

TEST(Swift, TargetGrowsWithTheInverseRootOfTheWindow) {
  SwiftParameters from = parameters();
  from.flow_scaling_range = 50_us;
  for (const double window : {0.01, 0.1, 0.5, 1.0, 4.0, 25.0, 99.0, 100.0, 500.0}) {
    from.initial_window = PacketCount::raw(static_cast<std::int64_t>(window * PacketCount::kOne));
    const Swift flow(from);
    const double alpha = 50 / (1 / std::sqrt(0.1) - 1 / std::sqrt(100.0));
    const double scaling = std::clamp(alpha / std::sqrt(window) - alpha / std::sqrt(100.0), 0.0, 50.0);
    EXPECT_NEAR(static_cast<double>(flow.target_delay(0).picoseconds()) * 1e-6, 25 + scaling, 0.01) << window;
  }
}

TEST(Swift, BelowOnePacketTheFlowIsPacedAtOnePacketPerRoundTripOverWindow) {
  SwiftParameters from = parameters();
  from.initial_window = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 4}));
  Swift flow(from);
  acknowledge(flow, 26_us, kStart);  // too soon for anything but a slight decrease
  const double window = packets(flow);
  EXPECT_LT(window, 0.25);
  EXPECT_EQ(flow.window(kStart), kPacket);
  EXPECT_NEAR(static_cast<double>(flow.gap_after(kPacket, kStart).picoseconds()) * 1e-6, 26 / window, 0.01);
  from.initial_window = PacketCount::packets(2);
  Swift faster(from);
  EXPECT_EQ(faster.gap_after(kPacket, kStart), Duration::zero());
  EXPECT_EQ(faster.pacing_rate(kStart), Rate::zero());
}

TEST(Swift, BelowOnePacketAnAcknowledgementAddsAWholeIncrease) {
  SwiftParameters from = parameters();
  from.additive_increase = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 8}));
  from.initial_window = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 4}));
  Swift flow(from);
  acknowledge(flow, 10_us, kStart);
  EXPECT_NEAR(packets(flow), 0.375, 1e-4);
}

TEST(Swift, LossTakesTheMaximumOncePerRoundTrip) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  flow.on_loss(LossEvent::kDetected, kStart);
  flow.on_loss(LossEvent::kDetected, kStart + 1_us);
  EXPECT_NEAR(packets(flow), 5, 1e-4);
}

TEST(Swift, TimeoutsInARowResetTheWindow) {
  const SwiftParameters from = parameters();
  Swift flow(from);
  for (int i = 1; i < from.timeouts_before_reset; ++i) {
    flow.on_loss(LossEvent::kTimeout, kStart + 1_us * i);
  }
  EXPECT_NEAR(packets(flow), 5, 1e-4);
  flow.on_loss(LossEvent::kTimeout, kStart + 10_us);
  EXPECT_EQ(flow.congestion_window(), from.least_window);
  Swift other(from);
  for (int i = 1; i < 20; ++i) {
    other.on_loss(LossEvent::kTimeout, kStart + 1_us * i);
    acknowledge(other, 30_us, kStart + 1_us * i);  // ends the row
  }
  EXPECT_GT(other.congestion_window(), from.least_window);
}

TEST(Swift, WantsATimestampInEveryPacket) {
  const SwiftParameters from = parameters();
  const Swift flow(from);
  EXPECT_EQ(flow.telemetry(), wire::TelemetryKind::kTimestamp);
  EXPECT_TRUE(flow.wants_acks());
}

}  // namespace
}  // namespace weft::transport
