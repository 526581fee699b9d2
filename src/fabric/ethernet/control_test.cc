// Switches that decide for themselves, with the packets of hosts: their frames share the wires, and packets follow what
// they have written.
#include <gtest/gtest.h>

#include "fabric/control/control_plane.h"
#include "fabric/ethernet/ethernet_control.h"
#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/leaf_spine.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr std::uint16_t kFrame = 4158;
constexpr std::uint8_t kData = 5;  // lossy

EthernetOptions with_control(const ControlOptions& control) {
  EthernetOptions options;
  options.switches[0].latency = 500_ns;
  options.control = control;
  options.route_updates = LinkSchedule::RouteUpdates::kNone;
  return options;
}

ControlOptions quick() {
  ControlOptions control;
  control.signal_delay = 50_us;
  control.processing_time = 20_us;
  control.fib_time = 10_us;
  control.has_lldp = false;
  return control;
}

Graph leaves_and_spines(std::uint32_t spines, Rate rate = 100_gbps) {
  const Cable cable{rate, 500_ns};
  return *build_graph(LeafSpineOptions{.leaves = 2,
                                       .spines = spines,
                                       .hosts_per_leaf = 2,
                                       .host_link = cable,
                                       .fabric_link = cable,
                                       .domains = Domains::kRouted});
}

const ControlLosses& losses_of(const World& world) { return *world.fabric->control_losses(); }
std::uint64_t ends_by(const World& world, SessionEnd end) {
  return world.fabric->control_plane()->summary().session_ends[static_cast<std::size_t>(end)];
}

/// The cable between a leaf and a spine that a flow of host 0 to host 2 takes.
LinkIndex link_in_use(const EthernetOptions& options, std::uint32_t spines) {
  World world(leaves_and_spines(spines), options);
  world.send(0, {.to = EndpointId(2), .priority = kData});
  world.run(Time::zero() + 1_ms);
  const Graph& graph = world.fabric->graph();
  const NodeIndex leaf0(graph.endpoints);
  LinkIndex busiest;
  std::uint64_t most = 0;
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    const Link& own = graph.links[link];
    if (own.a.node == leaf0 && own.b.node.value() >= graph.endpoints) {
      const std::uint64_t bytes = world.fabric->queue(world.fabric->port_index(own.a), kData).tx_bytes;
      if (bytes > most) {
        most = bytes;
        busiest = LinkIndex(link);
      }
    }
  }
  return busiest;
}

TEST(EthernetControl, PacketsTakeTheOtherPathWhenTheirLeafHasNoticed) {
  EthernetOptions options = with_control(quick());
  const LinkIndex used = link_in_use(options, 2);
  const Time fails = Time::zero() + 200_us;
  LinkEvent event;
  event.at = fails;
  event.link = used;
  event.reroute_delay = 1_us;  // has no effect
  options.events = {event};
  World world(leaves_and_spines(2), options);
  constexpr std::uint64_t kPackets = 3'000;
  world.send(0, {.to = EndpointId(2), .count = kPackets, .priority = kData});
  world.run(fails + 2_ms);
  const Duration frame = wire_time(100_gbps, kFrame);
  const LeafLosses& lost = losses_of(world).leaves[1];
  const auto unknown = static_cast<std::uint64_t>(options.control->signal_delay / frame);
  EXPECT_GE(lost.black_hole, unknown - 1);
  EXPECT_LE(lost.black_hole, unknown + 2);
  EXPECT_LE(lost.on_cable, 3U + static_cast<std::uint64_t>(Duration(1_us) / frame));
  EXPECT_EQ(world[2].received.size() + lost.black_hole + lost.on_cable, kPackets);
  EXPECT_EQ(lost.looped, 0U);
  EXPECT_EQ(losses_of(world).leaves[0].black_hole, 0U);
}

TEST(EthernetControl, EverySwitchTakesAHop) {
  World world(leaves_and_spines(1), with_control(quick()));
  world.send(0, {.to = EndpointId(2), .priority = kData, .hop_limit = 10});
  world.send(1, {.to = EndpointId(3), .priority = kData, .hop_limit = 3});  // two would pass, the third has none left
  world.run(Time::zero() + 1_ms);
  ASSERT_EQ(world[2].received.size(), 1U);
  EXPECT_EQ(world[2].received[0].common.hop_limit, 7U);
  EXPECT_EQ(world[3].received.size(), 0U);
  EXPECT_EQ(losses_of(world).leaves[1].hop_limit, 1U);
}

// Two hosts send more than the only cable upwards carries, all of it above the control plane's class.
struct Starved {
  static constexpr Rate kRate = 100_mbps;
  explicit Starved(std::uint8_t priority) : world(leaves_and_spines(1, kRate), options(priority)) {
    for (std::uint32_t host : {0, 1}) {
      world.send(host, {.to = EndpointId(host + 2), .count = 30'000, .priority = kData});
    }
    world.run(Time::zero() + 8_s);
  }
  static EthernetOptions options(std::uint8_t priority) {
    ControlOptions control = quick();
    control.hold_time = 3_s;
    control.priority = priority;
    return with_control(control);
  }
  World world;
};

TEST(EthernetControl, SessionsEndWhereDataStarvesTheirClass) {
  const Starved starved(0);
  EXPECT_GE(ends_by(starved.world, SessionEnd::kHoldTimer), 1U);
  EXPECT_GT(losses_of(starved.world).leaves[1].black_hole, 0U);
}

TEST(EthernetControl, SessionsLiveThroughTheSameLoadInAClassAboveIt) {
  const Starved served(7);
  EXPECT_EQ(ends_by(served.world, SessionEnd::kHoldTimer), 0U);
  EXPECT_EQ(losses_of(served.world).leaves[1].black_hole, 0U);
  EXPECT_EQ(losses_of(served.world).control_frames, 0U);
}

TEST(EthernetControl, NoPacketIsLostOrMadeWhileSwitchesAgree) {
  ControlOptions control = quick();
  control.has_bfd = true;
  control.bfd_interval = 100_us;
  control.start = ControlStart::kCold;
  EthernetOptions options = with_control(control);
  LinkEvent event;
  event.at = Time::zero() + 3_ms;
  event.link = LinkIndex(5);
  options.events = {event};
  event.at = Time::zero() + 5_ms;
  event.kind = LinkEvent::Kind::kRestore;
  options.events.push_back(event);
  World world(leaves_and_spines(2), options);
  world.send(0, {.to = EndpointId(2), .count = 500, .priority = kData, .at = Time::zero() + 2_ms});
  EXPECT_EQ(world.run_checked(Time::zero() + 8_ms), "");
  const ControlSummary sum = world.fabric->control_plane()->summary();
  EXPECT_EQ(sum.established_ends, 2 * sum.sessions);
  EXPECT_EQ(sum.bad_messages, 0U);
}

TEST(EthernetControl, APriorityThatIsLosslessIsRefused) {
  ControlOptions control = quick();
  control.priority = 3;
  EthernetOptions options = with_control(control);
  options.ports[0].priorities[3].lossless = true;
  sim::Kernel kernel;
  PacketPool packets;
  const auto made = EthernetFabric::create(leaves_and_spines(1), options, {.kernel = kernel, .packets = packets});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().message, "priority 3 of the control plane's frames is lossless; give it a lossy one");
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
