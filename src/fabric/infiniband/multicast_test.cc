// Packets to groups: who gets a copy, when, and what the copies take of buffers and credits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "fabric/infiniband/test_world.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 500_ns};
constexpr std::uint32_t kFrame = 4122;
constexpr std::uint16_t kGroup = 0xC001;
const EndpointId kToGroup = wire::multicast_destination(kGroup);

InfiniBandOptions star_options(std::vector<std::uint16_t> ports) {
  InfiniBandOptions options;
  options.switches[0].latency = 200_ns;
  options.multicast.set({.switch_ordinal = 0, .lid = kGroup}, std::move(ports));
  return options;
}

/// Hosts around one switch, each behind a cable of its own rate.
Graph star_of(const std::vector<Rate>& rates) {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> hosts;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i) + "/nic0"}));
  }
  const NodeIndex middle = builder.add_switch({.name = "s"});
  for (std::size_t i = 0; i < rates.size(); ++i) {
    builder.connect({.lower = hosts[i], .upper = middle}, {.rate = rates[i], .propagation = 500_ns});
  }
  return std::move(builder).finish();
}

std::vector<std::size_t> received(const World& world) {
  std::vector<std::size_t> counts;
  for (const Sender& sender : world.senders) {
    counts.push_back(sender.received.size());
  }
  return counts;
}

TEST(Multicast, EveryPortOfTheEntryGetsOneCopyButTheOneByWhichThePacketCame) {
  World world(star(5), star_options({0, 1, 3, 4}));
  world.send(EndpointId(0), {.to = kToGroup, .count = 10});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(received(world), (std::vector<std::size_t>{0, 10, 0, 10, 10}));
}

TEST(Multicast, ASenderOutsideTheEntryReachesAllItsPorts) {
  World world(star(4), star_options({0, 1, 3}));
  world.send(EndpointId(2), {.to = kToGroup, .count = 3});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(received(world), (std::vector<std::size_t>{3, 3, 0, 3}));
}

TEST(Multicast, TheSendersPortCarriesOnePacketWhereUnicastTakesOnePerReceiver) {
  constexpr std::uint32_t kHosts = 9;
  std::vector<std::uint16_t> all(kHosts);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  World group(star(kHosts), star_options(all));
  group.send(EndpointId(0), {.to = kToGroup});
  group.run(Time::never());
  World unicast(star(kHosts), star_options(all));
  for (std::uint32_t i = 1; i < kHosts; ++i) {
    unicast.send(EndpointId(0), {.to = EndpointId(i)});
  }
  unicast.run(Time::never());
  EXPECT_EQ(group.fabric->port(0).packets_sent, 1U);
  EXPECT_EQ(unicast.fabric->port(0).packets_sent, kHosts - 1);
  EXPECT_EQ(received(group), received(unicast));
}

