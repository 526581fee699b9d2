#include "fabric/routing/linear_tables.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

TEST(LinearTables, HaveOnePortForEachSwitchAndLid) {
  constexpr std::uint32_t kSwitches = 3;
  constexpr std::uint32_t kEndpoints = 5;
  LinearTables tables({.switches = kSwitches, .endpoints = kEndpoints, .lid_mask_control = 1});
  const auto port_of = [](std::uint32_t node, std::uint32_t endpoint, std::uint32_t offset) {
    return static_cast<std::uint16_t>((node * kEndpoints + endpoint) * 2 + offset);
  };
  for (std::uint32_t node = 0; node < kSwitches; ++node) {
    for (std::uint32_t endpoint = 0; endpoint < kEndpoints; ++endpoint) {
      for (const std::uint32_t offset : {0U, 1U}) {
        tables.set(node, {.destination = EndpointId(endpoint), .offset = offset}, port_of(node, endpoint, offset));
      }
    }
  }
  for (std::uint32_t node = 0; node < kSwitches; ++node) {
    for (std::uint32_t endpoint = 0; endpoint < kEndpoints; ++endpoint) {
      for (const std::uint32_t offset : {0U, 1U}) {
        const NextHops hop = tables.next_hop(node, {.destination = EndpointId(endpoint), .offset = offset});
        ASSERT_EQ(hop.size(), 1U);
        EXPECT_EQ(hop[0], port_of(node, endpoint, offset));
      }
    }
  }
}

TEST(LinearTables, WithoutAnEntryThereIsNoNextHop) {
  LinearTables tables({.switches = 2, .endpoints = 2, .lid_mask_control = 0});
  EXPECT_FALSE(tables.empty());
  tables.set(1, {.destination = EndpointId(0)}, LinearTables::kMostPorts - 1);
  EXPECT_TRUE(tables.next_hop(0, {.destination = EndpointId(0)}).empty());
  EXPECT_TRUE(tables.next_hop(1, {.destination = EndpointId(1)}).empty());
  EXPECT_EQ(tables.next_hop(1, {.destination = EndpointId(0)})[0], LinearTables::kMostPorts - 1);
  EXPECT_TRUE(LinearTables().empty());
}

TEST(PathLevels, AreOfOrderedPairsAndLids) {
  PathLevels levels(3, 1);
  levels.set({.source = EndpointId(0), .destination = EndpointId(2), .offset = 1}, 5);
  EXPECT_EQ(levels.of({.source = EndpointId(0), .destination = EndpointId(2), .offset = 1}), 5);
  EXPECT_EQ(levels.of({.source = EndpointId(0), .destination = EndpointId(2), .offset = 0}), 0);
  EXPECT_EQ(levels.of({.source = EndpointId(2), .destination = EndpointId(0), .offset = 1}), 0);
  EXPECT_TRUE(PathLevels().empty());
}

}  // namespace
}  // namespace weft::fabric
