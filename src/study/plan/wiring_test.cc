#include "study/plan/wiring.h"

#include <gtest/gtest.h>

namespace weft::study::plan {
namespace {

constexpr scenario::Oversubscription kNone{.down = 1, .up = 1};
constexpr scenario::Oversubscription kTwo{.down = 2, .up = 1};

WiringRequest rails_of(std::int64_t hosts, std::int64_t radix, scenario::Oversubscription oversubscription) {
  return {.hosts = hosts,
          .ports_of_host = 1,
          .leaves_of_hosts = 8,
          .radix = radix,
          .host_rate = 400_gbps,
          .uplink_rate = 400_gbps,
          .oversubscription = oversubscription};
}

// Half of 64 ports down: 32 hosts on a leaf, 2 groups of 8 leaves, 16 x 32 uplinks on spines of 64 ports.
TEST(Wiring, SplitsAPortCountInHalvesWithoutOversubscription) {
  const auto made = two_tiers(rails_of(64, 64, kNone));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(*made, (Wiring{.hosts_per_leaf = 32, .leaves = 16, .uplinks = 32, .spines = 8, .parallel_links = 4}));
}

TEST(Wiring, PortsAreNeverMoreThanThoseOfASwitch) {
  for (const std::int64_t hosts : {1, 2, 7, 16, 48, 64, 96, 128, 500, 512, 2048}) {
    for (const std::int64_t radix : {4, 32, 64, 128}) {
      for (const auto& oversubscription : {kNone, kTwo}) {
        const auto made = two_tiers(rails_of(hosts, radix, oversubscription));
        if (!made) {
          continue;
        }
        // Places for all hosts, and no leaf without one.
        EXPECT_GE(made->hosts_per_leaf * made->leaves, hosts * 8);
        EXPECT_LT((made->leaves / 8 - 1) * made->hosts_per_leaf, hosts);
        EXPECT_LE(made->hosts_per_leaf + made->uplinks, radix);
        EXPECT_EQ(made->spines * made->parallel_links, made->uplinks);
        EXPECT_LE(made->leaves * made->parallel_links, radix);
        // At least what the ratio asks for.
        EXPECT_GE(made->uplinks * oversubscription.down, made->hosts_per_leaf * oversubscription.up);
      }
    }
  }
}

// Hosts of eight NICs under switches of 64 ports: four of them and 32 uplinks are a leaf.
WiringRequest leaves_of(std::int64_t hosts, scenario::Oversubscription oversubscription) {
  WiringRequest request = rails_of(hosts, 64, oversubscription);
  request.ports_of_host = 8;
  request.leaves_of_hosts = 1;
  return request;
}

// By hand: 25 to 28 hosts are seven leaves, whose 7 x 32 uplinks end at four spines, eight from each leaf to each.
TEST(Wiring, ALastLeafMayBePartlyFilled) {
  for (const std::int64_t hosts : {25, 26, 27, 28}) {
    EXPECT_EQ(two_tiers(leaves_of(hosts, kNone)),
              (Wiring{.hosts_per_leaf = 4, .leaves = 7, .uplinks = 32, .spines = 4, .parallel_links = 8}))
        << hosts;
  }
  for (const std::int64_t hosts : {29, 30, 31, 32}) {
    EXPECT_EQ(two_tiers(leaves_of(hosts, kNone)),
              (Wiring{.hosts_per_leaf = 4, .leaves = 8, .uplinks = 32, .spines = 4, .parallel_links = 8}))
        << hosts;
  }
}

// 48 hosts in leaves of 24 have as few leaves as in leaves of 32, and fewer cables; 29 hosts fill no leaves of five.
TEST(Wiring, FullLeavesArePreferredWhereTheyCostTheSame) {
  const auto even = two_tiers(rails_of(48, 64, kNone));
  ASSERT_TRUE(even.has_value());
  EXPECT_EQ(even->hosts_per_leaf, 24);
  EXPECT_EQ(even->leaves, 2 * 8);
  const auto odd = two_tiers(leaves_of(29, kTwo));
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->hosts_per_leaf, 5);
  EXPECT_EQ(odd->leaves, 6);
  EXPECT_EQ(odd->uplinks, 20);
}

// 26 uplinks to eight leaves of a rail each: 13 spines with two cables to a leaf, or four with seven.
TEST(Wiring, LeavesHaveMoreUplinksThanTheyNeedWhereThatSavesSpines) {
  const auto made = two_tiers(rails_of(26, 64, kNone));
  EXPECT_EQ(made, (Wiring{.hosts_per_leaf = 26, .leaves = 8, .uplinks = 28, .spines = 4, .parallel_links = 7}));
}

// What takes more hosts takes fewer, so that no number of hosts costs more than the next convenient one.
TEST(Wiring, MoreHostsAreNeverCheaper) {
  for (const std::int64_t radix : {36, 64, 128}) {
    for (const auto& oversubscription : {kNone, kTwo, scenario::Oversubscription{.down = 4, .up = 1}}) {
      for (const std::int64_t ports_of_host : {1, 8}) {
        std::int64_t last = 0;
        for (std::int64_t hosts = 17; hosts <= 300; ++hosts) {
          WiringRequest request = rails_of(hosts, radix, oversubscription);
          request.ports_of_host = ports_of_host;
          request.leaves_of_hosts = ports_of_host == 8 ? 1 : 8;
          const auto made = two_tiers(request);
          if (!made) {
            EXPECT_GT(hosts * 8, radix * radix / 4) << radix;
            break;
          }
          EXPECT_GE(price_of(*made, radix), last)
              << hosts << " hosts, radix " << radix << ", " << oversubscription.down;
          last = price_of(*made, radix);
        }
        EXPECT_GT(last, 0);
      }
    }
  }
}

TEST(Wiring, FasterUplinksAreFewer) {
  WiringRequest request = rails_of(64, 128, kNone);
  request.uplink_rate = 800_gbps;
  const auto made = two_tiers(request);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->hosts_per_leaf, 64);
  EXPECT_EQ(made->uplinks, 32);
}

