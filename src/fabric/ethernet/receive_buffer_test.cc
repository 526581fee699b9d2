// Endpoints whose receive side is slower than the wire: by PFC or by credits nothing is lost, the peer gets the rate of
// the receive side, and what it holds back spreads to others.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/slow_receiver_test_support.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kCable{100_gbps, 500_ns};
constexpr Rate kDrain = 40_gbps;
constexpr std::int64_t kFrame = 4158;
constexpr std::int64_t kXoff = 100 * kFrame;
constexpr std::int64_t kXon = 99 * kFrame;

EthernetOptions paused_options() {
  PriorityOptions priority;
  priority.ingress_limit = Bytes(50 * kFrame);  // so that what is held reaches the senders soon
  EthernetOptions options = one_profile(300_ns, priority);
  options.ports[0].mtu_frame = Bytes(kFrame);
  options.ports[0].pause_response = 100_ns;
  return options;
}

EthernetOptions credited_options() {
  EthernetOptions options;
  options.switches[0].latency = 300_ns;
  options.ports[0].priorities[3].credits.emplace();
  options.ports[0].mtu_frame = Bytes(kFrame);
  return options;
}

/// `host` of the world takes so much per second.
struct SlowHost {
  SlowHost(World& world, std::uint32_t host, Rate drain = kDrain)
      : receiver({.drain = drain, .xoff = kXoff, .xon = kXon}, world[host], world.packets) {
    world.fabric->attach(EndpointId(host), receiver);
  }
  SlowReceiver receiver;
};

/// What may come into the receive buffer after XOFF, with the packet that asked for the pause.
std::int64_t headroom() {
  return headroom_bytes({.rate = kCable.rate,
                         .propagation = kCable.propagation,
                         .pipeline = Duration::zero(),
                         .response = 100_ns,
                         .peer_frame = Bytes(kFrame),
                         .local_frame = Bytes(kFrame)})
             .count() +
         2 * kFrame;
}

TEST(ReceiveBuffer, ASlowReceiverPausesItsSwitchAndHasRoomForAllThatComesAfterwards) {
  World world(star(std::vector<Cable>(4, kCable)), paused_options());
  SlowHost slow(world, 3);
  world.send(3, {.to = EndpointId(0), .count = 700});  // so that pauses meet packets on the wire
  for (std::uint32_t from = 0; from < 3; ++from) {
    world.send(from, {.to = EndpointId(3), .count = 300});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[3].received.size(), 900U);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  EXPECT_GT(world.fabric->lane_counters(3, 3, world.kernel.now()).pauses_sent, 10U);
  EXPECT_GT(slow.receiver.peak, kXoff);
  EXPECT_LE(slow.receiver.peak, kXoff + headroom());
  EXPECT_EQ(world.fabric->port(3).xoff, 0U);  // and nothing stays paused
  EXPECT_TRUE(world.fabric->deadlocks().empty());
}

class SlowReceivers : public ::testing::TestWithParam<bool> {
 protected:
  static EthernetOptions options() { return GetParam() ? credited_options() : paused_options(); }
};

TEST_P(SlowReceivers, TheThroughputIsThatOfTheReceiveSide) {
  World world(star(std::vector<Cable>(3, kCable)), options());
  SlowHost slow(world, 2);
  constexpr std::int64_t kCount = 2000;
  world.send(0, {.to = EndpointId(2), .count = kCount});
  world.send(1, {.to = EndpointId(2), .count = kCount});
  ASSERT_EQ(world.run_checked(), "");
  ASSERT_EQ(world[2].received.size(), std::size_t{2 * kCount});
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  // From the first frame on it never runs dry.
  const Time first = world[2].received.front().at;
  EXPECT_EQ(slow.receiver.drained(), first + kDrain.transmit_time(Bytes(kFrame)) * (2 * kCount));
}

// The packets of host 0 take turns: it sends one to the victim for each that it gets off to the slow host, and while
// its class is paused, or has no credits, neither.
TEST_P(SlowReceivers, AVictimOfTheSameClassGetsNoMoreThanTheFlowBesideIt) {
  constexpr Rate kSlow = 20_gbps;
  const auto victim_time = [](Rate drain) {
    World world(star(std::vector<Cable>(3, kCable)), options());
    SlowHost slow(world, 2, drain);
    world.send(0, {.to = EndpointId(2), .count = 4000});
    world.send(0, {.to = EndpointId(1), .count = 4000});
    world.run();
    EXPECT_EQ(world[1].received.size(), 4000U);
    EXPECT_EQ(world.fabric->drops().total(), 0U);
    return (world[1].received[3000].at - world[1].received[1000].at).seconds();
  };
  const double alone = 2 * wire_time(kCable.rate, kFrame).seconds() * 2000;  // half of host 0's line
  const double slowed = kSlow.transmit_time(Bytes(kFrame)).seconds() * 2000;
  EXPECT_NEAR(victim_time(800_gbps), alone, alone * 0.01);
  EXPECT_NEAR(victim_time(kSlow), slowed, slowed * 0.03);
}

INSTANTIATE_TEST_SUITE_P(PausesAndCredits, SlowReceivers, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Credits" : "Pauses"; });

TEST(ReceiveBuffer, TheWatchdogOfTheSwitchTakesAReceiverThatIsStuckForAStorm) {
  EthernetOptions options = paused_options();
  options.ports[0].watchdog = {.detect = 100_us, .restore = 300_us};
  options.deadlock_check = 50_us;
  World world(star(std::vector<Cable>(3, kCable)), options);
  SlowHost stuck(world, 2, 1_mbps);
  world.send(0, {.to = EndpointId(2), .count = 1000});
  world.run(Time::zero() + 5_ms);
  const LaneCounters lane = world.fabric->lane_counters(world.switch_port(2), 3, world.kernel.now());
  EXPECT_EQ(lane.storms, 1U);
  EXPECT_GT(world.fabric->drops().watchdog, 0U);
  EXPECT_TRUE(world.fabric->deadlocks().empty());  // a chain of waits, and no circle
}

TEST(ReceiveBuffer, ALossyClassIsNotPaused) {
  World world(star(std::vector<Cable>(2, kCable)), paused_options());
  SlowHost slow(world, 1);
  world.send(0, {.to = EndpointId(1), .count = 500, .priority = 1});
  world.run();
  EXPECT_EQ(world[1].received.size(), 500U);
  EXPECT_EQ(world.fabric->lane_counters(1, 3, world.kernel.now()).pauses_sent, 0U);
}

TEST(ReceiveBuffer, APauseOfTheReceiveBufferAndOneOfWhatStandsBeforeItEndEachByItself) {
  World world(star(std::vector<Cable>(2, kCable)), paused_options());
  EthernetFabric& fabric = *world.fabric;
  fabric.pause_peer(EndpointId(1), PauseCause::kInline, 1U << 3, Time::zero());
  fabric.pause_peer(EndpointId(1), PauseCause::kReceiveBuffer, 1U << 3, Time::zero());
  fabric.pause_peer(EndpointId(1), PauseCause::kInline, 0, Time::zero());
  EXPECT_EQ(fabric.port(1).xoff, 1U << 3);
  fabric.pause_peer(EndpointId(1), PauseCause::kReceiveBuffer, 0, Time::zero());
  EXPECT_EQ(fabric.port(1).xoff, 0U);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
