// Cables that fail, slow down and come back; circles of buffers; and the books of random fabrics at every event.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/random.h"
#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/leaf_spine.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kFast{100_gbps, 500_ns};
constexpr std::uint16_t kFrame = 4158;

Graph two_paths() {
  return *build_graph(
      LeafSpineOptions{.leaves = 2, .spines = 2, .hosts_per_leaf = 1, .host_link = kFast, .fabric_link = kFast});
}

/// The cable from leaf 0 to the spine that host 0's flow takes.
LinkIndex link_in_use(const EthernetOptions& options) {
  World world(two_paths(), options);
  world.send(0, {.to = EndpointId(1)});
  world.run();
  const Graph& graph = world.fabric->graph();
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    const PortIndex a = world.fabric->port_index(graph.links[link].a);
    if (graph.links[link].a.node.value() >= graph.endpoints && world.fabric->port(a).packets_sent > 0) {
      return LinkIndex(link);
    }
  }
  return {};
}

TEST(LinkEvents, AfterTheRerouteDelayPacketsTakeTheOtherPath) {
  EthernetOptions options = one_profile();
  const LinkIndex used = link_in_use(options);
  const Time fails = Time::zero() + 20_us;
  const Duration delay = 30_us;
  options.events = {{.at = fails, .link = used, .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = delay}};
  World world(two_paths(), options);
  constexpr std::uint64_t kPackets = 600;
  world.send(0, {.to = EndpointId(1), .count = kPackets});
  EXPECT_EQ(world.run_checked(), "");
  // Those are lost that reach the leaf while it does not know, and those on the cable or behind it.
  const Duration frame = wire_time(kFast.rate, kFrame);
  const std::uint64_t lost = world.fabric->drops().link_down;
  const auto unknown = static_cast<std::uint64_t>(delay / frame);
  const auto on_cable = static_cast<std::uint64_t>(kFast.propagation / frame) + 2;
  EXPECT_GE(lost, unknown);
  EXPECT_LE(lost, unknown + on_cable + 1);
  EXPECT_EQ(world.delivered() + lost, kPackets);
  EXPECT_EQ(world[1].received.back().number, kPackets - 1);
}

TEST(LinkEvents, ARestoredCableIsUsedAgain) {
  EthernetOptions options = one_profile();
  const LinkIndex used = link_in_use(options);
  options.events = {
      {.at = Time::zero() + 60_us, .link = used, .kind = LinkEvent::Kind::kRestore, .rate = {}, .reroute_delay = 5_us},
      {.at = Time::zero() + 20_us, .link = used, .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = 5_us}};
  World world(two_paths(), options);
  world.send(0, {.to = EndpointId(1), .count = 600});
  const PortIndex port = world.fabric->port_index(world.fabric->graph().links[used.value()].a);
  world.run(Time::zero() + 59_us);
  const std::uint64_t before = world.fabric->port(port).packets_sent;
  EXPECT_EQ(world.run_checked(), "");
  EXPECT_GT(world.fabric->port(port).packets_sent, before + 50);
}

TEST(LinkEvents, AnEndpointWithoutItsLinkGoesOnAtTheSpeedOfTheWireAndAllIsLost) {
  EthernetOptions options = one_profile();
  const Time fails = Time::zero() + 10_us;
  const Time returns = Time::zero() + 30_us;
  options.events = {
      {.at = fails, .link = LinkIndex(0), .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = {}},
      {.at = returns, .link = LinkIndex(0), .kind = LinkEvent::Kind::kRestore, .rate = {}, .reroute_delay = {}}};
  World world(chain({kFast, kFast}), options);
  constexpr std::uint64_t kPackets = 200;
  world.send(0, {.to = EndpointId(1), .count = kPackets});
  EXPECT_EQ(world.run_checked(), "");
  const Duration frame = wire_time(kFast.rate, kFrame);
  for (std::uint64_t i = 1; i < kPackets; ++i) {
    EXPECT_EQ(world[0].sent[i] - world[0].sent[i - 1], frame) << i;
  }
  // Those that begin while there is no link, and those that were on the cable or behind it when it failed.
  const auto in_vain = static_cast<std::uint64_t>(
      std::ranges::count_if(world[0].sent, [&](Time at) { return at >= fails && at < returns; }));
  EXPECT_NEAR(static_cast<double>(in_vain), (returns - fails).seconds() / frame.seconds(), 1);
  EXPECT_GE(world.fabric->drops().link_down, in_vain);
  EXPECT_LE(world.fabric->drops().link_down, in_vain + 3);
  EXPECT_EQ(world.delivered() + world.fabric->drops().link_down, kPackets);
  EXPECT_EQ(world.fabric->port(0).packets_sent + in_vain, kPackets);
}

