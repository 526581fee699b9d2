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

TEST(InNetworkBroadcast, GivesOneMembersVectorToAllOverOneOrTwoLevels) {
  for (const std::uint32_t leaves : {1U, 2U}) {
    for (const std::uint32_t from : {0U, 3U}) {
      ReductionWorld sim(reduction_world(leaves_and_spines(leaves, 4 / leaves, 2)));
      sim.add_group({.ranks = first_hosts(4)});
      const ReducePlan plan{.count = 1000, .data_type = verbs::DataType::kInt32};
      ReducePlan shared = plan;
      shared.broadcast_from = from;
      const std::uint32_t before = sim.add(plan, fill_int32);
      const std::uint32_t request = sim.add(shared, fill_int32);
      const std::uint32_t behind = sim.add(plan, fill_int32);
      EXPECT_EQ(sim.run_checked(), "");
      ASSERT_EQ(sim.check_all_succeeded(), "");
      std::vector<std::byte> expected(4000);
      fill_int32(from, expected);
      for (std::uint32_t host = 0; host < 4; ++host) {
        EXPECT_EQ(int32s(sim.destination(host, request)), int32s(expected)) << leaves << " leaves, from " << from;
        EXPECT_EQ(int32s(sim.destination(host, before)), expected_sum(4, 1000));
        EXPECT_EQ(int32s(sim.destination(host, behind)), expected_sum(4, 1000));
      }
    }
  }
}

constexpr std::uint32_t kTypes = 8;
constexpr std::uint32_t kOperations = 6;

bool is_integer(verbs::DataType type) { return type <= verbs::DataType::kUint64; }

/// The members' vectors, combined along a tree of two leaves: each leaf's members, then both leaves.
std::vector<std::byte> combined_by_leaves(const host::Reduction& reduction,
                                          const std::vector<std::vector<std::byte>>& vectors, std::size_t per_leaf) {
  std::vector<std::vector<std::byte>> of_leaves;
  for (std::size_t first = 0; first < vectors.size(); first += per_leaf) {
    const std::vector<std::span<const std::byte>> operands(
        vectors.begin() + static_cast<std::ptrdiff_t>(first),
        vectors.begin() + static_cast<std::ptrdiff_t>(first + per_leaf));
    host::reduce_vectors(reduction, operands, of_leaves.emplace_back(vectors.front().size()));
  }
  const std::vector<std::span<const std::byte>> leaves(of_leaves.begin(), of_leaves.end());
  std::vector<std::byte> all(vectors.front().size());
  host::reduce_vectors(reduction, leaves, all);
  return all;
}

TEST(InNetworkReduction, CombinesEveryTypeAndOperationInTheOrderOfTheTree) {
  ReductionWorld sim(reduction_world(leaves_and_spines(2, 3, 2)));
  sim.add_group({.ranks = first_hosts(6)});
  struct Case {
    std::uint32_t request;
    std::vector<std::byte> expected;
  };
  std::vector<Case> cases;
  RandomStream random(3, "vectors");
  for (std::uint32_t type = 0; type < kTypes; ++type) {
    for (std::uint32_t operation = 0; operation < kOperations; ++operation) {
      const host::Reduction reduction{static_cast<verbs::DataType>(type),
                                      static_cast<verbs::ReduceOperation>(operation)};
      if (!is_integer(reduction.data_type) && reduction.operation >= verbs::ReduceOperation::kBitAnd) {
        continue;
      }
      std::vector<std::vector<std::byte>> vectors(6);
      for (auto& vector : vectors) {
        vector.resize(static_cast<std::size_t>(100 * verbs::size_of(reduction.data_type).count()));
        for (std::byte& byte : vector) {
          byte = static_cast<std::byte>(random.next());
        }
      }
      const std::uint32_t request =
          sim.add({.count = 100, .data_type = reduction.data_type, .operation = reduction.operation},
                  [&](std::uint32_t rank, std::span<std::byte> bytes) {
                    std::copy(vectors[rank].begin(), vectors[rank].end(), bytes.begin());
                  });
      cases.push_back({request, combined_by_leaves(reduction, vectors, 3)});
    }
  }
  sim.run();
  ASSERT_EQ(sim.check_all_succeeded(), "");
  for (const Case& each : cases) {
    for (std::uint32_t host = 0; host < 6; ++host) {
      const auto result = sim.destination(host, each.request);
      EXPECT_TRUE(std::equal(result.begin(), result.end(), each.expected.begin(), each.expected.end()))
          << "request " << each.request << " host " << host;
    }
  }
}

TEST(InNetworkReduction, GivesARootedResultToTheRootAlone) {
  for (std::uint32_t root = 0; root < 6; ++root) {
    ReductionWorld sim(reduction_world(leaves_and_spines(2, 3, 2)));
    sim.add_group({.ranks = first_hosts(6)});
    std::vector<std::uint32_t> requests;
    for (int i = 0; i < 200; ++i) {  // more than the window
      requests.push_back(sim.add({.count = 10, .data_type = verbs::DataType::kInt32, .root = root}, fill_int32));
    }
    sim.run();
    ASSERT_EQ(sim.check_all_succeeded(), "");
    for (const std::uint32_t request : requests) {
      for (std::uint32_t host = 0; host < 6; ++host) {
        EXPECT_EQ(int32s(sim.destination(host, request)),
                  host == root ? expected_sum(6, 10) : std::vector<std::int32_t>(10));
        EXPECT_EQ(sim.completed(host, request)->completion.byte_len, host == root ? 40U : 0U);
      }
    }
  }
}

