// A scheduled fabric against closed forms.
#include "fabric/scheduled/scheduled_fabric.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "fabric/scheduled/test_world.h"
#include "fabric/topology/single_switch.h"

namespace weft::fabric {
namespace {

using scheduled_test::kFrame;
using scheduled_test::kGap;
using scheduled_test::World;
using ::testing::HasSubstr;

constexpr Rate kLine = 100_gbps;
constexpr Cable kCable{.rate = kLine, .propagation = 500_ns};
constexpr Duration kLatency = 300_ns;
/// A frame as 18 cells of 247 bytes.
constexpr std::uint32_t kCells = 18;
constexpr std::uint32_t kCellBytes = 247;
constexpr double kEfficiency = (kFrame + double{kGap}) / (kCells * double{kCellBytes});

ScheduledOptions options_with(Bytes egress_buffer = Bytes(256 * 1024)) {
  ScheduledOptions options;
  options.switches[0].latency = kLatency;
  options.credit.egress_buffer = egress_buffer;
  return options;
}

Graph graph_of(std::uint32_t leaves, std::uint32_t hosts, std::uint32_t spines, Rate fabric = kLine) {
  return *build_graph(LeafSpineOptions{.leaves = leaves,
                                       .spines = spines,
                                       .hosts_per_leaf = hosts,
                                       .host_link = kCable,
                                       .fabric_link = {.rate = fabric, .propagation = 500_ns}});
}

constexpr Duration kFrameTime = kLine.transmit_time(Bytes(kFrame + kGap));

/// What a saturated run of `count` frames each takes, in parts of what the line would.
double share_of_line(World& world, std::uint32_t endpoint, std::uint64_t count) {
  EXPECT_EQ(world[endpoint].received.size(), count);
  const Time end = world[endpoint].received.back().at;
  return static_cast<double>((kFrameTime * static_cast<std::int64_t>(count)).picoseconds()) /
         static_cast<double>((end - Time::zero()).picoseconds());
}

TEST(ScheduledFabric, ALoneFrameWaitsForItsRequestAndItsGrant) {
  World world(graph_of(2, 1, 4), options_with());
  world.send(0, {.to = EndpointId(1)});
  EXPECT_EQ(world.run_checked(), "");
  const Duration hop = kCable.propagation + kLatency;
  // 18 cells over four links: five on the first of them; the spine passes the last one on when it is whole.
  const Duration cells =
      kLine.transmit_time(Bytes(5 * kCellBytes)) + hop + kLine.transmit_time(Bytes(kCellBytes)) + hop;
  const Duration expected = kFrameTime + hop  // host to leaf
                            + hop * 2         // request
                            + hop * 2         // grant
                            + cells + kFrameTime + kCable.propagation;
  ASSERT_EQ(world[1].received.size(), 1U);
  EXPECT_EQ(world[1].received[0].at - Time::zero(), expected);
  const Bytes wire(kFrame + kGap);
  EXPECT_EQ(world.fabric->idle_time(EndpointId(0), EndpointId(1), wire, wire), expected);
}

TEST(ScheduledFabric, OnOneLeafNoCellsAreCut) {
  ScheduledOptions options = options_with();
  options.credit.latency = 200_ns;
  World world(graph_of(2, 2, 2), std::move(options));
  world.send(0, {.to = EndpointId(1)});
  world.run();
  const Duration expected = kFrameTime * 2 + kCable.propagation * 2 + kLatency + 200_ns;
  EXPECT_EQ(world[1].received.at(0).at - Time::zero(), expected);
  const Bytes wire(kFrame + kGap);
  EXPECT_EQ(world.fabric->idle_time(EndpointId(0), EndpointId(1), wire, wire), expected);
}

TEST(ScheduledFabric, AnIncastSharesTheLineToACreditWithoutALongEgressQueue) {
  constexpr std::uint32_t kSenders = 7;
  constexpr std::uint64_t kFrames = 400;
  World world(graph_of(8, 1, 8), options_with());
  for (std::uint32_t i = 1; i <= kSenders; ++i) {
    world.send(i, {.to = EndpointId(0), .count = kFrames});
  }
  EXPECT_EQ(world.run_checked(16), "");
  EXPECT_EQ(world.delivered(), kSenders * kFrames);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  // At half of the time, and at the end: a credit of 8 KiB is two frames.
  std::vector<std::uint32_t> half(kSenders + 1);
  for (std::size_t i = 0; i < kSenders * kFrames / 2; ++i) {
    ++half[world[0].received[i].from.value()];
  }
  for (std::uint32_t i = 1; i <= kSenders; ++i) {
    EXPECT_NEAR(half[i], kFrames / 2.0, 2.5) << i;
  }
  EXPECT_GT(share_of_line(world, 0, kSenders * kFrames), 0.99);
  const LaneCounters egress = world.fabric->lane_counters(world.leaf_port(0), 3, Time::zero());
  // Beside the buffer, for each queue the rest of a packet that came ahead of its credit.
  EXPECT_LE(egress.queue_peak, 256U * 1024 + kSenders * kFrame);
  EXPECT_GT(world.fabric->port_counters(world.leaf_port(0), Time::zero()).voq_peak, 100U * kFrame);
  // Each sender's packets came in their order.
  std::vector<std::uint32_t> next(kSenders + 1);
  for (const auto& arrival : world[0].received) {
    EXPECT_EQ(arrival.number, next[arrival.from.value()]++);
  }
}

TEST(ScheduledFabric, AnEgressBufferSmallerThanTheLoopOfAGrantDoesNotFillTheLine) {
  World world(graph_of(4, 1, 4), options_with(Bytes(16 * 1024)));
  for (std::uint32_t i = 1; i < 4; ++i) {
    world.send(i, {.to = EndpointId(0), .count = 100});
  }
  EXPECT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 300U);
  EXPECT_LT(share_of_line(world, 0, 300), 0.9);
}

TEST(ScheduledFabric, APermutationHasTheWholeFabricWhateverTheSeed) {
  constexpr std::uint64_t kFrames = 1'000;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World world(graph_of(4, 4, 4), options_with(), seed);
    for (std::uint32_t i = 0; i < 16; ++i) {
      world.send(i, {.to = EndpointId((i + 4 + seed) % 16), .count = kFrames});
    }
    world.run();
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_GT(share_of_line(world, i, kFrames), 0.97 * kEfficiency) << "seed " << seed << " host " << i;
    }
    EXPECT_EQ(world.fabric->drops().total(), 0U);
  }
}