TEST(Multicast, WithoutAnEntryAPacketIsLostAndCountedWhereItCameIn) {
  InfiniBandOptions options = star_options({1, 2});
  World world(star(3), std::move(options));
  world.send(EndpointId(0), {.to = wire::multicast_destination(kGroup + 1), .count = 4});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(received(world), (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(world.fabric->drops().unreachable, 4U);
  EXPECT_EQ(world.fabric->counters(world.port_of("s", 0), world.kernel.now()).relay_errors, 4U);
}

// A copy for a slow port holds the buffer, and only it.
TEST(Multicast, TheInputBufferIsFreeWhenTheLastCopyHasLeft) {
  World world(star_of({400_gbps, 400_gbps, 100_gbps}), star_options({0, 1, 2}));
  world.send(EndpointId(0), {.to = kToGroup, .count = 4});
  const PortIndex input = world.port_of("s", 0);
  const std::uint32_t blocks = blocks_of(kFrame);
  const Duration of_slow = (100_gbps).transmit_time(Bytes(kFrame));
  // The fast port has sent all four when the slow one has begun with its second.
  world.run(Time::zero() + 700_ns + 2 * of_slow);
  EXPECT_EQ(world.fabric->port(world.port_of("s", 1)).packets_sent, 4U);
  EXPECT_EQ(world.fabric->credits(input, 0).receiver.occupied(), 2 * blocks);
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.fabric->credits(input, 0).receiver.occupied(), 0U);
  EXPECT_EQ(received(world), (std::vector<std::size_t>{0, 4, 4}));
}

TEST(Multicast, TheSlowestMemberSetsThePaceOfTheSender) {
  InfiniBandOptions options = star_options({0, 1, 2, 3});
  options.ports[0].buffer_blocks.fill(200);
  World world(star_of({400_gbps, 400_gbps, 400_gbps, 100_gbps}), std::move(options));
  constexpr std::uint32_t kPackets = 200;
  world.send(EndpointId(0), {.to = kToGroup, .count = kPackets});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  ASSERT_EQ(received(world), (std::vector<std::size_t>{0, kPackets, kPackets, kPackets}));
  // Of the fast ones as well, but for what the buffer holds.
  const Duration slow = (100_gbps).transmit_time(Bytes(kFrame)) * kPackets;
  for (const std::uint32_t member : {1U, 3U}) {
    const auto& got = world.senders[member].received;
    EXPECT_GT(got.back().at - got.front().at, slow - (100_gbps).transmit_time(Bytes(kFrame)) * 5) << member;
  }
}

TEST(Multicast, CopiesForALinkThatIsDownAreDroppedAndTheOthersGo) {
  InfiniBandOptions options = star_options({0, 1, 2});
  options.events = {{.at = Time::zero() + 1_us, .link = LinkIndex(2), .kind = LinkEvent::Kind::kFail}};
  World world(star(3), std::move(options));
  world.run(Time::zero() + 2_us);
  world.send(EndpointId(0), {.to = kToGroup, .count = 5});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(received(world), (std::vector<std::size_t>{0, 5, 0}));
  EXPECT_EQ(world.fabric->drops().link_down, 5U);
}

// Those that wait for the dead link leave the buffer, which others may still need.
TEST(Multicast, CopiesThatWaitForALinkThatFailsLeaveTheBufferToTheRest) {
  InfiniBandOptions options = star_options({0, 1, 2});
  options.events = {{.at = Time::zero() + 1500_ns, .link = LinkIndex(2), .kind = LinkEvent::Kind::kFail}};
  World world(star_of({400_gbps, 100_gbps, 100_gbps}), std::move(options));
  world.send(EndpointId(0), {.to = kToGroup, .count = 20});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.senders[1].received.size(), 20U);
  EXPECT_EQ(world.senders[2].received.size() + world.fabric->drops().link_down, 20U);
  EXPECT_GT(world.fabric->drops().link_down, 0U);
}

/// Two leaves of two hosts each under one spine: host0, host1 at leaf0, host2, host3 at leaf1.
Graph two_leaves() {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> hosts;
  for (std::uint32_t i = 0; i < 4; ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i) + "/nic0"}));
  }
  const NodeIndex spine = builder.add_switch({.name = "spine", .tier = 2});
  for (std::uint32_t l = 0; l < 2; ++l) {
    const NodeIndex leaf = builder.add_switch({.name = "leaf" + std::to_string(l)});
    builder.connect({.lower = hosts[2 * l], .upper = leaf}, kCable);
    builder.connect({.lower = hosts[2 * l + 1], .upper = leaf}, kCable);
    builder.connect({.lower = leaf, .upper = spine}, kCable);
  }
  return std::move(builder).finish();
}

// Per switch the wire to it, its pipeline and the bytes that decide; then the whole packet on the last wire.
TEST(Multicast, OnATwoLevelTreeTheLastMemberHasItAfterThreeSwitches) {
  for (const Forwarding forwarding : {Forwarding::kCutThrough, Forwarding::kStoreAndForward}) {
    InfiniBandOptions options;
    options.switches[0].latency = 200_ns;
    options.switches[0].forwarding = forwarding;
    for (const std::uint32_t node : {0U, 1U, 2U}) {
      std::vector<std::uint16_t> ports =
          node == 0 ? std::vector<std::uint16_t>{0, 1} : std::vector<std::uint16_t>{0, 1, 2};
      options.multicast.set({.switch_ordinal = node, .lid = kGroup}, std::move(ports));
    }
    World world(two_leaves(), std::move(options));
    world.send(EndpointId(0), {.to = kToGroup});
    EXPECT_EQ(world.run_checked(Time::never()), "");
    const Duration whole = kCable.rate.transmit_time(Bytes(kFrame));
    const Duration decides = forwarding == Forwarding::kCutThrough ? kCable.rate.transmit_time(Bytes(8)) : whole;
    const Duration of_switch = kCable.propagation + 200_ns + decides;
    ASSERT_EQ(received(world), (std::vector<std::size_t>{0, 1, 1, 1}));
    EXPECT_EQ(world.senders[1].received[0].at, Time::zero() + of_switch + whole + kCable.propagation);
    EXPECT_EQ(world.senders[2].received[0].at, Time::zero() + 3 * of_switch + whole + kCable.propagation);
    EXPECT_EQ(world.senders[3].received[0].at, world.senders[2].received[0].at);
  }
}

