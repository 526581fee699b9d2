#include "fabric/routing/ecmp_hash.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "base/stable_hash.h"

namespace weft::fabric {
namespace {

/// Flows as they occur: few hosts, and source ports that count up.
std::vector<std::uint32_t> flows() {
  std::vector<std::uint32_t> hashes;
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) {
      for (std::uint16_t port = 0; port < 64; ++port) {
        hashes.push_back(flow_hash({.source = stable_hash(1, fmt::format("host{}/nic0", from)),
                                    .destination = stable_hash(1, fmt::format("host{}/nic0", to)),
                                    .entropy = static_cast<std::uint16_t>(0xC000 + port)}));
      }
    }
  }
  return hashes;
}

std::uint64_t seed_of(int node) { return stable_hash(1, fmt::format("leaf{}", node)); }

/// Chi-square of counts against equal ones, in standard deviations from its mean (its variance is twice its mean).
double deviation(const std::vector<std::uint32_t>& counts) {
  double sum = 0;
  for (const std::uint32_t count : counts) {
    sum += count;
  }
  const double expected = sum / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const std::uint32_t count : counts) {
    chi_square += (count - expected) * (count - expected) / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

// Inputs are fixed, so that these bounds are facts and no matter of luck: five standard deviations, on either side.
constexpr double kBound = 5;

TEST(EcmpHash, SpreadsFlowsEvenlyAtEverySwitch) {
  const std::vector<std::uint32_t> hashes = flows();
  for (int node = 0; node < 20; ++node) {
    for (const std::uint32_t ports : {2U, 3U, 4U, 7U, 16U, 32U, 64U}) {
      std::vector<std::uint32_t> counts(ports, 0);
      for (const std::uint32_t hash : hashes) {
        ++counts[pick(switch_hash(hash, seed_of(node)), ports)];
      }
      EXPECT_LT(std::abs(deviation(counts)), kBound) << "leaf" << node << ", " << ports << " ports";
    }
  }
}

TEST(EcmpHash, ChoosesIndependentlyAtSwitchesWithDifferentSeeds) {
  const std::vector<std::uint32_t> hashes = flows();
  constexpr std::uint32_t kPorts = 8;
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b < a; ++b) {
      std::vector<std::uint32_t> counts(kPorts * kPorts, 0);
      for (const std::uint32_t hash : hashes) {
        const std::uint32_t first = pick(switch_hash(hash, seed_of(a)), kPorts);
        ++counts[first * kPorts + pick(switch_hash(hash, seed_of(b)), kPorts)];
      }
      EXPECT_LT(std::abs(deviation(counts)), kBound) << "leaf" << a << " and leaf" << b;
    }
  }
}

TEST(EcmpHash, WithSeedsThatCountUpIsIndependentToo) {
  const std::vector<std::uint32_t> hashes = flows();
  std::vector<std::uint32_t> counts(64, 0);
  for (const std::uint32_t hash : hashes) {
    ++counts[pick(switch_hash(hash, 1), 8) * 8 + pick(switch_hash(hash, 2), 8)];
  }
  EXPECT_LT(std::abs(deviation(counts)), kBound);
}

TEST(EcmpHash, PolarisesWhenAllSeedsAreEqual) {
  // Behind port p of the first switch only one of the ports of the second is ever used.
  constexpr std::uint32_t kPorts = 8;
  std::vector<std::set<std::uint32_t>> used(kPorts);
  for (const std::uint32_t hash : flows()) {
    used[pick(switch_hash(hash, seed_of(0)), kPorts)].insert(pick(switch_hash(hash, seed_of(0)), kPorts));
  }
  for (const auto& ports : used) {
    EXPECT_EQ(ports.size(), 1U);
  }
}

TEST(EcmpHash, DependsOnEveryFieldOfTheTuple) {
  const FlowKey key{.source = 1, .destination = 2, .entropy = 3, .destination_port = 4, .protocol = 5};
  std::set<std::uint32_t> hashes{flow_hash(key)};
  const auto expect_new = [&](FlowKey changed) { EXPECT_TRUE(hashes.insert(flow_hash(changed)).second); };
  for (int bit = 0; bit < 64; ++bit) {
    FlowKey changed = key;
    changed.source ^= std::uint64_t{1} << bit;
    expect_new(changed);
    changed = key;
    changed.destination ^= std::uint64_t{1} << bit;
    expect_new(changed);
  }
  for (int bit = 0; bit < 16; ++bit) {
    FlowKey changed = key;
    changed.entropy = static_cast<std::uint16_t>(changed.entropy ^ 1 << bit);
    expect_new(changed);
    changed = key;
    changed.destination_port = static_cast<std::uint16_t>(changed.destination_port ^ 1 << bit);
    expect_new(changed);
  }
  for (int bit = 0; bit < 8; ++bit) {
    FlowKey changed = key;
    changed.protocol = static_cast<std::uint8_t>(changed.protocol ^ 1 << bit);
    expect_new(changed);
  }
}

TEST(EcmpHash, OfAFlowAndItsReverseDiffer) {
  EXPECT_NE(flow_hash(AddressPair{.source = 7, .destination = 9}),
            flow_hash(AddressPair{.source = 9, .destination = 7}));
}

TEST(EcmpHash, OfAddressPairsSpreadsToo) {
  std::vector<std::uint32_t> counts(16, 0);
  for (int from = 0; from < 64; ++from) {
    for (int to = 0; to < 64; ++to) {
      const AddressPair pair{stable_hash(1, fmt::format("host{}/nic0", from)),
                             stable_hash(1, fmt::format("host{}/nic0", to))};
      ++counts[pick(switch_hash(flow_hash(pair), seed_of(0)), 16)];
    }
  }
  EXPECT_LT(std::abs(deviation(counts)), kBound);
}

TEST(EcmpHash, PicksEachPortForAnEqualShareOfHashes) {
  EXPECT_EQ(pick(0, 3), 0U);
  EXPECT_EQ(pick(0xFFFF'FFFF, 3), 2U);
  EXPECT_EQ(pick(0x5555'5555, 3), 0U);
  EXPECT_EQ(pick(0x5555'5556, 3), 1U);
  EXPECT_EQ(pick(0xFFFF'FFFF, 1), 0U);
}

}  // namespace
}  // namespace weft::fabric
