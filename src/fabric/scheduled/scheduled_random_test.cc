// Random worlds with links that fail and return: nothing is lost without being counted.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/random.h"
#include "fabric/scheduled/test_world.h"

namespace weft::fabric {
namespace {

using scheduled_test::World;

class ScheduledRandom : public testing::TestWithParam<std::uint64_t> {};

std::int64_t between_of(RandomStream& random, std::int64_t low, std::int64_t high) {
  return random.uniform_between({.low = low, .high = high});
}

ScheduledOptions random_options(RandomStream& random, const Graph& graph) {
  ScheduledOptions options;
  options.switches[0].latency = Duration::nanoseconds(between_of(random, 0, 1'000));
  options.switches[0].buffer = Bytes(between_of(random, 300'000, 3'000'000));
  options.cell.size = Bytes(between_of(random, 64, 512));
  options.credit.egress_buffer = Bytes(between_of(random, 8'192, 200'000));
  options.credit.latency = Duration::nanoseconds(between_of(random, 0, 500));
  options.reassembly_timeout = Duration::microseconds(between_of(random, 1, 50));
  options.ports[0].priorities[3].lossless = between_of(random, 0, 1) == 1;
  options.ports[0].priorities[0].dwrr_weight = 2;
  options.ports[0].priorities[1].dwrr_weight = 1;
  for (std::int64_t i = between_of(random, 0, 6); i > 0; --i) {
    const auto link =
        static_cast<std::uint32_t>(between_of(random, 0, static_cast<std::int64_t>(graph.links.size()) - 1));
    const Time at = Time::zero() + Duration::nanoseconds(between_of(random, 1, 100'000));
    const Duration delay = Duration::nanoseconds(between_of(random, 1, 20'000));
    options.events.push_back(
        {.at = at, .link = LinkIndex(link), .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = delay});
    options.events.push_back({.at = at + Duration::nanoseconds(between_of(random, 1, 60'000)),
                              .link = LinkIndex(link),
                              .kind = LinkEvent::Kind::kRestore,
                              .rate = {},
                              .reroute_delay = delay});
  }
  return options;
}

TEST_P(ScheduledRandom, EverythingArrivesOrIsCounted) {
  RandomStream random(GetParam(), "scheduled");
  const auto leaves = static_cast<std::uint32_t>(between_of(random, 2, 4));
  const auto hosts = static_cast<std::uint32_t>(between_of(random, 1, 3));
  Graph graph = *build_graph(LeafSpineOptions{
      .leaves = leaves,
      .spines = static_cast<std::uint32_t>(between_of(random, 1, 3)),
      .hosts_per_leaf = hosts,
      .parallel_links = static_cast<std::uint32_t>(between_of(random, 1, 2)),
      .host_link = {.rate = 100_gbps, .propagation = Duration::nanoseconds(between_of(random, 1, 800))},
      .fabric_link = {.rate = 100_gbps, .propagation = Duration::nanoseconds(between_of(random, 1, 800))}});
  ScheduledOptions options = random_options(random, graph);
  const std::uint32_t endpoints = leaves * hosts;
  World world(std::move(graph), std::move(options), GetParam());
  std::uint64_t sent = 0;
  for (int i = 0; i < 12; ++i) {
    const auto from = static_cast<std::uint32_t>(between_of(random, 0, endpoints - 1));
    const auto to = static_cast<std::uint32_t>(between_of(random, 0, endpoints - 1));
    const auto count = static_cast<std::uint64_t>(between_of(random, 1, 60));
    if (from == to) {
      continue;
    }
    constexpr std::array<std::uint8_t, 4> kPriorityOf = {0, 1, 3, 6};
    world.send(from, {.to = EndpointId(to),
                      .count = count,
                      .frame_bytes = static_cast<std::uint16_t>(between_of(random, 64, 4'158)),
                      .priority = kPriorityOf.at(static_cast<std::size_t>(between_of(random, 0, 3))),
                      .at = Time::zero() + Duration::nanoseconds(between_of(random, 0, 80'000))});
    sent += count;
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered() + world.fabric->drops().total(), sent);
  EXPECT_EQ(world.packets.live_count(), 0U);
  EXPECT_EQ(world.fabric->packets_inside(), 0U);
  // Packets of one sender and priority come in their order, whatever was lost between them.
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    std::map<std::pair<std::uint32_t, std::uint8_t>, std::uint32_t> last;
    for (const auto& arrival : world[i].received) {
      std::uint32_t& before = last[{arrival.from.value(), arrival.priority}];
      EXPECT_LE(before, arrival.number);
      before = arrival.number;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScheduledRandom, testing::Range(std::uint64_t{1}, std::uint64_t{61}));

}  // namespace
}  // namespace weft::fabric