/// Switches that hang together in a tree, with hosts at random places, and groups of some of them.
struct RandomTree {
  Graph graph;
  std::vector<std::uint32_t> switch_of;             // per endpoint
  std::vector<std::vector<std::uint32_t>> members;  // per group
};

RandomTree random_tree(RandomStream& random) {
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(random.uniform_between({.low = low, .high = high}));
  };
  constexpr std::array kRates{100_gbps, 200_gbps, 400_gbps};
  const auto cable = [&] {
    return Cable{.rate = kRates[random.uniform(kRates.size())], .propagation = Duration::nanoseconds(between(5, 600))};
  };
  RandomTree tree;
  GraphBuilder builder(Domains::kOne);
  const std::uint32_t switches = between(1, 7);
  const std::uint32_t hosts = between(2, 10);
  std::vector<NodeIndex> ends;
  std::vector<NodeIndex> nodes;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    ends.push_back(builder.add_endpoint({.name = "host" + std::to_string(i) + "/nic0"}));
    tree.switch_of.push_back(between(0, switches - 1));
  }
  for (std::uint32_t i = 0; i < switches; ++i) {
    nodes.push_back(builder.add_switch({.name = "s" + std::to_string(i), .tier = static_cast<std::uint8_t>(1 + i)}));
  }
  for (std::uint32_t i = 0; i < hosts; ++i) {
    builder.connect({.lower = ends[i], .upper = nodes[tree.switch_of[i]]}, cable());
  }
  for (std::uint32_t i = 1; i < switches; ++i) {
    builder.connect({.lower = nodes[between(0, i - 1)], .upper = nodes[i]}, cable());
  }
  tree.graph = std::move(builder).finish();
  for (std::uint32_t group = between(1, 3); group > 0; --group) {
    std::vector<std::uint32_t> members;
    while (members.size() < 2) {
      members.clear();
      for (std::uint32_t i = 0; i < hosts; ++i) {
        if (between(0, 1) == 1) {
          members.push_back(i);
        }
      }
    }
    tree.members.push_back(members);
  }
  return tree;
}

/// All ports behind which a member is, and by which one is left to reach others: here, where there is one tree.
MulticastTables tables_of(const RandomTree& tree) {
  const Graph& graph = tree.graph;
  const auto behind = [&](const LinkEnd& own) {
    // Everything that is reached through the port.
    const auto far_of = [&](const Link& link, NodeIndex node) { return link.a.node == node ? link.b : link.a; };
    std::vector<NodeIndex> todo;
    std::vector<NodeIndex> seen{own.node};
    for (const Link& link : graph.links) {
      if ((link.a.node == own.node && link.a.port == own.port) ||
          (link.b.node == own.node && link.b.port == own.port)) {
        todo.push_back(far_of(link, own.node).node);
      }
    }
    std::vector<NodeIndex> reached;
    while (!todo.empty()) {
      const NodeIndex node = todo.back();
      todo.pop_back();
      seen.push_back(node);
      reached.push_back(node);
      for (const Link& link : graph.links) {
        if (link.a.node == node || link.b.node == node) {
          const NodeIndex next = far_of(link, node).node;
          if (std::find(seen.begin(), seen.end(), next) == seen.end()) {
            todo.push_back(next);
          }
        }
      }
    }
    return reached;
  };
  MulticastTables tables;
  for (std::uint16_t group = 0; group < tree.members.size(); ++group) {
    for (std::uint32_t ordinal = 0; ordinal < graph.switches(); ++ordinal) {
      const NodeIndex node(graph.endpoints + ordinal);
      std::vector<std::uint16_t> ports;
      for (std::uint16_t port = 0; port < graph[node].ports; ++port) {
        const std::vector<NodeIndex> reached = behind({node, port});
        if (std::ranges::any_of(tree.members[group], [&](std::uint32_t member) {
              return std::find(reached.begin(), reached.end(), NodeIndex(member)) != reached.end();
            })) {
          ports.push_back(port);
        }
      }
      tables.set({.switch_ordinal = ordinal, .lid = static_cast<std::uint16_t>(kGroup + group)}, std::move(ports));
    }
  }
  return tables;
}

