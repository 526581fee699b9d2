// Throughput of a long flow under random loss, against the published models of its congestion control.
//
// The models assume one loss each 1/p segments exactly; random gaps, timeouts and the start-up move the result. The
// tests allow a factor of 1.5 either way.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/property/tcp_pair.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"

namespace weft::testing {
namespace {

using namespace weft::transport;
using namespace weft::literals;

constexpr double kAllowed = 1.5;
constexpr double kSegment = 1'448;

struct Path {
  std::uint64_t loss_per_million = 0;
  Duration one_way;
  std::uint64_t segments = 0;
};

/// Mean window in segments: what was carried per round trip, in the second half, which is clear of the start-up.
double mean_window(TcpCongestionControl& control, const Path& path) {
  TcpPair::Options options;
  options.plans[0].to_write = path.segments * static_cast<std::uint64_t>(kSegment);
  options.plans[0].write_size = 10'000'000;
  options.closes = false;
  options.carries_bytes = false;
  options.as_frames = false;
  options.delay = path.one_way;
  options.rate = Rate::bits_per_second(100'000'000'000);
  options.faults.loss = Probability::from_ratio({.numerator = path.loss_per_million, .denominator = 1'000'000});
  options.tcp[0].congestion_control = &control;
  for (TcpOptions& tcp : options.tcp) {
    tcp.receive_buffer = Bytes(500'000'000);
  }
  TcpPair pair(options);
  Time half_time;
  pair.set_filter([&](int, const wire::Packet&) {
    const bool second_half = pair.connection(0).acknowledged() > options.plans[0].to_write / 2;
    half_time = second_half ? half_time : pair.now();
    return false;
  });
  EXPECT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).acknowledged(), options.plans[0].to_write);
  const double round_trips = (pair.now() - half_time).seconds() / (2 * path.one_way.seconds());
  return static_cast<double>(path.segments) / 2 / round_trips;
}

void expect_near(double found, double model) {
  EXPECT_LT(found, model * kAllowed) << "model " << model;
  EXPECT_GT(found, model / kAllowed) << "model " << model;
}

/// Mathis et al., 1997: sqrt(3/2) / sqrt(p), each segment counted although acknowledgements are delayed.
TEST(TcpModel, NewRenoFollowsTheSquareRootOfLoss) {
  for (const std::uint64_t loss : {1'000, 3'000, 10'000}) {
    NewReno control;
    const double found = mean_window(control, {.loss_per_million = loss, .one_way = 5_ms, .segments = 60'000});
    expect_near(found, std::sqrt(1.5) / std::sqrt(static_cast<double>(loss) * 1e-6));
  }
}

//= rfc9438 5.1
TEST(TcpModel, CubicFollowsItsResponseFunction) {
  struct Point {
    std::uint64_t loss_per_million;
    Duration one_way;
    std::uint64_t segments;
  };
  for (const Point point : {Point{1'000, 5_ms, 100'000}, Point{10'000, 5_ms, 20'000}, Point{200, 100_ms, 300'000},
                            Point{1'000, 200_ms, 100'000}}) {
    Cubic control;
    const double found = mean_window(
        control, {.loss_per_million = point.loss_per_million, .one_way = point.one_way, .segments = point.segments});
    const double p = static_cast<double>(point.loss_per_million) * 1e-6;
    const double rtt = 2 * point.one_way.seconds();
    const double cubic = 1.054 * std::pow(rtt / p, 0.75);
    const double reno = std::sqrt(1.5 / p);
    expect_near(found, std::max(cubic, reno));
  }
}

TEST(TcpModel, DctcpTakesALossAsNewRenoDoes) {
  Dctcp control;
  const double found = mean_window(control, {.loss_per_million = 3'000, .one_way = 5_ms, .segments = 60'000});
  expect_near(found, std::sqrt(1.5 / 0.003));
}

/// Without loss a window larger than the path holds fills the path.
TEST(TcpModel, ALosslessPathIsFull) {
  for (const bool paced : {false, true}) {
    Cubic control;
    TcpPair::Options options;
    constexpr std::uint64_t kBytes = 40'000'000;
    options.plans[0].to_write = kBytes;
    options.closes = false;
    options.carries_bytes = false;
    options.as_frames = false;
    options.rate = Rate::bits_per_second(10'000'000'000);
    options.delay = 20_us;
    options.tcp[0].congestion_control = &control;
    options.tcp[0].pacing = paced ? TcpPacing::kWindow : TcpPacing::kOff;
    TcpPair pair(options);
    ASSERT_TRUE(pair.run());
    // Frames of 1448 bytes take 1538 on the wire.
    const double ideal = static_cast<double>(kBytes) / 1'448 * 1'538 * 8 / 10e9;
    EXPECT_LT(pair.now().since_start().seconds(), ideal * 1.05 + 0.041);
    EXPECT_EQ(pair.connection(0).counters().retransmissions, 0U);
  }
}

}  // namespace
}  // namespace weft::testing