TEST(LinkEvents, APauseDoesNotOutliveItsLink) {
  // The cable to the switch fails while the switch holds the endpoint back: what waits goes, and is lost.
  PriorityOptions priority;
  priority.ingress_limit = Bytes(kFrame);
  EthernetOptions options = one_profile(100_ns, priority);
  options.events = {{.at = Time::zero() + 8_us,
                     .link = LinkIndex(0),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = {}}};
  World world(star({kFast, {10_gbps, 100_ns}}), options);
  world.send(0, {.to = EndpointId(1), .count = 60});
  EXPECT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[0].sent.size(), 60U);
  EXPECT_EQ(world.delivered() + world.fabric->drops().link_down, 60U);
  EXPECT_GT(world.delivered(), 0U);
}

TEST(LinkEvents, LateNewsOfAFailureDoNotHideARestoredCable) {
  EthernetOptions options = one_profile();
  options.events = {{.at = Time::zero() + 1_us,
                     .link = LinkIndex(1),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = 9_us},
                    {.at = Time::zero() + 2_us,
                     .link = LinkIndex(1),
                     .kind = LinkEvent::Kind::kRestore,
                     .rate = {},
                     .reroute_delay = {}}};
  World world(chain({kFast, kFast, kFast}), options);
  world.send(0, {.to = EndpointId(1), .count = 3, .at = Time::zero() + 50_us});
  world.run();
  EXPECT_EQ(world.delivered(), 3U);
}

TEST(LinkEvents, APauseLostWithItsCableHoldsNobodyAndTheNextOneWorks) {
  // The cable fails while a pause is on it, and while one lasts.
  for (const Duration fails : {1'500_ns, 2'500_ns, 8_us}) {
    PriorityOptions priority;
    priority.ingress_limit = Bytes(kFrame);
    EthernetOptions options = one_profile(100_ns, priority);
    options.events = {{.at = Time::zero() + fails,
                       .link = LinkIndex(0),
                       .kind = LinkEvent::Kind::kFail,
                       .rate = {},
                       .reroute_delay = {}},
                      {.at = Time::zero() + 30_us,
                       .link = LinkIndex(0),
                       .kind = LinkEvent::Kind::kRestore,
                       .rate = {},
                       .reroute_delay = {}}};
    World world(star({kFast, {10_gbps, 100_ns}}), options);
    world.send(0, {.to = EndpointId(1), .count = 60});
    world.send(0, {.to = EndpointId(1), .count = 60, .at = Time::zero() + 31_us});
    EXPECT_EQ(world.run_checked(), "");
    EXPECT_EQ(world.delivered() + world.fabric->drops().link_down, 120U);
    EXPECT_EQ(world.fabric->drops().total(), world.fabric->drops().link_down);
    EXPECT_GE(world.delivered(), 60U);
    EXPECT_EQ(world.fabric->port(0).blocked, 0U);
    EXPECT_GE(world.fabric->pauses(0).paused_total[3], Duration::zero());
    EXPECT_LT(world.fabric->pauses(0).paused_total[3], world.kernel.now() - Time::zero());
  }
}

TEST(LinkEvents, ADegradedCableSendsAtItsNewRateUntilItIsRestored) {
  EthernetOptions options = one_profile();
  options.switches[0].forwarding = Forwarding::kCutThrough;
  options.events = {{.at = Time::zero() + 10_us,
                     .link = LinkIndex(0),
                     .kind = LinkEvent::Kind::kDegrade,
                     .rate = 25_gbps,
                     .reroute_delay = {}},
                    {.at = Time::zero() + 100_us,
                     .link = LinkIndex(0),
                     .kind = LinkEvent::Kind::kRestore,
                     .rate = {},
                     .reroute_delay = {}}};
  World world(chain({kFast, kFast}), options);
  for (const Duration at : {0_us, 50_us, 150_us}) {
    world.send(0, {.to = EndpointId(1), .at = Time::zero() + at});
  }
  world.run();
  ASSERT_EQ(world.delivered(), 3U);
  const auto latency = [&](std::size_t i, Duration sent) { return world[1].received[i].at - (Time::zero() + sent); };
  const Duration whole = kFast.rate.transmit_time(Bytes(80)) + wire_time(kFast.rate, kFrame) + kFast.propagation * 2;
  EXPECT_EQ(latency(0, 0_us), whole);
  // Slower than the way out: stored, not cut through.
  EXPECT_EQ(latency(1, 50_us), wire_time(25_gbps, kFrame) + wire_time(kFast.rate, kFrame) + kFast.propagation * 2);
  EXPECT_EQ(latency(2, 150_us), whole);
}

