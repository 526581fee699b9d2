// What holds in random small worlds at every event, and where wires damage packets or fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/random.h"
#include "fabric/infiniband/test_world.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 500_ns};
constexpr std::uint32_t kFrame = 4122;

/// Two leaves, two spines, `hosts` hosts per leaf; names and order may be disturbed by bystanders on a leaf of their
/// own.
struct ClosOptions {
  std::uint32_t hosts = 3;
  std::uint32_t bystanders = 0;
  std::string bystander_name = "bystander";
  Cable cable = kCable;
};
Graph clos(const ClosOptions& options) {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> bystanders;
  std::vector<NodeIndex> hosts;
  for (std::uint32_t i = 0; i < options.bystanders; ++i) {
    bystanders.push_back(builder.add_endpoint({.name = options.bystander_name + std::to_string(i)}));
  }
  for (std::uint32_t i = 0; i < 2 * options.hosts; ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i)}));
  }
  std::vector<NodeIndex> spines{builder.add_switch({.name = "spine0", .tier = 2}),
                                builder.add_switch({.name = "spine1", .tier = 2})};
  for (std::uint32_t l = 0; l < 2; ++l) {
    const NodeIndex leaf = builder.add_switch({.name = "leaf" + std::to_string(l)});
    for (std::uint32_t i = 0; i < options.hosts; ++i) {
      builder.connect({.lower = hosts[l * options.hosts + i], .upper = leaf}, options.cable);
    }
    for (const NodeIndex spine : spines) {
      builder.connect({.lower = leaf, .upper = spine}, options.cable);
    }
  }
  if (!bystanders.empty()) {
    const NodeIndex leaf = builder.add_switch({.name = "far"});
    for (const NodeIndex node : bystanders) {
      builder.connect({.lower = node, .upper = leaf}, options.cable);
    }
    builder.connect({.lower = leaf, .upper = spines[0]}, options.cable);
  }
  return std::move(builder).finish();
}

InfiniBandOptions random_options(RandomStream& random) {
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return random.uniform_between({.low = low, .high = high});
  };
  InfiniBandOptions options;
  options.data_lanes = static_cast<std::uint8_t>(between(1, 3));
  InfiniBandPortOptions& port = options.ports[0];
  for (std::uint32_t level = 0; level < kServiceLevels; ++level) {
    port.sl_to_vl[level] = static_cast<std::uint8_t>(level % options.data_lanes);
  }
  port.buffer_blocks.fill(static_cast<std::uint16_t>(between(66, 400)));
  port.credit_divisor = static_cast<std::uint16_t>(between(1, 8));
  if (between(0, 1) == 0) {  // without, and on a single lane, outputs have a stage
    port.fecn = FecnOptions{.threshold = Bytes(8192), .marking_rate = 2};
  }
  InfiniBandSwitchOptions& node = options.switches[0];
  node.latency = Duration::nanoseconds(between(0, 300));
  node.forwarding = between(0, 1) == 0 ? Forwarding::kCutThrough : Forwarding::kStoreAndForward;
  constexpr std::array kPaths{PathPolicy::kTable, PathPolicy::kEcmp, PathPolicy::kSpray, PathPolicy::kAdaptive};
  node.path = kPaths[random.uniform(kPaths.size())];
  node.balancing.weighting = between(0, 1) == 0 ? Weighting::kCapacity : Weighting::kEqual;
  if (between(0, 1) == 0) {
    node.balancing.grades = {8_kib, 16_kib};
    node.balancing.notifications = NotificationOptions{.threshold = 8_kib};
  }
  if (between(0, 2) == 0) {
    node.balancing.flowlet_gap = 1_us;
    node.balancing.flowlet_entries = 4;
  }
  node.head_of_queue_lifetime = between(0, 3) == 0 ? Duration::nanoseconds(between(300, 3000)) : Duration::zero();
  return options;
}

std::uint32_t add_random_loads(World& world, RandomStream& random) {
  std::uint32_t total = 0;
  const auto hosts = static_cast<std::uint32_t>(world.senders.size());
  for (std::uint32_t i = 0; i < 3 * hosts; ++i) {
    const auto from = static_cast<std::uint32_t>(random.uniform(hosts));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.uniform(hosts - 1)) % hosts);
    const Load load{.to = EndpointId(to),
                    .count = static_cast<std::uint32_t>(random.uniform_between({.low = 1, .high = 30})),
                    .frame_bytes = static_cast<std::uint16_t>(random.uniform_between({.low = 26, .high = kFrame})),
                    .service_level = static_cast<std::uint8_t>(random.uniform(kServiceLevels))};
    total += load.count;
    world.send(EndpointId(from), load);
  }
  return total;
}

