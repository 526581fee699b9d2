#include "workload/collective/choice.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "workload/collective/algorithms.h"

namespace weft::workload {
namespace {

using enum CollectiveAlgorithm;

constexpr Rate kNic = Rate::bits_per_second(400'000'000'000);
constexpr Rate kInside = Rate::bits_per_second(3'600'000'000'000);
constexpr Bytes kLong = Bytes(1 << 30);  // beside which latencies are nothing
constexpr Bytes kShort = Bytes(64);

/// Ranks of hosts with so many GPUs each and one NIC for each GPU.
class Estimate {
 public:
  /// `leaf`: so many hosts share uplinks of a quarter of their rate; 0: none do.
  explicit Estimate(const std::vector<std::uint32_t>& hosts, bool scale_up = true, std::uint32_t leaf = 0) {
    JobLayout sites;
    Communicator all{.name = "all", .members = {}};
    for (std::uint32_t host = 0; host < hosts.size(); ++host) {
      for (std::uint32_t gpu = 0; gpu < hosts[host]; ++gpu) {
        RankSite site{.host = host, .rails = {0}};
        if (scale_up) {
          site.domain = host;
          site.scale_up = 1;
        }
        if (leaf > 0)
          site.uplinks = {{.block = host / leaf, .share = kNic / 4}};
        all.members.push_back(RankId(static_cast<std::uint32_t>(sites.size())));
        sites.push_back(std::move(site));
      }
    }
    layout_.emplace(all, sites);
    tiers_.scale_out.rate = scale_up && hosts.size() == 1 ? Rate::zero() : kNic;
    tiers_.scale_up.rate = scale_up ? kInside : Rate::zero();
  }

  CollectiveOptions options{};

  [[nodiscard]] Duration of(CollectiveAlgorithm algorithm, Bytes size,
                            CollectiveKind kind = CollectiveKind::kAllReduce) const {
    return estimate({.request = {.kind = kind, .size = size, .algorithm = algorithm},
                     .layout = &*layout_,
                     .options = &options,
                     .channels = channels_of(algorithm, *layout_, options),
                     .chunk = options.chunk},
                    algorithm, tiers_);
  }
  /// How often the vector passes a NIC in each direction.
  [[nodiscard]] double passes(CollectiveAlgorithm algorithm) const {
    return of(algorithm, kLong).seconds() / kNic.transmit_time(kLong).seconds();
  }

 private:
  std::optional<MemberLayout> layout_;
  TierModels tiers_;
};

// What goes up and what comes down are in opposite directions of a link between two hosts, in both trees alike.
TEST(Choice, TreesOfTwoHostsSendTheVectorOnceInEachDirection) {
  EXPECT_NEAR(Estimate({1, 1}).passes(kTree), 1, 0.02);
  EXPECT_NEAR(Estimate({4, 4}).passes(kTree), 1.0 / 4, 0.02) << "shared by four rails";
}

// Of three hosts one has three edges of the two trees, of more three of one tree and one of the other; each edge has
// half of the vector each way.
TEST(Choice, TreesOfMoreHostsHaveMoreEdges) {
  EXPECT_NEAR(Estimate({1, 1, 1}).passes(kTree), 1.5 / 0.92, 0.02);
  EXPECT_NEAR(Estimate({1, 1, 1, 1}).passes(kTree), 2 / 0.92, 0.02);
  EXPECT_NEAR(Estimate(std::vector<std::uint32_t>(64, 1)).passes(kTree), 2 / 0.92, 0.2);
}

TEST(Choice, RingsSendAlmostTwiceTheVector) {
  EXPECT_NEAR(Estimate({1, 1}).passes(kRing), 1, 0.01);
  EXPECT_NEAR(Estimate({4, 4}).passes(kRing), 2 * 7.0 / 8 / 4, 0.01);
}

// Of four channels two pass one of the three NICs.
TEST(Choice, TheSmallestHostHasRailsThatTwoChannelsShare) {
  const Estimate unequal({4, 3});
  EXPECT_NEAR(unequal.passes(kRing), 2 * 6.0 / 7 * 2 / 4, 0.01);
  EXPECT_NEAR(unequal.passes(kTree), 2.0 / 4, 0.02);
  EXPECT_LT(unequal.of(kTree, Bytes(16 << 20)), unequal.of(kRing, Bytes(16 << 20)));
}

TEST(Choice, WhatAHostKeepsGoesOverItsScaleUpLinks) {
  EXPECT_NEAR(Estimate({4, 4}).passes(kDirect), 2 * 4.0 / 8, 0.01);
  EXPECT_NEAR(Estimate({4, 4}, false).passes(kDirect), 2 * 7.0 / 8, 0.01);
  EXPECT_NEAR(Estimate({4, 4}).passes(kHalvingDoubling), 1 + 2 * (1.0 / 4 + 1.0 / 8) / 9, 0.01);
}

// Both over one rail, where there are no scale-up links.
TEST(Choice, HierarchiesWithoutScaleUpLinksAddUpTheirStages) {
  EXPECT_NEAR(Estimate({4, 4}, false).passes(kHierarchical), 2 * (3.0 / 4 + 1.0 / 8), 0.01);
  EXPECT_NEAR(Estimate({4, 4}).passes(kHierarchical), 2 * 1.0 / 8, 0.01);
}

// Up to the reducers and down again is the way of one message, and the vector goes each way at once.
TEST(Choice, ReducersTakeTheVectorOnce) {
  const Estimate network({1, 1});
  EXPECT_NEAR(network.passes(kInNetwork), 1, 0.01);
  EXPECT_LT(network.of(kInNetwork, kShort), network.of(kDirect, kShort) / 2 + 1_ns);
  EXPECT_EQ(network.of(kInNetwork, kLong), network.of(kInNetwork, kLong, CollectiveKind::kReduceScatter));
}

TEST(Choice, KnowsWhatTheLibraryTakesForAMessage) {
  Estimate costly({4, 4, 4});
  const Duration tree = costly.of(kTree, kShort);
  const Duration hierarchical = costly.of(kHierarchical, kShort);
  costly.options.costs.scale_out.message = 10_us;
  EXPECT_EQ(costly.of(kTree, kShort) - tree, 40_us) << "two levels up, two down";
  EXPECT_EQ(costly.of(kHierarchical, kShort) - hierarchical, 40_us) << "twice two steps";
  costly.options.costs.scale_out = {};
  costly.options.costs.scale_up.message = 10_us;
  EXPECT_EQ(costly.of(kTree, kShort) - tree, 60_us) << "three links of a chain up, three down";
  EXPECT_EQ(costly.of(kHierarchical, kShort) - hierarchical, 20_us);
}

TEST(Choice, ALaneCopiesAChunkBeforeItLeaves) {
  Estimate copying({1, 1});
  const Bytes chunk = copying.options.chunk;
  const Duration without = copying.of(kTree, 2 * chunk);
  copying.options.costs.scale_out.lane_rate = kNic;
  EXPECT_EQ(copying.of(kTree, 2 * chunk) - without, 2 * kNic.transmit_time(chunk));
}

// Rails that GPUs lend one another (RankSite::Relay) are of the machine, but not the rank's own.
TEST(Choice, ARankHasTheRateOfItsOwnRails) {
  const std::vector<verbs::Rail> rails(4, verbs::Rail{.rate = kNic});
  EXPECT_EQ(tier_models(rails).scale_out.rate, kNic);
}

// Of 16 hosts, eight to a leaf: half of what exchanges carry crosses uplinks of a quarter of the rate, and of a ring
// one edge, for which they have room.
TEST(Choice, ExchangesTakeWhatOversubscribedUplinksAllow) {
  const std::vector<std::uint32_t> hosts(16, 1);
  const Estimate even(hosts);
  const Estimate shared(hosts, true, 8);
  EXPECT_NEAR(even.passes(kDirect), 2 * 15.0 / 16, 0.01);
  EXPECT_NEAR(shared.passes(kDirect), 2 * 8.0 / 16 * 4, 0.01);
  EXPECT_NEAR(shared.passes(kHalvingDoubling), 2 * (8.0 / 16 * 4 + 7.0 / 16), 0.01);
  EXPECT_EQ(shared.of(kRing, kLong), even.of(kRing, kLong));
  EXPECT_NEAR(Estimate(hosts, true, 2).passes(kRing), 2 * 15.0 / 16 * 2, 0.01) << "two hosts have half of the rate";
}

// Inside one domain the network counts for nothing, and need not be there.
TEST(Choice, OneDomainNeedsNoNetwork) {
  const Estimate domain({8});
  for (const CollectiveAlgorithm algorithm : {kRing, kTree, kHalvingDoubling, kDirect, kInNetwork})
    EXPECT_LE(domain.of(algorithm, kLong), kInside.transmit_time(kLong) * 2 + 100_us) << to_string(algorithm);
}

}  // namespace
}  // namespace weft::workload