TEST(ScheduledFabric, WithASpeedUpInTheFabricAPermutationHasTheLine) {
  World world(graph_of(4, 4, 5), options_with());
  for (std::uint32_t i = 0; i < 16; ++i) {
    world.send(i, {.to = EndpointId((i + 5) % 16), .count = 2'000});
  }
  world.run();
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_GT(share_of_line(world, i, 2'000), 0.98) << i;
  }
}

TEST(ScheduledFabric, LinksOfTheFabricCarryTheSameToACellPerPair) {
  World world(graph_of(4, 4, 4), options_with());
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t j = 1; j < 4; ++j) {
      world.send(i, {.to = EndpointId((i + 4 * j + i % 3) % 16), .count = 100 + 7 * i});
    }
  }
  world.run();
  for (std::uint32_t leaf = 0; leaf < 4; ++leaf) {
    std::vector<std::uint64_t> cells;
    for (std::uint32_t spine = 0; spine < 4; ++spine) {
      const LinkEnd up{.node = NodeIndex(16 + leaf), .port = static_cast<std::uint16_t>(4 + spine)};
      cells.push_back(world.fabric->lane_counters(world.fabric->port_index(up), 3, Time::zero()).tx_packets);
    }
    const auto [least, most] = std::ranges::minmax(cells);
    EXPECT_GT(least, 1'000U);
    EXPECT_LE(most - least, 3U) << leaf;  // one for each other leaf
  }
}

TEST(ScheduledFabric, OfNLinksOneFailedLeavesNMinusOne) {
  constexpr std::uint64_t kFrames = 2'000;
  ScheduledOptions options = options_with();
  // The cable of leaf0 to spine0, before anything is sent and long enough to be known.
  options.events = {{.at = Time::zero() + 1_ns,
                     .link = LinkIndex(16),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = 1_ns}};
  Graph graph = graph_of(4, 4, 4);
  ASSERT_GE(graph.links[16].a.node.value(), 16U);
  ASSERT_GE(graph.links[16].b.node.value(), 16U);
  World world(std::move(graph), std::move(options));
  for (std::uint32_t i = 0; i < 16; ++i) {
    world.send(i, {.to = EndpointId((i + 4) % 16), .count = kFrames, .at = Time::zero() + 1_us});
  }
  world.run();
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const bool concerned = i < 8;  // leaf0 receives, or leaf1 from it
    const double share = share_of_line(world, i, kFrames);
    EXPECT_GT(share, (concerned ? 0.75 : 1.0) * 0.965 * kEfficiency) << i;
    EXPECT_LT(share, (concerned ? 0.75 : 1.0) * 1.001 * kEfficiency) << i;
  }
}

TEST(ScheduledFabric, CellsOnAFailedLinkCostTheirPacketsUntilThatIsKnown) {
  ScheduledOptions options = options_with();
  options.events = {{.at = Time::zero() + 50_us,
                     .link = LinkIndex(8),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = 20_us}};
  World world(graph_of(4, 2, 2), std::move(options));
  for (std::uint32_t i = 0; i < 8; ++i) {
    world.send(i, {.to = EndpointId((i + 2) % 8), .count = 1'000});
  }
  EXPECT_EQ(world.run_checked(16), "");
  EXPECT_GT(world.fabric->drops().link_down, 10U);
  EXPECT_EQ(world.delivered() + world.fabric->drops().link_down, 8'000U);
  std::uint64_t incomplete = 0;
  for (std::uint32_t i = 0; i < 8; ++i) {
    incomplete += world.fabric->port_counters(world.leaf_port(i), Time::zero()).incomplete;
    // None is lost any more in the second half.
    EXPECT_GT(world[i].received.size(), 800U);
  }
  EXPECT_EQ(incomplete, world.fabric->drops().link_down);
  EXPECT_EQ(world.packets.live_count(), 0U);
}

TEST(ScheduledFabric, AnOversubscribedFabricSharesFairly) {
  constexpr std::uint64_t kFrames = 500;
  World world(graph_of(4, 4, 2), options_with());
  for (std::uint32_t i = 0; i < 16; ++i) {
    world.send(i, {.to = EndpointId((i + 4) % 16), .count = kFrames});
  }
  world.run();
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(share_of_line(world, i, kFrames), 0.5 * kEfficiency, 0.02) << i;
  }
  EXPECT_EQ(world.fabric->drops().total(), 0U);
}

TEST(ScheduledFabric, AFullBufferDropsOrPauses) {
  for (const bool lossless : {false, true}) {
    ScheduledOptions options = options_with();
    options.switches[0].buffer = Bytes(1'000'000);
    options.ports[0].priorities[3].lossless = lossless;
    World world(graph_of(4, 1, 4), std::move(options));
    for (std::uint32_t i = 1; i < 4; ++i) {
      world.send(i, {.to = EndpointId(0), .count = 1'000});
    }
    EXPECT_EQ(world.run_checked(16), "");
    EXPECT_EQ(world.fabric->drops().buffer_full == 0, lossless);
    EXPECT_EQ(world.delivered() + world.fabric->drops().buffer_full, 3'000U);
    EXPECT_EQ(world.fabric->lane_counters(world.leaf_port(1), 3, Time::zero()).pauses_sent > 0, lossless);
    EXPECT_LE(world.fabric->lane_counters(world.leaf_port(1), 3, Time::zero()).ingress_peak, 1'000'000U);
  }
}

TEST(ScheduledFabric, MarksWhatWaitsInALongQueue) {
  ScheduledOptions options = options_with();
  options.ports[0].priorities[3].ecn = RedOptions{.kmin = Bytes(50'000), .kmax = Bytes(100'000)};
  World world(graph_of(4, 1, 4), std::move(options));
  world.send(1, {.to = EndpointId(0), .count = 100});
  world.run();
  EXPECT_EQ(world.fabric->lane_counters(world.leaf_port(0), 3, Time::zero()).marked, 0U);
  for (std::uint32_t i = 1; i < 4; ++i) {
    world.send(i, {.to = EndpointId(0), .count = 200});
  }
  world.run();
  const std::uint64_t marked = world.fabric->lane_counters(world.leaf_port(0), 3, Time::zero()).marked;
  EXPECT_GT(marked, 200U);
  EXPECT_EQ(
      static_cast<std::uint64_t>(std::ranges::count(world[0].received, wire::Ecn::kCe, &scheduled_test::Arrival::ecn)),
      marked);
}

TEST(ScheduledFabric, AStrictPriorityIsNotHeldUp) {
  World world(graph_of(4, 1, 4), options_with());
  for (std::uint32_t i = 1; i < 4; ++i) {
    world.send(i, {.to = EndpointId(0), .count = 500});
  }
  world.send(1, {.to = EndpointId(0), .frame_bytes = 82, .priority = 6, .at = Time::zero() + 100_us});
  world.run();
  const auto urgent = std::ranges::find(world[0].received, 6, &scheduled_test::Arrival::priority);
  ASSERT_NE(urgent, world[0].received.end());
  // A frame before it at its host, the egress queue's frame on the wire, and its own way: no queue of data.
  EXPECT_LT(urgent->at - Time::zero(), 100_us + 7_us);
}

/// Of two priorities with these weights that have enough for the line, what comes of each within 3 ms; the second one
/// starts after 1 ms.
std::array<double, 2> megabytes_of_two(std::array<std::uint16_t, 2> weights) {
  ScheduledOptions options = options_with();
  options.ports[0].priorities[1].dwrr_weight = weights[0];
  options.ports[0].priorities[2].dwrr_weight = weights[1];
  World world(graph_of(3, 1, 4), options);
  world.send(1, {.to = EndpointId(0), .count = 10'000, .priority = 1});
  world.send(2, {.to = EndpointId(0), .count = 10'000, .priority = 2, .at = Time::zero() + 1_ms});
  world.run(Time::zero() + 3_ms);
  std::array<double, 2> made{};
  for (const scheduled_test::Arrival& arrival : world[0].received) {
    made.at(arrival.priority - 1) += kFrame / 1e6;
  }
  return made;
}

TEST(ScheduledFabric, PrioritiesShareByWeightWhicheverOfThemWasThereFirst) {
  const double of_a_millisecond =
      kFrame / 1e6 * static_cast<double>(Duration(1_ms).picoseconds()) / static_cast<double>(kFrameTime.picoseconds());
  using Case = std::array<std::uint16_t, 2>;
  for (const Case& weights : {Case{1, 1}, Case{3, 1}, Case{1, 3}, Case{20, 20}}) {
    const auto first = static_cast<double>(weights[0]) / static_cast<double>(weights[0] + weights[1]);
    const auto [before, after] = megabytes_of_two(weights);
    EXPECT_NEAR(before / (of_a_millisecond * (1 + 2 * first)), 1, 0.02) << weights[0] << ":" << weights[1];
    EXPECT_NEAR(after / (of_a_millisecond * 2 * (1 - first)), 1, 0.02) << weights[0] << ":" << weights[1];
  }
}

TEST(ScheduledFabric, RefusesWhatItIsNotMadeFor) {
  sim::Kernel kernel;
  PacketPool packets;
  const auto refused = [&](Graph graph, ScheduledOptions options) {
    const auto made =
        ScheduledFabric::create(std::move(graph), std::move(options), {.kernel = kernel, .packets = packets});
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(refused(graph_of(2, 2, 2), options_with()), "");
  EXPECT_THAT(refused(*build_graph(SingleSwitchOptions{}), options_with()), HasSubstr("no switch here is a spine"));
  EXPECT_THAT(refused(graph_of(2, 2, 2), options_with(Bytes(8'000))), HasSubstr("less than a credit"));
  ScheduledOptions options = options_with();
  options.bit_error_rate.assign(8, Probability::from_ratio({.numerator = 1, .denominator = 1'000'000}));
  EXPECT_THAT(refused(graph_of(2, 2, 2), options), HasSubstr("leaf0 - spine0"));
  options = options_with();
  options.switches[0].buffer = Bytes(5'000'000'000);
  EXPECT_THAT(refused(graph_of(2, 2, 2), options), HasSubstr("at most 4 GB"));
  options = options_with();
  options.switches[0].buffer = Bytes(10'000);
  options.ports[0].priorities[3].lossless = true;
  EXPECT_THAT(refused(graph_of(2, 2, 2), options), HasSubstr("cannot hold"));
}

}  // namespace
}  // namespace weft::fabric