std::uint64_t received_by_all(const World& world) {
  std::uint64_t sum = 0;
  for (const Sender& sender : world.senders) {
    sum += sender.received.size();
  }
  return sum;
}

TEST(InfiniBandRandom, PacketsAndCreditsAddUpAtEveryEvent) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "world");
    World world(clos({}), random_options(random), seed);
    const std::uint32_t total = add_random_loads(world, random);
    ASSERT_EQ(world.run_checked(Time::never()), "") << "seed " << seed;
    EXPECT_EQ(received_by_all(world) + world.fabric->drops().lifetime, total) << "seed " << seed;
    EXPECT_EQ(world.fabric->drops().total(), world.fabric->drops().lifetime) << "seed " << seed;
    EXPECT_EQ(world.packets.live_count(), 0U) << "seed " << seed;
  }
}

TEST(InfiniBandRandom, LinksMayFailDegradeAndReturn) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random(seed, "failures");
    InfiniBandOptions options = random_options(random);
    const auto at = [&] {
      return Time::zero() + Duration::nanoseconds(random.uniform_between({.low = 0, .high = 20'000}));
    };
    for (int i = 0; i < 6; ++i) {
      const auto kind = static_cast<LinkEvent::Kind>(random.uniform(3));
      options.events.push_back({.at = at(),
                                .link = LinkIndex(static_cast<std::uint32_t>(random.uniform(10))),
                                .kind = kind,
                                .rate = 100_gbps,
                                .reroute_delay = 2_us});
    }
    for (std::uint32_t link = 0; link < 10; ++link) {
      options.events.push_back({.at = Time::zero() + 60_us,
                                .link = LinkIndex(link),
                                .kind = LinkEvent::Kind::kRestore,
                                .rate = {},
                                .reroute_delay = 1_us});
    }
    World world(clos({}), options, seed);
    const std::uint32_t total = add_random_loads(world, random);
    ASSERT_EQ(world.run_checked(Time::never()), "") << "seed " << seed;
    EXPECT_EQ(received_by_all(world) + world.fabric->drops().total(), total) << "seed " << seed;
    EXPECT_EQ(world.packets.live_count(), 0U) << "seed " << seed;
  }
}

TEST(InfiniBandRandom, CreditsHealWhereWiresDamagePackets) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, "errors");
    InfiniBandOptions options = random_options(random);
    options.switches[0].head_of_queue_lifetime = Duration::zero();
    options.bit_error_rate.assign(10, Probability::from_ratio({.numerator = 1, .denominator = 100'000}));
    options.credit_repetition = 5_us;
    World world(clos({}), options, seed);
    const std::uint32_t total = add_random_loads(world, random);
    ASSERT_EQ(world.run_checked(Time::zero() + 2_ms), "") << "seed " << seed;
    std::uint64_t damaged = world.fabric->drops().damaged;
    std::uint64_t symbol_errors = 0;
    for (const Sender& sender : world.senders) {
      damaged += sender.damaged;
      EXPECT_EQ(sender.left(), 0U) << "seed " << seed;
    }
    for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
      symbol_errors += world.fabric->counters(port, world.kernel.now()).symbol_errors;
      // Once all is quiet, everybody may send all that the buffer takes, up to a repetition that is damaged just now.
      EXPECT_GE(world.fabric->credits(port, 0).sender.available() + 0U, blocks_of(kFrame)) << "seed " << seed;
    }
    EXPECT_GT(damaged, 0U) << "seed " << seed;
    EXPECT_GT(symbol_errors, 0U) << "seed " << seed;
    EXPECT_EQ(received_by_all(world) + damaged, total) << "seed " << seed;
  }
}