TEST(LinkEvents, ErrorCorrectionAddsItsLatencyToEachPacketUntilTheCableIsRestored) {
  EthernetOptions options = one_profile();
  const auto event = [](Duration at, LinkEvent::Kind kind, Duration added) {
    return LinkEvent{
        .at = Time::zero() + at, .link = LinkIndex(0), .kind = kind, .rate = kFast.rate, .added_latency = added};
  };
  options.events = {event(10_us, LinkEvent::Kind::kDegrade, 300_ns), event(60_us, LinkEvent::Kind::kDegrade, 200_ns),
                    event(100_us, LinkEvent::Kind::kRestore, Duration::zero())};
  World world(chain({kFast, kFast}), options);
  for (const Duration at : {0_us, 30_us, 80_us, 150_us}) {
    world.send(0, {.to = EndpointId(1), .at = Time::zero() + at});
  }
  EXPECT_EQ(world.run_checked(), "");
  ASSERT_EQ(world.delivered(), 4U);
  const auto latency = [&](std::size_t i, Duration sent) { return world[1].received[i].at - (Time::zero() + sent); };
  const Duration usual = latency(0, 0_us);
  EXPECT_EQ(latency(1, 30_us), usual + 300_ns);
  EXPECT_EQ(latency(2, 80_us), usual + 200_ns);
  EXPECT_EQ(latency(3, 150_us), usual);
}

// What is on a cable when it gets shorter is lost, for what follows would overtake it.
TEST(LinkEvents, ACableThatTrainsAnewLosesWhatIsOnIt) {
  EthernetOptions options = one_profile();
  options.events = {
      {.link = LinkIndex(0), .kind = LinkEvent::Kind::kDegrade, .rate = kFast.rate, .added_latency = 5_us},
      {.at = Time::zero() + 20_us, .link = LinkIndex(0), .kind = LinkEvent::Kind::kRestore}};
  World world(chain({kFast, kFast}), options);
  constexpr std::uint64_t kPackets = 200;
  world.send(0, {.to = EndpointId(1), .count = kPackets});
  EXPECT_EQ(world.run_checked(), "");
  const std::uint64_t lost = world.fabric->drops().link_down;
  const auto on_cable = static_cast<std::uint64_t>((5_us + kFast.propagation) / wire_time(kFast.rate, kFrame));
  EXPECT_GE(lost, on_cable - 1);
  EXPECT_LE(lost, on_cable + 3);
  EXPECT_EQ(world.delivered() + lost, kPackets);
}

// With 10^-6 a frame of 33,264 bits is damaged with 3.3 %; outside of that time none is.
TEST(LinkEvents, BitErrorsLastAsLongAsTheCableIsDegraded) {
  EthernetOptions options = one_profile();
  options.events = {{.at = Time::zero() + 100_us,
                     .link = LinkIndex(0),
                     .kind = LinkEvent::Kind::kDegrade,
                     .rate = kFast.rate,
                     .bit_error_rate = Probability::from_ratio({.numerator = 1, .denominator = 1'000'000})},
                    {.at = Time::zero() + 1'100_us, .link = LinkIndex(0), .kind = LinkEvent::Kind::kRestore}};
  World world(chain({kFast, kFast}), options);
  constexpr std::uint64_t kPackets = 6000;  // 2 ms
  world.send(0, {.to = EndpointId(1), .count = kPackets});
  EXPECT_EQ(world.run_checked(), "");
  const auto damaged = static_cast<double>(world.fabric->drops().damaged);
  const double expected = 1e-3 / wire_time(kFast.rate, kFrame).seconds() * 0.0327;
  EXPECT_NEAR(damaged, expected, 5 * std::sqrt(expected));
  EXPECT_EQ(world.delivered() + world.fabric->drops().damaged, kPackets);
}

// Five switches in a circle; each host sends to the second one clockwise, over the two cables that are the shortest
// path. Three would not do: every host is one cable away there.
Graph ring() {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 5});
  std::vector<NodeIndex> nodes;
  for (int i = 0; i < 5; ++i) {
    nodes.push_back(builder.add_switch({.name = "s" + std::to_string(i)}));
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    builder.connect({.lower = NodeIndex(i), .upper = nodes[i]}, kFast);
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    builder.connect({.lower = nodes[i], .upper = nodes[(i + 1) % 5]}, kFast);
  }
  return std::move(builder).finish();
}

