// What comes out of the network is what the ranks put in, reduced.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "base/random.h"
#include "tests/reduction/reduction_world.h"

namespace weft::testing {
namespace {

std::vector<std::uint32_t> first_hosts(std::uint32_t count) {
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

std::vector<std::int32_t> int32s(std::span<const std::byte> bytes) {
  std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Element i of rank r is (r + 1) * (i + 1): the sum over n ranks is (i + 1) * n (n + 1) / 2.
void fill_int32(std::uint32_t rank, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
    const auto value = static_cast<std::int32_t>((rank + 1) * (i + 1));
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
}

std::vector<std::int32_t> expected_sum(std::uint32_t members, std::uint32_t count) {
  std::vector<std::int32_t> sum(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    sum[i] = static_cast<std::int32_t>((i + 1) * (members * (members + 1) / 2));
  }
  return sum;
}

TEST(InNetworkReduction, SumsForEveryMemberOfATwoLevelTree) {
  ReductionWorld sim(reduction_world(leaves_and_spines(2, 2, 2)));
  sim.add_group({.ranks = {0, 1, 2, 3}});
  const std::uint32_t request = sim.add({.count = 1000, .data_type = verbs::DataType::kInt32}, fill_int32);
  EXPECT_EQ(sim.run_checked(), "");
  ASSERT_EQ(sim.check_all_succeeded(), "");
  for (std::uint32_t host = 0; host < 4; ++host) {
    EXPECT_EQ(int32s(sim.destination(host, request)), expected_sum(4, 1000));
  }
  // Two leaves and a spine, each once: the members' vectors, and two sums.
  EXPECT_EQ(sim.reducer_totals().vectors, 6U);
  EXPECT_EQ(sim.reducer_totals().reductions, 3U);
}

TEST(InNetworkReduction, SumsForTwoToThirtyThreeMembersOnOneOrSeveralLeaves) {
  for (std::uint32_t members = 2; members <= 33; ++members) {
    for (const std::uint32_t per_leaf : {33U, 7U}) {
      ReductionWorld sim(reduction_world(leaves_and_spines((33 + per_leaf - 1) / per_leaf, per_leaf, 3)));
      sim.add_group({.ranks = first_hosts(members)});
      const std::uint32_t request = sim.add({.count = 5, .data_type = verbs::DataType::kInt32}, fill_int32);
      sim.run();
      ASSERT_EQ(sim.check_all_succeeded(), "") << members << " members, " << per_leaf << " on a leaf";
      for (std::uint32_t host = 0; host < members; ++host) {
        EXPECT_EQ(int32s(sim.destination(host, request)), expected_sum(members, 5));
      }
    }
  }
}

}  // namespace
}  // namespace weft::testing
