#include "subnet/routing/nue_dependencies.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

/// A ring of six switches: for each direction, the channel from each switch.
struct Ring {
  Ring() {
    for (NueSwitch at = 0; at < network.switches(); ++at) {
      for (const Channel channel : network.channels_from(at)) {
        (network[channel].to == (at + 1) % 6 ? forward : backward).push_back(channel);
      }
    }
  }

  SweptSubnet made = swept(stored("ring6.net"));
  NueNetwork network{made.view};
  NueDependencies dependencies{network};
  std::vector<Channel> forward;
  std::vector<Channel> backward;
};

TEST(NueDependencies, LeadFromEachChannelToAllButItsReverse) {
  const Ring ring;
  ASSERT_EQ(ring.forward.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto dependencies = ring.dependencies.of(ring.forward[i]);
    ASSERT_EQ(dependencies.size(), 1U);
    EXPECT_EQ(ring.dependencies.to(dependencies.front()), ring.forward[(i + 1) % 6]);
    EXPECT_EQ(ring.dependencies.find({.from = ring.forward[i], .to = ring.forward[(i + 1) % 6]}), dependencies.front());
    EXPECT_EQ(ring.dependencies.find({.from = ring.forward[i], .to = ring.network[ring.forward[i]].reverse}),
              NueDependencies::kNone);
  }
  for (NueSwitch at = 0; at < 6; ++at) {
    const Channel source = ring.dependencies.source(at);
    EXPECT_EQ(ring.dependencies.of(source).size(), 2U);
    for (const NueDependencies::Dependency each : ring.dependencies.of(source)) {
      EXPECT_EQ(ring.dependencies.find({.from = source, .to = ring.dependencies.to(each)}), each);
    }
  }
}

TEST(NueDependencies, BlocksTheOneThatClosesACycle) {
  Ring ring;
  ring.dependencies.begin(0);
  const auto take = [&](Channel from, Channel to) {
    return ring.dependencies.take(from, ring.dependencies.find({.from = from, .to = to}));
  };
  EXPECT_TRUE(take(ring.dependencies.source(0), ring.forward[0]));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(take(ring.forward[i], ring.forward[i + 1]));
  }
  const auto closing = ring.dependencies.find({.from = ring.forward[5], .to = ring.forward[0]});
  EXPECT_FALSE(ring.dependencies.take(ring.forward[5], closing));
  EXPECT_TRUE(ring.dependencies.is_blocked(closing));
  EXPECT_TRUE(take(ring.dependencies.source(0), ring.backward[0]));
}

TEST(NueDependencies, ForgetsWhatIsNotKept) {
  Ring ring;
  ring.dependencies.begin(0);
  const Channel source = ring.dependencies.source(0);
  const auto first = ring.dependencies.find({.from = source, .to = ring.forward[0]});
  const auto second = ring.dependencies.find({.from = ring.forward[0], .to = ring.forward[1]});
  EXPECT_TRUE(ring.dependencies.take(source, first));
  EXPECT_TRUE(ring.dependencies.take(ring.forward[0], second));
  EXPECT_TRUE(ring.dependencies.is_provisional(second));
  ring.dependencies.keep({.from = source, .to = ring.forward[0]});
  ring.dependencies.settle();
  EXPECT_TRUE(ring.dependencies.is_used(first));
  EXPECT_FALSE(ring.dependencies.is_used(second));
  EXPECT_FALSE(ring.dependencies.is_blocked(second));
  ring.dependencies.drop(first);  // kept: no longer provisional
  EXPECT_TRUE(ring.dependencies.is_used(first));
  ring.dependencies.clear();
  EXPECT_FALSE(ring.dependencies.is_used(first));
}

}  // namespace
}  // namespace weft::subnet
