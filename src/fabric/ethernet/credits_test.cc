// Credit-based flow control of Ethernet: nothing is dropped, rates follow from credits and the loop, and what was lost
// is made good.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kCable{100_gbps, 500_ns};
constexpr std::uint16_t kFrame = 4158;
constexpr std::uint8_t kLane = 3;

EthernetOptions credit_options(std::optional<Bytes> buffer = std::nullopt, Bytes unit = Bytes(64)) {
  EthernetOptions options;
  options.ports[0].priorities[kLane].credits = CreditOptions{.buffer = buffer};
  options.ports[0].credit_link.unit = unit;
  options.ports[0].mtu_frame = Bytes(kFrame);
  return options;
}

TEST(LinkCredits, AFrameTakesWholeUnits) {
  EXPECT_EQ(credits_of(64, 64), 1U);
  EXPECT_EQ(credits_of(65, 64), 2U);
  EXPECT_EQ(credits_of(4158, 2048), 3U);
}

TEST(LinkCredits, AnUpdateThatIsLostIsMadeGoodByTheNextAndAnOldOneChangesNothing) {
  CreditGrantee sender(10, 4);
  sender.consume(4);
  sender.consume(4);
  EXPECT_FALSE(sender.admits());
  sender.on_freed(8);  // that of 4 was lost
  EXPECT_EQ(sender.outstanding(), 0U);
  sender.on_freed(4);
  EXPECT_EQ(sender.outstanding(), 0U);
}

TEST(LinkCredits, CountersWrap) {
  CreditGrantee sender(10, 4);
  sender.restart(3);
  EXPECT_EQ(sender.outstanding(), 3U);
  sender.on_freed(0);  // the three that were held have left
  EXPECT_EQ(sender.outstanding(), 0U);
}

TEST(LinkCredits, WhatNeverCameIsFreedByTheCountOfTheSender) {
  CreditGranter receiver({.buffer = 20, .largest_frame = 4, .threshold = 5});
  receiver.hold(4);
  receiver.pass(4);
  receiver.on_consumed(16);  // two frames of four are lost
  EXPECT_EQ(receiver.say(), 12U);
  receiver.release(4);
  EXPECT_FALSE(receiver.owes_update());
  EXPECT_EQ(receiver.say(), 16U);
}

