#include "subnet/routing/lane_layers.h"

#include <gtest/gtest.h>

#include <numeric>

#include "subnet/routing/stored_dumps.h"
#include "subnet/routing/weighted_tables.h"

namespace weft::subnet {
namespace {

Result<LaneLayers> layers_of(const std::string& network, std::uint32_t lanes) {
  const SweptSubnet made = swept(stored(network + ".net"));
  return layer_paths(made.view, *weighted_tables(made.view), weighted_order(made.view), lanes);
}

// What OpenSM 3.3.23 says of the same ring: 6 of 132 paths on lane 1, none above.
TEST(LaneLayers, OfARingAreTwo) {
  const Result<LaneLayers> layers = layers_of("ring6", 8);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->needed, 2U);
  EXPECT_EQ(layers->paths, (std::vector<std::uint64_t>{126, 6, 0, 0, 0, 0, 0, 0}));
}

TEST(LaneLayers, OfATreeAreOne) {
  const Result<LaneLayers> layers = layers_of("fat_4x2x4", 1);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers->needed, 1U);
  EXPECT_EQ(layers->paths, (std::vector<std::uint64_t>{22 * 21}));
}

TEST(LaneLayers, AreRefusedWithTooFewLanes) {
  const Result<LaneLayers> layers = layers_of("ring6", 1);
  ASSERT_FALSE(layers);
  EXPECT_EQ(layers.error().message, "1 virtual lanes are not enough to break all cycles of buffers");
}

}  // namespace
}  // namespace weft::subnet
