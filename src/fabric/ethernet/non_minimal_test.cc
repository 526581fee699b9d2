// Detours over third groups of a dragonfly in Ethernet switches that drop: what is sent arrives, and sooner.
#include <gtest/gtest.h>

#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/dragonfly_plus.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr std::uint32_t kGroups = 5;
constexpr std::uint32_t kPerGroup = 8;
constexpr std::uint32_t kGlobalLinks = 2;
constexpr Cable kCable{.rate = 100_gbps, .propagation = 100_ns};
constexpr std::uint64_t kPackets = 200;
constexpr std::uint8_t kLossy = 0;

struct Outcome {
  Time end;
  std::uint64_t detours = 0;
  std::uint64_t counted = 0;  // the same, by port
};

/// Everyone sends to its like in the next group.
Outcome to_next_group(std::optional<DetourOptions> detours) {
  EthernetOptions options = one_profile(300_ns);
  options.switches[0].path = PathPolicy::kAdaptive;
  options.switches[0].balancing.detours = detours;
  World world(build_graph(DragonflyPlusOptions{.groups = kGroups,
                                               .hosts_per_leaf = kPerGroup / 2,
                                               .parallel_links = 2,
                                               .global_links = kGlobalLinks,
                                               .host_link = kCable,
                                               .leaf_link = kCable,
                                               .global_link = kCable})
                  .value(),
              options);
  constexpr std::uint32_t kHosts = kGroups * kPerGroup;
  for (std::uint32_t from = 0; from < kHosts; ++from) {
    world.send(from, {.to = EndpointId((from + kPerGroup) % kHosts), .count = kPackets, .priority = kLossy});
  }
  world.run();
  EXPECT_EQ(world.fabric->check_invariants(), "");
  Outcome outcome{.end = {}, .detours = world.fabric->detours()};
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    EXPECT_EQ(world[host].received.size(), kPackets);
    outcome.end = later(outcome.end, world[host].received.back().at);
  }
  for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
    outcome.counted += world.fabric->choices(port, world.kernel.now()).detours;
  }
  return outcome;
}

TEST(NonMinimal, PacketsOfEthernetTakeThirdGroups) {
  const Outcome direct = to_next_group(std::nullopt);
  const Outcome valiant = to_next_group(DetourOptions{.rule = DetourRule::kValiant});
  const Outcome ugal = to_next_group(DetourOptions{.rule = DetourRule::kUgal, .threshold = 16_kib});
  EXPECT_EQ(direct.detours, 0U);
  EXPECT_EQ(valiant.detours, kPackets * kGroups * kPerGroup);
  EXPECT_GT(ugal.detours, 0U);
  EXPECT_LT(ugal.detours, kPackets * kGroups * kPerGroup);
  EXPECT_EQ(valiant.counted, valiant.detours);
  EXPECT_EQ(ugal.counted, ugal.detours);
  // The direct cables carry all; with UGAL the others help, each packet on two of them.
  const Duration all = wire_time(kCable.rate, Load{}.frame_bytes) * static_cast<std::int64_t>(kPackets * kPerGroup);
  EXPECT_GE(direct.end, Time::zero() + all / kGlobalLinks);
  EXPECT_LT(valiant.end, direct.end);
  EXPECT_LT(ugal.end, valiant.end);
  EXPECT_GE(ugal.end - Time::zero(), all * 2 / (kGlobalLinks * kGroups));
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