TEST(Wiring, OneLeafHasNothingAboveIt) {
  WiringRequest request = rails_of(8, 64, kNone);
  request.ports_of_host = 8;
  request.leaves_of_hosts = 1;
  const auto made = two_tiers(request);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->uplinks, 0);
  EXPECT_EQ(made->leaves, 1);
}

TEST(Wiring, GroupsOfADragonflyHaveEveryPortOnce) {
  int made_some = 0;
  for (const std::int64_t hosts : {12, 64, 96, 128, 512, 2048}) {
    for (const std::int64_t radix : {32, 64, 128}) {
      WiringRequest request = rails_of(hosts, radix, kNone);
      request.leaves_of_hosts = 1;
      request.ports_of_host = 4;
      const auto made = dragonfly_groups(request);
      if (!made) {
        continue;
      }
      ++made_some;
      const Wiring& group = made->group;
      EXPECT_GE(made->groups, 3);
      EXPECT_EQ(group.hosts_per_leaf * group.leaves * made->groups, hosts);
      EXPECT_LE(group.hosts_per_leaf * 4 + group.uplinks, radix);
      const std::int64_t global = made->global_links * (made->groups - 1);
      EXPECT_GE(made->global_links, 1);
      EXPECT_LE(global, group.leaves * group.uplinks);
      EXPECT_LE(group.leaves * group.parallel_links + (global + group.spines - 1) / group.spines, radix);
    }
  }
  EXPECT_GT(made_some, 5);
  // Hosts that would fit onto one leaf are on two.
  const auto made =
      dragonfly_groups({.hosts = 64, .ports_of_host = 2, .radix = 40, .host_rate = 200_gbps, .uplink_rate = 200_gbps});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->groups, 4);
  EXPECT_EQ(made->group.leaves, 2);
  EXPECT_EQ(made->group.spines, 2);
  EXPECT_EQ(made->global_links, 10);
}