InfiniBandOptions random_options(RandomStream& random) {
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return random.uniform_between({.low = low, .high = high});
  };
  InfiniBandOptions options;
  options.data_lanes = static_cast<std::uint8_t>(between(1, 3));
  for (std::uint32_t level = 0; level < kServiceLevels; ++level) {
    options.ports[0].sl_to_vl[level] = static_cast<std::uint8_t>(level % options.data_lanes);
  }
  options.ports[0].buffer_blocks.fill(static_cast<std::uint16_t>(between(66, 300)));
  options.ports[0].credit_divisor = static_cast<std::uint16_t>(between(1, 8));
  options.switches[0].latency = Duration::nanoseconds(between(0, 300));
  options.switches[0].forwarding = between(0, 1) == 0 ? Forwarding::kCutThrough : Forwarding::kStoreAndForward;
  return options;
}

// On random trees with random rates, buffers and lanes, beside unicast: every sum is right after every event, nothing
// hangs, and every member has exactly one copy of what others send.
TEST(Multicast, RandomTreesNeverHangAndEveryMemberGetsEveryPacketOnce) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "multicast");
    const RandomTree tree = random_tree(random);
    InfiniBandOptions options = random_options(random);
    options.multicast = tables_of(tree);
    World world(tree.graph, std::move(options), seed);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> expected;  // from, to
    const std::uint32_t hosts = world.fabric->graph().endpoints;
    for (std::uint32_t load = 0; load < 12; ++load) {
      const auto from = static_cast<std::uint32_t>(random.uniform(hosts));
      const auto count = static_cast<std::uint32_t>(1 + random.uniform(20));
      const auto level = static_cast<std::uint8_t>(random.uniform(kServiceLevels));
      const auto bytes = static_cast<std::uint16_t>(64 + random.uniform(kFrame - 64));
      if (random.uniform(3) == 0) {
        const auto to = static_cast<std::uint32_t>(random.uniform(hosts));
        if (to != from) {
          world.send(EndpointId(from),
                     {.to = EndpointId(to), .count = count, .frame_bytes = bytes, .service_level = level});
          expected[{from, to}] += count;
        }
        continue;
      }
      const auto group = random.uniform(tree.members.size());
      world.send(EndpointId(from), {.to = wire::multicast_destination(static_cast<std::uint16_t>(kGroup + group)),
                                    .count = count,
                                    .frame_bytes = bytes,
                                    .service_level = level});
      for (const std::uint32_t member : tree.members[group]) {
        if (member != from) {
          expected[{from, member}] += count;
        }
      }
    }
    ASSERT_EQ(world.run_checked(Time::zero() + 100_ms), "");
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> got;
    for (std::uint32_t to = 0; to < hosts; ++to) {
      EXPECT_EQ(world.senders[to].left(), 0U);
      for (const Delivery& delivery : world.senders[to].received) {
        ++got[{delivery.from.value(), to}];
      }
    }
    EXPECT_EQ(got, expected);
    EXPECT_EQ(world.fabric->packets_inside(), 0U);
    EXPECT_EQ(world.packets.live_count(), 0U);
  }
}

// Heads that wait too long are dropped, copy by copy; what others wait for stays.
TEST(Multicast, CopiesThatWaitTooLongAreDroppedAloneAndNothingIsLeftBehind) {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> hosts;
  for (std::uint32_t i = 0; i < 3; ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i) + "/nic0"}));
  }
  const NodeIndex middle = builder.add_switch({.name = "s"});
  for (const NodeIndex host : hosts) {
    const bool is_slow = host == hosts[2];
    builder.connect({.lower = host, .upper = middle}, {.rate = is_slow ? 10_gbps : 400_gbps, .propagation = 50_ns});
  }
  InfiniBandOptions options = star_options({0, 1, 2});
  options.switches[0].head_of_queue_lifetime = 4_us;  // a packet takes 3.3 us of the slow wire
  World world(std::move(builder).finish(), std::move(options));
  world.send(EndpointId(0), {.to = kToGroup, .count = 50});
  world.send(EndpointId(1), {.to = EndpointId(2), .count = 50});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.senders[1].received.size(), 50U);
  EXPECT_GT(world.fabric->drops().lifetime, 0U);
  EXPECT_EQ(world.senders[2].received.size() + world.fabric->drops().lifetime, 100U);
  EXPECT_EQ(world.packets.live_count(), 0U);
}

}  // namespace
}  // namespace weft::fabric::ib_test