EthernetOptions watched_for_deadlock() {
  PriorityOptions priority;
  priority.ingress_limit = Bytes(4 * kFrame);
  EthernetOptions options = one_profile(100_ns, priority);
  options.deadlock_check = 50_us;
  return options;
}

TEST(Deadlock, ACircleOfBuffersIsFoundAndReportedWithItsPorts) {
  World world(ring(), watched_for_deadlock());
  for (std::uint32_t i = 0; i < 5; ++i) {
    world.send(i, {.to = EndpointId((i + 2) % 5), .count = 100'000});
  }
  world.run(Time::zero() + 1_ms);
  ASSERT_EQ(world.fabric->deadlocks().size(), 1U);
  const DeadlockReport& report = world.fabric->deadlocks()[0];
  EXPECT_EQ(report.priority, 3);
  // The clockwise port of every switch, in the order in which they wait.
  ASSERT_EQ(report.cycle.size(), 5U);
  std::set<std::uint32_t> owners;
  for (std::size_t i = 0; i < 5; ++i) {
    const EthernetPort& port = world.fabric->port(report.cycle[i]);
    owners.insert(port.owner);
    EXPECT_EQ(world.fabric->port(port.peer).owner, (port.owner + 1) % 5);
    EXPECT_EQ(world.fabric->port(report.cycle[(i + 1) % 5]).owner, (port.owner + 1) % 5);
  }
  EXPECT_EQ(owners.size(), 5U);
  // And it is one: nothing has moved since.
  const std::uint64_t delivered = world.delivered();
  world.run(Time::zero() + 3_ms);
  EXPECT_EQ(world.delivered(), delivered);
  EXPECT_EQ(world.fabric->deadlocks().size(), 1U);
}

TEST(Deadlock, CongestionWithoutACircleIsNone) {
  World world(chain({kFast, kFast, kFast, {10_gbps, 500_ns}}), watched_for_deadlock());
  world.send(0, {.to = EndpointId(1), .count = 2'000});
  world.run();
  EXPECT_EQ(world.delivered(), 2'000U);
  EXPECT_GT(world.fabric->pauses(0).pauses_received[3], 0U);
  EXPECT_TRUE(world.fabric->deadlocks().empty());
}

TEST(Deadlock, AWatchdogBreaksTheCircle) {
  EthernetOptions options = watched_for_deadlock();
  options.ports[0].watchdog = {.detect = 200_us, .restore = 200_us};
  World world(ring(), options);
  for (std::uint32_t i = 0; i < 5; ++i) {
    world.send(i, {.to = EndpointId((i + 2) % 5), .count = 2'000});
  }
  EXPECT_EQ(world.run_checked(Time::zero() + 400_us), "");
  world.run(Time::zero() + 20_ms);
  EXPECT_GT(world.fabric->drops().watchdog, 0U);
  EXPECT_EQ(world.delivered() + world.fabric->drops().total(), 10'000U);
}

EthernetOptions random_options(RandomStream& random, const Graph& graph) {
  EthernetOptions options;
  options.switches[0].latency = Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(600)));
  options.switches[0].buffer = Bytes(static_cast<std::int64_t>(600'000 + random.uniform(1'000'000)));
  options.switches[0].forwarding = random.uniform(2) == 0 ? Forwarding::kCutThrough : Forwarding::kStoreAndForward;
  options.switches[0].path =
      std::array{PathPolicy::kEcmp, PathPolicy::kSpray, PathPolicy::kAdaptive}[random.uniform(3)];
  BalancingOptions& balancing = options.switches[0].balancing;
  balancing.weighting = random.uniform(2) == 0 ? Weighting::kCapacity : Weighting::kEqual;
  if (random.uniform(2) == 0) {
    balancing.grades = {8_kib, 16_kib};
    balancing.notifications = NotificationOptions{.threshold = 16_kib};
  }
  if (random.uniform(3) == 0) {
    balancing.flowlet_gap = 1_us;
    balancing.flowlet_entries = 4;
  }
  EthernetPortOptions& port = options.ports[0];
  port.pause_quanta = static_cast<std::uint16_t>(1 + random.uniform(200));
  port.pause_response = Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(300)));
  for (PriorityOptions& priority : port.priorities) {
    priority.lossless = random.uniform(3) == 0;
    priority.ingress_alpha_shift = static_cast<std::int8_t>(static_cast<int>(random.uniform(6)) - 4);
    priority.egress_alpha_shift = static_cast<std::int8_t>(static_cast<int>(random.uniform(4)) - 3);
    priority.reserve = Bytes(static_cast<std::int64_t>(random.uniform(3'000)));
    priority.xon_offset = Bytes(static_cast<std::int64_t>(random.uniform(5'000)));
    priority.dwrr_weight = static_cast<std::uint16_t>(random.uniform(4));
    priority.headroom = Bytes(static_cast<std::int64_t>(random.uniform(25'000)));
    if (random.uniform(2) == 0) {
      priority.ecn = RedOptions{Bytes(2'000), Bytes(30'000), Probability::from_ratio({1, 3})};
    }
  }
  if (random.uniform(2) == 0) {
    port.watchdog = {
        .detect = 30_us,
        .restore = 40_us,
        .action = random.uniform(2) == 0 ? PfcWatchdogOptions::Action::kDrop : PfcWatchdogOptions::Action::kForward};
  }
  options.deadlock_check = random.uniform(2) == 0 ? 10_us : Duration::zero();
  if (random.uniform(2) == 0) {
    options.bit_error_rate.assign(graph.links.size(), Probability::from_ratio({1, 1'000'000}));
  }
  for (std::uint64_t i = random.uniform(5); i > 0; --i) {
    options.events.push_back(
        {.at = Time::zero() + Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(60'000))),
         .link = LinkIndex(static_cast<std::uint32_t>(random.uniform(graph.links.size()))),
         .kind = std::array{LinkEvent::Kind::kFail, LinkEvent::Kind::kDegrade,
                            LinkEvent::Kind::kRestore}[random.uniform(3)],
         .rate = 10_gbps,
         .reroute_delay = Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(20'000)))});
  }
  return options;
}

class EthernetBooks : public ::testing::TestWithParam<std::uint64_t> {};

// Whatever happens: bytes held, counted and admitted agree, and no packet is lost or made, at every event.
TEST_P(EthernetBooks, AddUpAtEveryEventOfARandomFabric) {
  RandomStream random(GetParam(), "books");
  const Graph graph = *build_graph(LeafSpineOptions{.leaves = static_cast<std::uint32_t>(1 + random.uniform(3)),
                                                    .spines = static_cast<std::uint32_t>(1 + random.uniform(2)),
                                                    .hosts_per_leaf = 3,
                                                    .parallel_links = static_cast<std::uint32_t>(1 + random.uniform(2)),
                                                    .host_link = {random.uniform(2) == 0 ? 100_gbps : 40_gbps, 200_ns},
                                                    .fabric_link = {100_gbps, 700_ns}});
  World world(graph, random_options(random, graph), GetParam());
  std::uint64_t sent = 0;
  for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
    for (std::uint64_t i = 1 + random.uniform(4); i > 0; --i) {
      const Load load{.to = EndpointId(static_cast<std::uint32_t>((from + 1 + random.uniform(graph.endpoints - 1)) %
                                                                  graph.endpoints)),
                      .count = random.uniform(60),
                      .frame_bytes = static_cast<std::uint16_t>(64 + random.uniform(4'095)),
                      .priority = static_cast<std::uint8_t>(random.uniform(8)),
                      .at = Time::zero() + Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(40'000))),
                      .entropy = static_cast<std::uint16_t>(random.uniform(100))};
      if (load.count > 0) {
        sent += load.count;
        world.send(from, load);
      }
    }
  }
  ASSERT_EQ(world.run_checked(Time::zero() + 5_ms), "") << "seed " << GetParam();
  std::uint64_t waiting = 0;
  for (const Talker& talker : world.talkers) {
    for (const Load& load : talker.loads) {
      waiting += load.count;
    }
  }
  std::uint64_t inside = 0;
  for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      inside += world.fabric->queue(port, priority).packets.size();
    }
  }
  EXPECT_EQ(world.delivered() + world.fabric->drops().total() + waiting + inside, sent) << "seed " << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Seeds, EthernetBooks, ::testing::Range<std::uint64_t>(1, 61));

}  // namespace
}  // namespace weft::fabric::ethernet_test
