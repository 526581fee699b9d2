// Path pinning by destination, and the entries of a controller, beside ECMP.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "fabric/ethernet/two_leaves_test_world.h"
#include "fabric/topology/fat_tree.h"

namespace weft::fabric::ethernet_test {
namespace {

const Clos kFour{.hosts_per_leaf = 4, .spine_rates = std::vector<Rate>(4, kRate)};
constexpr std::uint64_t kPackets = 200;

std::vector<std::uint64_t> sent_by(World& world) { return sent_by_uplinks(world, kFour); }

TEST(PathPinning, PlacesBelowALeafTakeUplinksInTurnWhateverTheFlow) {
  World world(two_leaves(kFour), options_with(PathPolicy::kPinned));
  for (std::uint32_t host = 0; host < 4; ++host) {
    for (std::uint16_t entropy = 0; entropy < 5; ++entropy) {
      world.send(host, {.to = EndpointId(4 + host), .count = kPackets, .entropy = entropy});
    }
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(sent_by(world), std::vector<std::uint64_t>(4, 5 * kPackets));
  EXPECT_EQ(world.fabric->pinned()->counters[0].pinned, 20 * kPackets);
  EXPECT_EQ(world.fabric->pinned()->counters[0].hashed, 0U);
}

// Meta's finding: where a job has some places of a leaf only, its traffic meets on some of the uplinks.
TEST(PathPinning, ThePlacesOfAFragmentMeetOnFewerUplinks) {
  const Clos wide{.hosts_per_leaf = 8, .spine_rates = std::vector<Rate>(4, kRate)};
  World world(two_leaves(wide), options_with(PathPolicy::kPinned));
  for (const std::uint32_t place : {1U, 5U, 2U, 6U}) {
    world.send(place, {.to = EndpointId(8 + place), .count = kPackets});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(sent_by_uplinks(world, wide), (std::vector<std::uint64_t>{0, 2 * kPackets, 2 * kPackets, 0}));
}

TEST(PathPinning, ThreeTiersUseAllLinksOfTheThirdAlike) {
  World world(*build_graph(FatTreeOptions{.radix = 4, .tiers = 3}), options_with(PathPolicy::kPinned));
  const Graph& graph = world.fabric->graph();
  for (std::uint32_t host = 0; host < graph.endpoints; ++host) {
    world.send(host, {.to = EndpointId((host + graph.endpoints / 2) % graph.endpoints), .count = 10});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 10 * graph.endpoints);
  std::uint32_t links = 0;
  for (PortIndex port = graph.endpoints; port < world.fabric->port_count(); ++port) {
    const std::uint8_t from = graph[world.fabric->end_of(port).node].tier;
    const std::uint8_t to = graph[world.fabric->end_of(world.fabric->port(port).peer).node].tier;
    if (from == 2 && to == 3) {
      EXPECT_EQ(world.fabric->port(port).packets_sent, 10U);
      ++links;
    }
  }
  EXPECT_EQ(links, graph.endpoints);
}

TEST(PathPinning, OnlyDestinationsOfTheFailedUplinkGoByTheirHash) {
  EthernetOptions options = options_with(PathPolicy::kPinned);
  const Graph graph = two_leaves(kFour);
  // Cables of hosts come first, then those of the first leaf by spine.
  options.events = {{.at = Time::zero(),
                     .link = LinkIndex(8 + 2),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = Duration::zero()}};
  World world(graph, options);
  for (std::uint32_t host = 0; host < 4; ++host) {
    world.send(host, {.to = EndpointId(4 + host), .count = kPackets, .at = Time::zero() + 1_us});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 4 * kPackets);
  EXPECT_EQ(world.fabric->pinned()->counters[0].pinned, 3 * kPackets);
  EXPECT_EQ(world.fabric->pinned()->counters[0].fallbacks, kPackets);
  std::vector<std::uint64_t> sent = sent_by(world);
  EXPECT_EQ(sent[2], 0U);
  std::ranges::sort(sent);
  EXPECT_EQ(sent, (std::vector<std::uint64_t>{0, kPackets, kPackets, 2 * kPackets}));
}

/// Acts at given times.
class Script final : public FlowController {
 public:
  struct Step {
    Time at;
    std::function<void(Time)> act;
  };
  explicit Script(std::vector<Step> steps) : steps_(std::move(steps)) {}

  [[nodiscard]] Time next() const override { return steps_.empty() ? Time::never() : steps_.front().at; }
  void act(Time now) override {
    EXPECT_EQ(now, steps_.front().at);
    steps_.front().act(now);
    steps_.erase(steps_.begin());
  }
  void on_traffic(Time now) override { told.push_back(now); }

  std::vector<Time> told;

 private:
  std::vector<Step> steps_;
};

LeafFlow flow_of(World& world, std::uint32_t from, std::uint32_t to) {
  return {.source = EndpointId(from),
          .destination = EndpointId(to),
          .hash = flow_hash(FlowKey{
              .source = world.address(EndpointId(from)), .destination = world.address(EndpointId(to)), .entropy = 0}),
          .priority = 0};
}

TEST(CentralPaths, WithoutEntriesFlowsGoWhereEcmpPutsThem) {
  const auto run = [](PathPolicy policy) {
    World world(two_leaves(kFour), options_with(policy));
    for (std::uint32_t host = 0; host < 4; ++host) {
      world.send(host, {.to = EndpointId(4 + host), .count = kPackets});
    }
    EXPECT_EQ(world.run_checked(), "");
    return sent_by(world);
  };
  EXPECT_EQ(run(PathPolicy::kCentral), run(PathPolicy::kEcmp));
}

TEST(CentralPaths, EntriesMoveFlowsAtTheTimeOfTheControllerAndNotBefore) {
  World world(two_leaves(kFour), options_with(PathPolicy::kCentral));
  const LeafFlow flow = flow_of(world, 0, 4);
  std::vector<std::uint64_t> before;
  Script script({{.at = Time::zero() + 5_us, .act = [&](Time) {
                    before = sent_by(world);
                    const auto used = std::ranges::max_element(before) - before.begin();
                    const auto other = static_cast<std::uint16_t>(4 + (used + 1) % 4);  // ports of hosts come first
                    EXPECT_EQ(world.fabric->pinned_flows(0).install(flow, other), PinnedFlows::Outcome::kInstalled);
                    const std::vector<MeteredFlow> metered = world.fabric->take_metered(0);
                    EXPECT_EQ(metered.size(), 1U);
                    EXPECT_EQ(metered[0].flow, flow);
                    EXPECT_GT(metered[0].bytes, 0U);
                    EXPECT_EQ(metered[0].bytes % 4158, 0U);
                  }}});
  world.fabric->set_controller(script);
  world.send(0, {.to = EndpointId(4), .count = kPackets});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), kPackets);
  std::vector<std::uint64_t> after = sent_by(world);
  for (std::size_t i = 0; i < after.size(); ++i) {
    after[i] -= before[i];
  }
  const auto used = static_cast<std::size_t>(std::ranges::max_element(before) - before.begin());
  EXPECT_GT(before[used], 20U);
  EXPECT_LE(after[used], 2U) << "what waited for the uplink already";
  EXPECT_GT(after[(used + 1) % 4], 100U);
  EXPECT_EQ(script.told.size(), 2U) << "the first packet, and the first since the meter was read";
  const PinnedCounters& counters = world.fabric->pinned()->counters[0];
  EXPECT_EQ(counters.pinned + counters.hashed, kPackets);
  EXPECT_EQ(counters.fallbacks, 0U);
}

TEST(CentralPaths, AnEntryWhoseLinkIsDownFallsBackOnceTheRoutesKnow) {
  EthernetOptions options = options_with(PathPolicy::kCentral);
  const Duration reroute = 10_us;
  options.events = {{.at = Time::zero() + 5_us,
                     .link = LinkIndex(8 + 2),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = reroute}};
  World world(two_leaves(kFour), options);
  world.fabric->pinned_flows(0).install(flow_of(world, 0, 4), 4 + 2);
  world.send(0, {.to = EndpointId(4), .count = 400});
  ASSERT_EQ(world.run_checked(), "");
  const PinnedCounters& counters = world.fabric->pinned()->counters[0];
  EXPECT_GT(counters.pinned, 0U);
  EXPECT_GT(counters.fallbacks, 0U);
  EXPECT_EQ(counters.pinned + counters.fallbacks, 400U);
  const std::uint64_t lost = world.fabric->drops().link_down;
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(world.delivered() + lost, 400U);
  EXPECT_GE(counters.fallbacks, 400 - static_cast<std::uint64_t>((5_us + reroute) / wire_time(kRate, 4158)) - 2);
}

TEST(CentralPaths, ReportsSayWhereAFlowGoes) {
  World world(two_leaves(kFour), options_with(PathPolicy::kCentral));
  const LeafFlow flow = flow_of(world, 1, 6);
  const std::uint16_t hashed = world.fabric->ports_taken(0, flow)[0];
  const auto other = static_cast<std::uint16_t>(hashed == 4 ? 7 : 4);
  world.fabric->pinned_flows(0).install(flow, other);
  ASSERT_EQ(world.fabric->ports_taken(0, flow).size(), 1U);
  EXPECT_EQ(world.fabric->ports_taken(0, flow)[0], other);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