TEST(InNetworkReduction, MixesRootedAndOtherRequestsInOneGroup) {
  ReductionWorld sim(reduction_world(leaves_and_spines(3, 2, 2)));
  sim.add_group({.ranks = {5, 0, 3, 1}});
  std::vector<std::uint32_t> requests;
  for (std::uint32_t i = 0; i < 150; ++i) {
    ReducePlan plan{.count = 1 + i % 60, .data_type = verbs::DataType::kInt32};
    if (i % 3 != 0) {
      plan.root = i % 4;
    }
    requests.push_back(sim.add(plan, fill_int32));
  }
  sim.run();
  ASSERT_EQ(sim.check_all_succeeded(), "");
  for (std::uint32_t i = 0; i < 150; ++i) {
    const std::uint32_t ranks[] = {5, 0, 3, 1};
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const bool gets_it = i % 3 == 0 || i % 4 == rank;
      EXPECT_EQ(int32s(sim.destination(ranks[rank], requests[i])),
                gets_it ? expected_sum(4, 1 + i % 60) : std::vector<std::int32_t>(1 + i % 60));
    }
  }
}

TEST(InNetworkReduction, PutsTheResultOverTheSource) {
  ReductionWorld sim(reduction_world(leaves_and_spines(2, 2, 1)));
  sim.add_group({.ranks = first_hosts(4)});
  const std::uint32_t request =
      sim.add({.count = 3000, .data_type = verbs::DataType::kInt32, .in_place = true}, fill_int32);
  sim.run();
  ASSERT_EQ(sim.check_all_succeeded(), "");
  for (std::uint32_t host = 0; host < 4; ++host) {
    EXPECT_EQ(int32s(sim.destination(host, request)), expected_sum(4, 3000));
  }
}

TEST(InNetworkReduction, ServesSeveralGroupsAtOnceThatShareHostsAndReducers) {
  ReductionWorld sim(reduction_world(leaves_and_spines(3, 4, 2)));
  const std::vector<std::vector<std::uint32_t>> groups = {first_hosts(12), {0, 4, 8}, {1, 2}, {11, 3, 7, 0}, {0, 4, 8}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> requests;
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    sim.add_group({.ranks = groups[group]});
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint32_t group = i % static_cast<std::uint32_t>(groups.size());
    requests.emplace_back(group,
                          sim.add({.group = group, .count = 1000, .data_type = verbs::DataType::kInt32}, fill_int32));
  }
  EXPECT_EQ(sim.run(), study::world::World::Stop::kIdle);
  ASSERT_EQ(sim.check_all_succeeded(), "");
  EXPECT_EQ(sim.world().aggregation()->trees(), groups.size());
  for (const auto& [group, request] : requests) {
    for (const std::uint32_t host : groups[group]) {
      EXPECT_EQ(int32s(sim.destination(host, request)),
                expected_sum(static_cast<std::uint32_t>(groups[group].size()), 1000));
    }
  }
}

TEST(InNetworkReduction, SumsRightOverDamagedCables) {
  for (const std::uint64_t one_in : {200'000ULL, 1'000'000ULL}) {
    ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 4, 2));
    // The cables that are there before reducers are added: their internal ports have no errors.
    options.fabric.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, one_in}));
    options.reduction.timeout = 4;  // 65 us
    options.reduction.window = 8;
    options.nic.device.active_mtu = verbs::PathMtu::k1024;
    ReductionWorld sim(std::move(options));
    sim.add_group({.ranks = first_hosts(8)});
    std::vector<std::uint32_t> requests;
    for (int i = 0; i < 30; ++i) {
      requests.push_back(sim.add({.count = 4096, .data_type = verbs::DataType::kInt32}, fill_int32));
    }
    EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "") << one_in;
    ASSERT_EQ(sim.check_all_succeeded(), "") << one_in;
    for (const std::uint32_t request : requests) {
      for (std::uint32_t host = 0; host < 8; ++host) {
        EXPECT_EQ(int32s(sim.destination(host, request)), expected_sum(8, 4096));
      }
    }
    std::uint64_t repeated = 0;
    for (std::uint32_t i = 0; i < sim.world().graph().endpoints; ++i) {
      repeated += sim.world().nic(EndpointId(i)).connections().retransmissions;
    }
    EXPECT_GT(repeated, 0U) << one_in;
  }
}

TEST(InNetworkReduction, RepeatsExactly) {
  const auto last_of = [](std::uint64_t seed) {
    ReductionWorldOptions options = reduction_world(leaves_and_spines(3, 4, 2));
    options.seed = seed;
    options.carries_bytes = false;
    ReductionWorld sim(std::move(options));
    sim.add_group({.ranks = first_hosts(12)});
    sim.add_group({.ranks = {0, 4, 8}});
    for (std::uint32_t i = 0; i < 60; ++i) {
      sim.add({.group = i % 2, .count = 2000});
    }
    sim.run();
    EXPECT_EQ(sim.check_all_succeeded(), "");
    return std::pair(sim.last_completion(), sim.world().events());
  };
  EXPECT_EQ(last_of(1), last_of(1));
}

TEST(InNetworkReduction, TakesTheSameTimeWithAndWithoutBytes) {
  const auto last_of = [](bool carries_bytes) {
    ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 4, 2));
    options.carries_bytes = carries_bytes;
    ReductionWorld sim(std::move(options));
    sim.add_group({.ranks = first_hosts(8)});
    for (std::uint32_t i = 0; i < 40; ++i) {
      sim.add({.count = 4096});
    }
    sim.run();
    EXPECT_EQ(sim.check_all_succeeded(), "");
    return sim.last_completion();
  };
  EXPECT_EQ(last_of(true), last_of(false));
}

}  // namespace
}  // namespace weft::testing