// 64 hosts of 4 ports: 8 on each of 8 switches with 32 ports left for 4 neighbours.
TEST(Wiring, ATorusSharesOutWhatHostsLeave) {
  WiringRequest request{.hosts = 64, .ports_of_host = 4, .radix = 64};
  const auto made = torus_rings(request);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->hosts_per_switch, 8);
  EXPECT_EQ(made->sizes, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(made->parallel_links, 8);
  request.hosts = 27 * 8;
  EXPECT_EQ(torus_rings(request)->sizes, (std::vector<std::int64_t>{3, 3, 3}));
  // A prime number of switches is no torus.
  request = {.hosts = 7, .ports_of_host = 8, .radix = 16};
  EXPECT_FALSE(torus_rings(request).has_value());
}

// r leaves of r/2 ports below r/2 spines.
TEST(Wiring, TwoTiersEndAtHalfTheSquareOfTheRadix) {
  WiringRequest request{.hosts = 64 * 32, .radix = 64, .host_rate = 400_gbps, .uplink_rate = 400_gbps};
  EXPECT_TRUE(two_tiers(request).has_value());
  request.hosts *= 2;
  EXPECT_FALSE(two_tiers(request).has_value());
}

/// Whether a fat-tree takes so many hosts, and not one more.
bool ends_at(std::int64_t hosts, TreeRequest request) {
  request.hosts = hosts;
  const bool takes = fat_tree(request).has_value();
  request.hosts = hosts + 1;
  return takes && !fat_tree(request).has_value();
}

// Al-Fares et al.: k^3 / 4.
TEST(Wiring, ThreeTiersEndAtAQuarterOfTheCube) {
  EXPECT_TRUE(ends_at(64 * 64 * 64 / 4, {.ports = 64, .oversubscription = kNone}));
  // A third of 64 is no number of ports; of 60 are 40 down.
  EXPECT_TRUE(ends_at(60 * 30 * 40, {.ports = 64, .oversubscription = kTwo}));
  // 20 ports are no whole hosts of eight; 16 are two.
  EXPECT_TRUE(ends_at(32 * 16 * 2, {.ports = 40, .ports_of_host = 8, .oversubscription = kNone}));
  EXPECT_FALSE(fat_tree({.hosts = 1, .ports = 8, .ports_of_host = 8, .oversubscription = kNone}).has_value());
}

// A pod has half as many leaves as a switch has ports, and racks of two leaves take an even number of them.
TEST(Wiring, RacksOfSeveralLeavesFillAPod) {
  EXPECT_TRUE(ends_at(64 * 64 * 64 / 8, {.ports = 64, .leaves_of_rack = 2, .oversubscription = kNone}));
  EXPECT_TRUE(ends_at(60 * 60 * 60 / 8, {.ports = 62, .leaves_of_rack = 2, .oversubscription = kNone}));
}

// By hand, switches of 128 ports: 16,384 ports of NICs are 256 leaves of 64, under 16,384 / 64 switches of the second
// tier, under 16,384 / 128 cores. With single cables four pods would leave 124 of 128 ports of each of 4,096 cores
// idle.
TEST(Wiring, CoresAreAsFewAsTheirPortsAllow) {
  const auto made = fat_tree({.hosts = 2'048, .ports = 128, .ports_of_host = 8, .oversubscription = kNone});
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->tiers, 3);
  EXPECT_EQ(made->switches, 256 + 256 + 128);
  EXPECT_EQ(made->cables, 2 * 16'384);
  const auto whole = fat_tree({.hosts = 128 * 128 * 128 / 4, .ports = 128, .oversubscription = kNone});
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->switches, 5 * 128 * 128 / 4);
  EXPECT_EQ(whole->parallel_links, 1);
}

// 128 ports under switches of 64: four leaves of 32, and two spines with 16 cables to each.
TEST(Wiring, ATreeHasTwoTiersWhereTheySuffice) {
  const auto made = fat_tree({.hosts = 16, .ports = 64, .ports_of_host = 8, .oversubscription = kNone});
  EXPECT_EQ(made, (TreeWiring{.radix = 64, .tiers = 2, .parallel_links = 16, .switches = 6, .cables = 128}));
  // A tree fills its leaves one after the other.
  const auto odd = fat_tree({.hosts = 31, .ports = 64, .ports_of_host = 8, .oversubscription = kNone});
  ASSERT_TRUE(odd.has_value());
  EXPECT_EQ(odd->switches, 8 + 4);
}

}  // namespace
}  // namespace weft::study::plan
