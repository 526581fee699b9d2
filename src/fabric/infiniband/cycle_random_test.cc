// Random tori and dragonflies whose cables fail and come back: sums hold, and nothing stops for good.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "fabric/infiniband/test_world.h"
#include "fabric/topology/dragonfly_plus.h"
#include "fabric/topology/torus.h"

namespace weft::fabric::ib_test {
namespace {

class RandomCycles : public testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] std::uint32_t between(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(random_.uniform_between({.low = low, .high = high}));
  }

  /// Two sets of one or two lanes, with buffers of a few packets.
  InfiniBandOptions lanes() {
    InfiniBandOptions options;
    options.data_lanes = static_cast<std::uint8_t>(2 * between(1, 2));
    options.lane_phases = 2;
    for (std::uint32_t level = 0; level < kServiceLevels; ++level) {
      options.ports[0].sl_to_vl[level] = static_cast<std::uint8_t>(level % (options.data_lanes / 2U));
    }
    options.ports[0].buffer_blocks.fill(static_cast<std::uint16_t>(between(66, 300)));
    options.switches[0].forwarding = between(0, 1) == 0 ? Forwarding::kCutThrough : Forwarding::kStoreAndForward;
    return options;
  }

  /// Cables between switches fail at some time, one after the other, and come back.
  void add_failures(const Graph& graph, InfiniBandOptions& options) {
    const std::uint32_t failures = between(0, 3);
    for (std::uint32_t i = 0; i < failures; ++i) {
      LinkEvent event;
      event.link = LinkIndex(between(graph.endpoints, static_cast<std::int64_t>(graph.links.size()) - 1));
      event.at = Time::zero() + Duration::microseconds(100 * i + between(0, 40));
      event.reroute_delay = Duration::nanoseconds(between(0, 2'000));
      options.events.push_back(event);
      event.kind = LinkEvent::Kind::kRestore;
      event.at = event.at + Duration::microseconds(between(20, 50));
      options.events.push_back(event);
    }
  }

  void expect_everything_ends(Graph graph, InfiniBandOptions options) {
    World world(std::move(graph), std::move(options), GetParam() + 1);
    const auto hosts = static_cast<std::uint32_t>(world.senders.size());
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < 4 * hosts; ++i) {
      const std::uint32_t from = between(0, hosts - 1);
      const std::uint32_t to = (from + between(1, hosts - 1)) % hosts;
      const std::uint32_t count = between(1, 60);
      world.send(EndpointId(from), {.to = EndpointId(to),
                                    .count = count,
                                    .frame_bytes = static_cast<std::uint16_t>(between(30, 4122)),
                                    .service_level = static_cast<std::uint8_t>(between(0, 3))});
      sent += count;
    }
    world.run(Time::zero() + 50_ms);
    EXPECT_EQ(world.fabric->check_invariants(), "");
    EXPECT_EQ(world.fabric->packets_inside(), 0U);
    std::uint64_t received = 0;
    for (const Sender& sender : world.senders) {
      received += sender.received.size();
      EXPECT_EQ(sender.left(), 0U);
    }
    EXPECT_EQ(received + world.fabric->drops().total(), sent);
    if (world.fabric->drops().link_down == 0) {
      EXPECT_EQ(world.fabric->drops().total(), 0U);
    }
  }

  RandomStream random_{GetParam(), "cycles"};
};

TEST_P(RandomCycles, OfATorusEnd) {
  TorusOptions torus{.sizes = {}};
  const std::uint32_t dimensions = between(1, 3);
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    torus.sizes.push_back(between(2, 6));
  }
  torus.parallel_links = between(1, 2);
  torus.hosts_per_switch = between(1, 2);
  Graph graph = build_graph(torus).value();
  InfiniBandOptions options = lanes();
  options.route_rule = RouteRule::kDimensionOrder;
  add_failures(graph, options);
  expect_everything_ends(std::move(graph), std::move(options));
}

TEST_P(RandomCycles, OfADragonflyEnd) {
  Graph graph = build_graph(DragonflyPlusOptions{.groups = between(2, 6),
                                                 .leaves = between(1, 3),
                                                 .spines = between(1, 3),
                                                 .hosts_per_leaf = between(1, 3),
                                                 .parallel_links = between(1, 2),
                                                 .global_links = between(1, 3)})
                    .value();
  InfiniBandOptions options = lanes();
  options.switches[0].path = PathPolicy::kAdaptive;
  options.switches[0].balancing.detours = DetourOptions{
      .rule = between(0, 1) == 0 ? DetourRule::kValiant : DetourRule::kUgal, .threshold = Bytes(between(0, 20'000))};
  options.switches[0].balancing.unordered_only = between(0, 1) == 0;
  add_failures(graph, options);
  expect_everything_ends(std::move(graph), std::move(options));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCycles, testing::Range<std::uint64_t>(0, 30));

}  // namespace
}  // namespace weft::fabric::ib_test
