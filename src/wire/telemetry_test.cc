#include "wire/telemetry.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

using namespace literals;

TEST(Telemetry, HopKeepsWhatItsFieldsHold) {
  const TelemetryHop first({.speed_code = *telemetry_code(100_gbps), .time = Time::zero(), .sent = 0, .queued = 0});
  const TelemetryHop second(
      {.speed_code = *telemetry_code(100_gbps), .time = Time::zero() + 13_us, .sent = 128'000, .queued = 80'079});
  EXPECT_EQ(second.speed(), 100_gbps);
  EXPECT_EQ(second.queued(), 80'000_bytes);
  EXPECT_EQ(second.since(first), 13_us);
  EXPECT_EQ(second.sent_since(first), 128'000_bytes);
}

TEST(Telemetry, FieldsOfTimeAndBytesWrapAndTheQueueSaturates) {
  constexpr std::int64_t kWrap = std::int64_t{1} << TelemetryHop::kTimeBits;
  const auto at = [](std::int64_t nanoseconds, std::uint64_t sent) {
    return TelemetryHop({.speed_code = 0,
                         .time = Time::zero() + Duration::nanoseconds(nanoseconds),
                         .sent = sent,
                         .queued = 0xFFFFFFFF});
  };
  const std::uint64_t wrap = std::uint64_t{TelemetryHop::kSentUnit} << TelemetryHop::kSentBits;
  EXPECT_EQ(at(kWrap + 5, wrap + 256).since(at(kWrap - 5, wrap - 256)), 10_ns);
  EXPECT_EQ(at(kWrap + 5, wrap + 256).sent_since(at(kWrap - 5, wrap - 256)), 512_bytes);
  EXPECT_EQ(at(0, 0).queued(), Bytes(((std::int64_t{1} << TelemetryHop::kQueueBits) - 1) * TelemetryHop::kQueueUnit));
}

TEST(Telemetry, EverySpeedOfEthernetHasItsCode) {
  for (std::size_t i = 0; i < kTelemetrySpeeds.size(); ++i) {
    const auto code = telemetry_code(Rate::bits_per_second(kTelemetrySpeeds[i]));
    ASSERT_TRUE(code.has_value());
    EXPECT_EQ(TelemetryHop({.speed_code = *code, .time = {}, .sent = 0, .queued = 0}).speed(),
              Rate::bits_per_second(kTelemetrySpeeds[i]));
  }
  EXPECT_FALSE(telemetry_code(120_gbps).has_value());
}

TEST(Telemetry, AgeIsRightAcrossTheWrapOfTheDeparture) {
  const Time departure = Time::zero() + Duration::picoseconds((std::int64_t{1} << Telemetry::kDepartureBits) - 1'000);
  Telemetry telemetry;
  telemetry.depart(TelemetryKind::kTimestamp, departure);
  EXPECT_EQ(telemetry.age(departure + 9_us), 9_us);
}

TEST(Telemetry, SwitchesCountAndOnlyInBandOnesRecord) {
  const TelemetryHop hop({.speed_code = 1, .time = Time::zero() + 1_us, .sent = 0, .queued = 0});
  for (const TelemetryKind kind : {TelemetryKind::kTimestamp, TelemetryKind::kInBand}) {
    Telemetry telemetry;
    telemetry.depart(kind, Time::zero());
    for (int i = 0; i < 7; ++i) {
      telemetry.pass(0x123, hop);
    }
    EXPECT_EQ(telemetry.switches, 7U);
    EXPECT_EQ(telemetry.recorded(), kTelemetryHops);
    EXPECT_EQ(telemetry.hops[4].speed(), kind == TelemetryKind::kInBand ? hop.speed() : TelemetryHop().speed());
    EXPECT_EQ(telemetry.path, 0x123U);  // odd number of times
  }
}

TEST(Telemetry, InBandTelemetryTakesTheFortyTwoBytesOfTheHpccHeader) {
  EXPECT_EQ(telemetry_bytes(TelemetryKind::kInBand), 42);
  EXPECT_EQ(telemetry_bytes(TelemetryKind::kTimestamp), 4);
  EXPECT_EQ(telemetry_bytes(TelemetryKind::kNone), 0);
}

}  // namespace
}  // namespace weft::wire