class CreditIncast : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(CreditIncast, NothingIsDroppedAndTheSlowLinkIsFull) {
  EthernetOptions options = credit_options(std::nullopt, Bytes(GetParam()));
  options.switches[0].latency = 300_ns;
  options.switches[0].buffer = Bytes(8 * 50'000);  // the credits of eight ports, and little beside
  World world(star(std::vector<Cable>(8, kCable)), options);
  for (std::uint32_t from = 0; from < 7; ++from) {
    world.send(from, {.to = EndpointId(7), .count = 100, .frame_bytes = static_cast<std::uint16_t>(600 + 500 * from)});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[7].received.size(), 700U);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  Duration busy;
  for (const Delivery& delivery : world[7].received) {
    busy += wire_time(kCable.rate, delivery.common.frame_bytes);
  }
  const Duration taken = world[7].received.back().at - world[7].received.front().at;
  EXPECT_LT(taken, busy);
  EXPECT_GT(taken, busy - wire_time(kCable.rate, kFrame) * 2);
}

INSTANTIATE_TEST_SUITE_P(Units, CreditIncast, ::testing::Values(32, 64, 256, 2048));

TEST(Credits, WhereTheyCoverTheLoopTheWireIsFull) {
  for (const Duration propagation : {100_ns, 2_us, 20_us}) {
    const Cable cable{100_gbps, propagation};
    EthernetOptions options = credit_options();
    options.switches[0].latency = 400_ns;
    World world(star({cable, cable}), options);
    world.send(0, {.to = EndpointId(1), .count = 2000, .frame_bytes = kFrame});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(world[0].sent.back() - world[0].sent.front(), wire_time(cable.rate, kFrame) * 1999);
  }
}

// With a buffer of n frames and an update for every one of them, frame i + n begins when the credits of frame i have
// come back: the frame, the cable, the pipeline, the ordered set, the cable.
TEST(Credits, WhereTheyDoNotTheLoopSetsTheRate) {
  constexpr Cable kLong{100_gbps, 5_us};
  constexpr std::uint32_t kFrames = 3;
  EthernetOptions options =
      credit_options(Bytes(kFrames * 66 * 64));  // a frame takes 65 credits, and two more are over
  options.switches[0].latency = 400_ns;
  World world(star({kLong, kCable}), options);
  world.send(0, {.to = EndpointId(1), .count = 31, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  const Duration loop = wire_time(kLong.rate, kFrame) + kLong.propagation + 400_ns +
                        kLong.rate.transmit_time(Bytes(kOrderedSetBytes)) + kLong.propagation;
  EXPECT_EQ(world[0].sent[30] - world[0].sent[0], loop * 10);
}

TEST(Credits, OtherPrioritiesDoNotWait) {
  constexpr Cable kLong{100_gbps, 5_us};
  World world(star({kLong, kCable}), credit_options(Bytes(2 * 66 * 64)));
  world.send(0, {.to = EndpointId(1), .count = 10, .frame_bytes = kFrame, .priority = kLane});
  world.send(0, {.to = EndpointId(1), .count = 10, .frame_bytes = kFrame, .priority = 5});
  ASSERT_EQ(world.run_checked(), "");
  std::vector<Time> others;
  Time last_of_lane;
  for (const Delivery& delivery : world[1].received) {
    if (delivery.common.priority == 5) {
      others.push_back(delivery.at);
    } else {
      last_of_lane = delivery.at;
    }
  }
  ASSERT_EQ(others.size(), 10U);
  EXPECT_LT(others.back(), Time::zero() + 12_us);
  EXPECT_GT(last_of_lane, Time::zero() + 40_us);
  EXPECT_GT(world.fabric->lane_counters(0, kLane, world.kernel.now()).held, 30_us);
}

// Frames that are damaged never give their credits back by themselves, and updates are damaged too.
class CreditErrors : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(CreditErrors, WhatIsLostIsMadeGood) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EthernetOptions options = credit_options();
    options.ports[0].credit_link.resync = 5_us;
    options.packet_error_rate.assign(2, Probability::from_ratio({.numerator = GetParam(), .denominator = 100}));
    World world(star({kCable, kCable}), options, seed);
    world.send(0, {.to = EndpointId(1), .count = 500, .frame_bytes = kFrame});
    world.send(1, {.to = EndpointId(0), .count = 500, .frame_bytes = 300});
    ASSERT_EQ(world.run_checked(), "");
    // All were sent: without the second count the lanes would have run dry.
    EXPECT_EQ(world[0].sent.size(), 500U);
    EXPECT_EQ(world[1].sent.size(), 500U);
    EXPECT_EQ(world.delivered() + world.fabric->drops().damaged, 1000U);
    EXPECT_EQ(world.fabric->drops().buffer_full, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, CreditErrors, ::testing::Values(1, 10, 40));

TEST(Credits, WithLlrNothingIsLostAtAll) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EthernetOptions options = credit_options();
    options.ports[0].retry = RetryOptions{.replays = 1000};
    options.switches[0].buffer = Bytes(200'000);
    options.packet_error_rate.assign(4, Probability::from_ratio({.numerator = 10, .denominator = 100}));
    World world(star({kCable, kCable, kCable, kCable}), options, seed);
    for (std::uint32_t from = 0; from < 3; ++from) {
      world.send(from, {.to = EndpointId(3), .count = 200, .frame_bytes = kFrame});
    }
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(world[3].received.size(), 600U);
    EXPECT_EQ(world.fabric->drops().total(), 0U);
  }
}

TEST(Credits, ALinkThatReturnsGrantsWhatIsFree) {
  EthernetOptions options = credit_options();
  options.events = {{Time::zero() + 20_us, LinkIndex(0), LinkEvent::Kind::kFail, {}, {}},
                    {Time::zero() + 25_us, LinkIndex(0), LinkEvent::Kind::kRestore, {}, {}}};
  World world(star({kCable, {25_gbps, 500_ns}}), options);
  world.send(0, {.to = EndpointId(1), .count = 200, .frame_bytes = kFrame});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[0].sent.size(), 200U);
  EXPECT_EQ(world[1].received.size() + world.fabric->drops().link_down, 200U);
}

TEST(Credits, PfcOnTheSamePriorityIsRefused) {
  sim::Kernel kernel;
  PacketPool packets;
  EthernetOptions options = credit_options();
  options.ports[0].priorities[kLane].lossless = true;
  const auto made =
      EthernetFabric::create(star({kCable, kCable}), options, {.kernel = kernel, .packets = packets, .seed = 1});
  ASSERT_FALSE(made.has_value());
  EXPECT_NE(made.error().message.find("priority 3 has both PFC and credits"), std::string::npos);
}

TEST(Credits, BesideAnotherPriorityWithPfc) {
  EthernetOptions options = credit_options();
  options.ports[0].priorities[4].lossless = true;
  options.ports[0].priorities[4].ingress_alpha_shift = -3;
  options.ports[0].pause_response = 500_ns;
  World world(star({kCable, kCable, kCable}), options);
  for (std::uint32_t from = 0; from < 2; ++from) {
    world.send(from, {.to = EndpointId(2), .count = 300, .frame_bytes = kFrame, .priority = kLane});
    world.send(from, {.to = EndpointId(2), .count = 300, .frame_bytes = kFrame, .priority = 4});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[2].received.size(), 1200U);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
