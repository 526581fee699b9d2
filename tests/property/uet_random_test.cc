// Random traffic over Ultra Ethernet on a faulty network: delivered exactly once, intact and in order, and all contexts
// freed in the end.
#include <gtest/gtest.h>

#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"
#include "tests/property/uet_draw.h"

namespace weft::testing {
namespace {

void run_uet_seed(const UetPairOptions& options) {
  UetPair pair(options);
  RcTraffic traffic(pair,
                    {.seed = options.seed, .messages = RcTraffic::kSlots, .late_receives = options.seed % 3 == 0});
  ASSERT_TRUE(traffic.run()) << "the network does not come to rest";
  EXPECT_EQ(traffic.verify(), "");
  EXPECT_EQ(pair.live_contexts(), 0U);
}

TEST(UetRandom, UnorderedDeliveryIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) { run_uet_seed(draw_uet_options(seed)); });
}

TEST(UetRandom, OrderedDeliveryIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) {
    UetPairOptions options = draw_uet_options(seed);
    options.uet.mode = transport::UetMode::kRod;
    run_uet_seed(options);
  });
}

}  // namespace
}  // namespace weft::testing
