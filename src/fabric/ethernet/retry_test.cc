// Link layer retry: damaged frames arrive late instead of never, once and in order.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kCable{100_gbps, 500_ns};
constexpr std::uint16_t kFrame = 4158;

EthernetOptions retry_options(RetryOptions retry = {}) {
  EthernetOptions options;
  options.ports[0].retry = retry;
  return options;
}

/// Each link, with one chance for frames of every size.
EthernetOptions with_errors(EthernetOptions options, std::size_t links, Probability rate) {
  options.packet_error_rate.assign(links, rate);
  return options;
}

Probability percent(std::uint64_t value) { return Probability::from_ratio({.numerator = value, .denominator = 100}); }

std::vector<std::uint32_t> numbers(const std::vector<Delivery>& deliveries) {
  std::vector<std::uint32_t> all;
  all.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    all.push_back(delivery.number);
  }
  return all;
}

std::vector<std::uint32_t> counted(std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    all[i] = i;
  }
  return all;
}

struct ErrorCase {
  std::uint64_t percent_damaged;
  Forwarding forwarding;
};
class RetryErrors : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(RetryErrors, EveryFrameArrivesOnceAndInOrder) {
  constexpr std::uint32_t kCount = 400;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EthernetOptions options = with_errors(retry_options({.replays = 1000}), 3, percent(GetParam().percent_damaged));
    options.switches[0].forwarding = GetParam().forwarding;
    options.switches[0].latency = 300_ns;
    World world(chain({kCable, kCable, kCable}), options, seed);
    world.send(0, {.to = EndpointId(1), .count = kCount, .frame_bytes = kFrame});
    world.send(1, {.to = EndpointId(0), .count = kCount, .frame_bytes = 200});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(numbers(world[1].received), counted(kCount));
    EXPECT_EQ(numbers(world[0].received), counted(kCount));
    EXPECT_EQ(world.fabric->drops().total(), 0U);
    const PortCounters counters = world.fabric->port_counters(0, world.kernel.now());
    EXPECT_EQ(counters.replays > 0, GetParam().percent_damaged > 0);
    EXPECT_GE(counters.replayed, counters.replays);
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, RetryErrors,
                         ::testing::Values(ErrorCase{0, Forwarding::kStoreAndForward},
                                           ErrorCase{1, Forwarding::kStoreAndForward},
                                           ErrorCase{10, Forwarding::kCutThrough},
                                           ErrorCase{50, Forwarding::kStoreAndForward},
                                           ErrorCase{80, Forwarding::kCutThrough}));

TEST(Retry, WithoutErrorsItAddsItsLatencyAndNothingElse) {
  const auto arrival = [](const EthernetOptions& options) {
    World world(star({kCable, kCable}), options);
    world.send(0, {.to = EndpointId(1), .frame_bytes = 1000});
    world.run();
    return world[1].received.at(0).at;
  };
  EXPECT_EQ(arrival(retry_options({.latency = 20_ns})), arrival(EthernetOptions{}) + 20_ns * 2);
}

// The damaged frame ends, the receiver asks for it by an ordered set, and it is sent again.
TEST(Retry, OneErrorDelaysAFrameByTheFrameAndTheLoop) {
  constexpr Duration kLatency = 15_ns;
  const auto first_arrival = [&](Probability rate, std::uint64_t seed) {
    EthernetOptions options = with_errors(retry_options({.latency = kLatency, .replays = 9}), 2, Probability::zero());
    options.packet_error_rate[0] = rate;
    World world(star({kCable, kCable}), options, seed);
    world.send(0, {.to = EndpointId(1), .frame_bytes = kFrame});
    world.run();
    return std::pair(world[1].received.at(0).at, world.fabric->port_counters(0, Time::zero()).replays);
  };
  const Time undamaged = first_arrival(Probability::zero(), 1).first;
  const Duration added = wire_time(kCable.rate, kFrame) + (kCable.propagation + kLatency) * 2 +
                         kCable.rate.transmit_time(Bytes(kOrderedSetBytes));
  int with_one = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto [at, replays] = first_arrival(percent(10), seed);
    // The request itself may be damaged too; then the replay timer has its turn.
    if (replays == 0) {
      EXPECT_EQ(at, undamaged);
    } else if (replays == 1 && at < undamaged + 10_us) {
      EXPECT_EQ(at, undamaged + added);
      ++with_one;
    }
  }
  EXPECT_GT(with_one, 3);
}

TEST(Retry, FramesBehindADamagedOneAreSentAgainToo) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EthernetOptions options = with_errors(retry_options({.replays = 50}), 2, Probability::zero());
    options.packet_error_rate[0] = percent(2);
    World world(star({kCable, kCable}), options, seed);
    world.send(0, {.to = EndpointId(1), .count = 100, .frame_bytes = kFrame});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(numbers(world[1].received), counted(100));
    const PortCounters counters = world.fabric->port_counters(0, Time::zero());
    if (counters.replays == 1) {
      // In the loop of 1 us and a frame there is room for four frames.
      EXPECT_GE(counters.replayed, 1U);
      EXPECT_LE(counters.replayed, 5U);
    }
  }
}