TEST(InfiniBandRandom, AFailedLinkLosesOnlyWhatWasOnItAndTheRestGoesAround) {
  InfiniBandOptions options;
  options.switches[0].path = PathPolicy::kAdaptive;
  // Link 3 is leaf0's to spine0 (after its three hosts).
  options.events.push_back({.at = Time::zero() + 3_us, .link = LinkIndex(3), .rate = {}, .reroute_delay = 1_us});
  World world(clos({}), options);
  for (std::uint32_t i = 0; i < 3; ++i) {
    world.send(EndpointId(i), {.to = EndpointId(i + 3), .count = 300});
  }
  ASSERT_EQ(world.run_checked(Time::never()), "");
  const std::uint64_t lost = world.fabric->drops().link_down;
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(world.fabric->drops().total(), lost);
  EXPECT_EQ(received_by_all(world) + lost, 900U);
  // What is sent until the new routes are known, at most all three hosts' wires and the buffers in front of the link.
  const Duration exposed = 1_us + 2 * kCable.propagation;
  EXPECT_LT(lost, 3U * static_cast<std::uint64_t>(exposed / kCable.rate.transmit_time(Bytes(kFrame))) + 3 * 2048 / 65);
}

TEST(InfiniBandRandom, AnEndpointWithoutItsLinkGoesOnWithoutCreditsAndAllIsLost) {
  InfiniBandOptions options;
  // Link 0 is host 0's.
  const Time fails = Time::zero() + 3_us;
  const Time returns = Time::zero() + 20_us;
  options.events = {
      {.at = fails, .link = LinkIndex(0), .rate = {}, .reroute_delay = 1_us},
      {.at = returns, .link = LinkIndex(0), .kind = LinkEvent::Kind::kRestore, .rate = {}, .reroute_delay = {}}};
  World world(clos({}), options);
  constexpr std::uint64_t kPackets = 300;  // take 25 us
  world.send(EndpointId(0), {.to = EndpointId(3), .count = kPackets});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  const std::uint64_t lost = world.fabric->drops().link_down;
  EXPECT_EQ(received_by_all(world) + lost, kPackets);
  EXPECT_EQ(world.fabric->drops().total(), lost);
  // What begins while there is no link, more than the buffers behind it hold, and what was on the cable when it failed.
  const Duration frame = kCable.rate.transmit_time(Bytes(kFrame));
  const auto in_vain = static_cast<std::uint64_t>((returns - fails) / frame);
  EXPECT_GE(lost, in_vain);
  EXPECT_LE(lost, in_vain + 2 + static_cast<std::uint64_t>(kCable.propagation / frame));
  EXPECT_EQ(world.packets.live_count(), 0U);
}

using Trace = std::vector<std::tuple<std::uint32_t, std::uint32_t, Time>>;

/// Who got what when, hosts counted without the bystanders.
Trace trace_with(const ClosOptions& options, PathPolicy path) {
  InfiniBandOptions fabric;
  fabric.switches[0].path = path;
  fabric.ports[0].buffer_blocks.fill(200);
  fabric.ports[0].fecn = FecnOptions{.threshold = Bytes(8192), .marking_rate = 3};
  World world(clos(options), fabric, 7);
  const std::uint32_t first = options.bystanders;
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (const std::uint32_t step : {1U, 3U}) {
      world.send(EndpointId(first + i), {.to = EndpointId(first + (i + step) % 6), .count = 40, .frame_bytes = 2048});
    }
  }
  if (first >= 2) {
    world.send(EndpointId(0), {.to = EndpointId(1), .count = 100});
  }
  world.run(Time::never());
  Trace trace;
  for (std::uint32_t i = 0; i < 6; ++i) {
    for (const Delivery& delivery : world.senders[first + i].received) {
      trace.emplace_back(i, (delivery.from.value() - first) * 1000 + delivery.number * 2 + (delivery.marked ? 1 : 0),
                         delivery.at);
    }
  }
  return trace;
}

TEST(InfiniBandOrder, AnUnrelatedHostAddedOrRenamedChangesNothing) {
  for (const PathPolicy path : {PathPolicy::kEcmp, PathPolicy::kSpray, PathPolicy::kAdaptive}) {
    const Trace alone = trace_with({}, path);
    ASSERT_EQ(alone.size(), 6U * 80);
    EXPECT_EQ(trace_with({.bystanders = 2}, path), alone);
    EXPECT_EQ(trace_with({.bystanders = 3, .bystander_name = "other"}, path), alone);
  }
}

TEST(InfiniBandOrder, TheSameSeedGivesTheSameRun) {
  EXPECT_EQ(trace_with({}, PathPolicy::kSpray), trace_with({}, PathPolicy::kSpray));
}

TEST(InfiniBandOrder, AnEchoComesBackOnTheSameLane) {
  World world(clos({}), {});
  world.senders[5].echo = true;
  world.send(EndpointId(0), {.to = EndpointId(5), .count = 10});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.senders[0].received.size(), 10U);
}

}  // namespace
}  // namespace weft::fabric::ib_test