TEST(Retry, AfterTooManyReplaysFramesAreLostAndTheLinkGoesOn) {
  EthernetOptions options = with_errors(retry_options({.replays = 1}), 2, Probability::zero());
  options.packet_error_rate[0] = percent(60);
  World world(star({kCable, kCable}), options);
  world.send(0, {.to = EndpointId(1), .count = 500, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_GT(world.fabric->drops().replays, 0U);
  EXPECT_EQ(world.fabric->drops().replays, world.fabric->drops().total());
  EXPECT_EQ(world[1].received.size() + world.fabric->drops().replays, 500U);
  EXPECT_TRUE(std::ranges::is_sorted(numbers(world[1].received)));
}

TEST(Retry, IfNobodyAsksTheReplayTimerDoes) {
  // Every frame is damaged the first times; requests go over the same cable and are lost as often.
  EthernetOptions options = with_errors(retry_options({.replay_timer = 30_us, .replays = 1000}), 2, percent(70));
  options.packet_error_rate[1] = Probability::zero();
  World world(star({kCable, kCable}), options);
  world.send(0, {.to = EndpointId(1), .count = 3, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(numbers(world[1].received), counted(3));
  EXPECT_GT(world[1].received.back().at, Time::zero() + 30_us);
}

TEST(Retry, OrderedSetsTakeTheirShareOfABusyWire) {
  constexpr std::uint64_t kCount = 1000;
  World world(star({kCable, kCable}), retry_options());
  world.send(0, {.to = EndpointId(1), .count = kCount, .frame_bytes = kFrame});
  world.run();
  const Duration taken = world[0].sent.back() - world[0].sent.front();
  const std::int64_t bytes = (kFrame + 20) * static_cast<std::int64_t>(kCount - 1);
  const Duration expected = kCable.rate.transmit_time(Bytes(bytes + bytes / 2048 * kOrderedSetBytes));
  EXPECT_EQ(taken, expected);
}

// A frame is in the buffer until its acknowledgement has come.
TEST(Retry, ASmallReplayBufferLimitsTheRate) {
  constexpr std::int64_t kFrames = 4;
  RetryOptions retry{.buffer = Bytes(kFrames * kFrame)};
  EthernetOptions options = retry_options(retry);
  options.ports[0].mtu_frame = Bytes(kFrame);
  constexpr Cable kLong{100_gbps, 5_us};
  World world(star({kLong, kLong}), options);
  world.send(0, {.to = EndpointId(1), .count = 401, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  const Duration acknowledged = wire_time(kLong.rate, kFrame) + kLong.propagation * 2 + wire_time(kLong.rate, kFrame) +
                                kLong.rate.transmit_time(Bytes(kOrderedSetBytes));
  // Frame n + 4 begins when frame n is acknowledged, and a wire that is free has no ordered sets to wait for.
  EXPECT_EQ(world[0].sent[400] - world[0].sent[0], acknowledged * 100);
  // The buffer that the cable needs by itself keeps nobody waiting.
  options.ports[0].retry->buffer.reset();
  World free(star({kLong, kLong}), options);
  free.send(0, {.to = EndpointId(1), .count = 401, .frame_bytes = kFrame});
  free.run();
  EXPECT_LT(free[0].sent[400] - free[0].sent[0], wire_time(kLong.rate, kFrame) * 403);
}

// Bit errors hit long frames and hardly ever a pause, which LLR does not protect.
TEST(Retry, WithPfcNothingIsDroppedUnderIncastAndErrors) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    EthernetOptions options = one_profile(300_ns, {.ingress_alpha_shift = -3});
    options.switches[0].buffer = Bytes(1'000'000);
    options.ports[0].retry = RetryOptions{.latency = 10_ns, .replays = 1000};
    options.ports[0].pause_response = 400_ns;
    options.bit_error_rate.assign(5, Probability::from_ratio({.numerator = 1, .denominator = 1'000'000}));
    World world(star({kCable, kCable, kCable, kCable, kCable}), options, seed);
    for (std::uint32_t from = 0; from < 4; ++from) {
      world.send(from, {.to = EndpointId(4), .count = 300, .frame_bytes = kFrame});
    }
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(world[4].received.size(), 1200U);
    EXPECT_GT(world.fabric->port_counters(0, Time::zero()).replays, 0U);
    EXPECT_EQ(world.fabric->drops().total(), 0U);
  }
}

TEST(Retry, ALinkThatFailsLosesWhatItHeldAndStartsAfresh) {
  EthernetOptions options = with_errors(retry_options({.replays = 1000}), 2, percent(20));
  options.events = {{Time::zero() + 20_us, LinkIndex(0), LinkEvent::Kind::kFail, {}, {}},
                    {Time::zero() + 30_us, LinkIndex(0), LinkEvent::Kind::kRestore, {}, {}}};
  World world(star({kCable, kCable}), options);
  world.send(0, {.to = EndpointId(1), .count = 200, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[1].received.size() + world.fabric->drops().total(), 200U);
  EXPECT_EQ(world.fabric->drops().total(), world.fabric->drops().link_down);
  EXPECT_TRUE(std::ranges::is_sorted(numbers(world[1].received)));
}

TEST(Retry, OneEndAloneHasNone) {
  EthernetOptions options;
  options.ports.push_back(options.ports[0]);
  options.ports[1].retry = RetryOptions{.latency = 50_ns};
  options.port_profile = {1, 0, 0, 0};
  World world(star({kCable, kCable}), options);
  world.send(0, {.to = EndpointId(1), .frame_bytes = 1000});
  world.run();
  EXPECT_EQ(world[1].received.at(0).at, Time::zero() + (wire_time(kCable.rate, 1000) + kCable.propagation) * 2);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
