// Every collective and algorithm over real engines, with real bytes: each rank must have the right numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workload/collective_world.h"

namespace weft::testing {
namespace {

using workload::CollectiveAlgorithm;
using workload::CollectiveKind;

struct Algorithm {
  CollectiveKind kind;
  CollectiveAlgorithm algorithm;
  bool powers_of_two = false;
  bool equal_groups = false;
  bool equal_parts = false;
  bool domains_only = false;  // one domain with a reducer
};

constexpr Algorithm kAll[] = {
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kHalvingDoubling, true},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kHierarchical, false, true},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kInNetwork, false, false, false, true},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kNvlsTree, false, true},
    {CollectiveKind::kAllReduce, CollectiveAlgorithm::kAutomatic},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kRing},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kHierarchical, false, true},
    {CollectiveKind::kReduceScatter, CollectiveAlgorithm::kInNetwork, false, false, false, true},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kRing},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kHierarchical, false, true},
    {CollectiveKind::kAllGather, CollectiveAlgorithm::kRecursiveDoubling, true},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kRing},
    {CollectiveKind::kBroadcast, CollectiveAlgorithm::kTree},
    {CollectiveKind::kReduce, CollectiveAlgorithm::kRing},
    {CollectiveKind::kReduce, CollectiveAlgorithm::kTree},
    {CollectiveKind::kReduce, CollectiveAlgorithm::kInNetwork, false, false, false, true},
    {CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect, false, false, true},
    {CollectiveKind::kAllToAll, CollectiveAlgorithm::kHierarchical, false, true, true},
    {CollectiveKind::kSend, CollectiveAlgorithm::kDirect},
    {CollectiveKind::kBarrier, CollectiveAlgorithm::kDirect},
};

/// Whether these ranks can run it; `elements` is made to suit.
bool suits(const Algorithm& algorithm, CollectiveCase& one) {
  if (algorithm.powers_of_two && (one.ranks & (one.ranks - 1)) != 0)
    return false;
  if (algorithm.equal_groups && one.domain > 0 && one.ranks % one.domain != 0)
    return false;
  if (algorithm.domains_only && (one.domain == 0 || one.ranks > one.domain))
    return false;
  if (algorithm.equal_parts)
    one.elements -= one.elements % one.ranks;
  one.kind = algorithm.kind;
  one.algorithm = algorithm.algorithm;
  one.root = one.ranks / 2;
  return true;
}

void expect_all_right(const CollectiveCase& base) {
  for (const Algorithm& algorithm : kAll) {
    CollectiveCase one = base;
    if (suits(algorithm, one))
      expect_right(one);
    if (::testing::Test::HasFailure())
      return;
  }
}

// Chunks of 64 bytes in buffers of four: edges stop and go on in the middle of a buffer, and owe credits meanwhile.
TEST(CollectiveSums, AreRightWithFewConnectionsAtATime) {
  for (const std::uint32_t queue_pairs : {1U, 3U}) {
    for (const workload::QueuePairUse use : {workload::QueuePairUse::kRoundRobin, workload::QueuePairUse::kSplit,
                                             workload::QueuePairUse::kLeastOutstanding}) {
      CollectiveCase base{.ranks = 9, .elements = 9 * 37};
      base.options.connections = 2;
      base.options.queue_pairs = queue_pairs;
      base.options.queue_pair_use = use;
      expect_all_right(base);
      base.domain = 3;
      expect_all_right(base);
    }
  }
}

TEST(CollectiveSums, AreRightWithFewConnectionsOverAndOverAndWithLosses) {
  for (const CollectiveKind kind : {CollectiveKind::kAllToAll, CollectiveKind::kAllReduce}) {
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      CollectiveCase one{.kind = kind,
                         .algorithm = CollectiveAlgorithm::kDirect,
                         .ranks = 8,
                         .elements = 8 * 41,
                         .iterations = 5,
                         .loss = seed == 0 ? 0U : 30U,
                         .seed = seed};
      one.options.connections = 2;
      expect_right(one);
    }
  }
}

TEST(CollectiveSums, AreRightForAnyNumberOfRanksWithoutScaleUp) {
  for (std::uint32_t ranks = 1; ranks <= 33; ++ranks)
    expect_all_right({.ranks = ranks, .elements = 301});
}

TEST(CollectiveSums, AreRightForAnyDomains) {
  for (const auto& [ranks, domain] :
       {std::pair{2U, 2U}, {4U, 2U}, {8U, 8U}, {8U, 4U}, {12U, 4U}, {9U, 3U}, {10U, 4U}, {33U, 11U}})
    expect_all_right({.ranks = ranks, .domain = domain, .elements = 301});
}

TEST(CollectiveSums, AreRightForAnySize) {
  for (const std::uint64_t elements : {0U, 1U, 5U, 16U, 1'000U}) {
    expect_all_right({.ranks = 6, .elements = elements});
    expect_all_right({.ranks = 8, .domain = 4, .elements = elements});
  }
}

TEST(CollectiveSums, AreRightForSeveralChannelsAndQueuePairs) {
  for (const auto use : {workload::QueuePairUse::kRoundRobin, workload::QueuePairUse::kSplit,
                         workload::QueuePairUse::kLeastOutstanding}) {
    CollectiveCase one{.ranks = 8, .domain = 4, .elements = 2'001};
    one.options.channels = 3;
    one.options.queue_pairs = 3;
    one.options.queue_pair_use = use;
    one.options.chunk = Bytes(256);
    one.options.buffer = Bytes(768);
    expect_all_right(one);
  }
}

TEST(CollectiveSums, AreRightWithReducersInTheDomains) {
  for (const auto& [ranks, domain] : {std::pair{4U, 2U}, {8U, 4U}, {12U, 4U}, {8U, 8U}}) {
    CollectiveCase one{
        .algorithm = CollectiveAlgorithm::kHierarchical, .ranks = ranks, .domain = domain, .elements = 777};
    one.options.domain_reduction = workload::DomainReduction::kInNetwork;
    expect_right(one);
    one.kind = CollectiveKind::kReduceScatter;
    expect_right(one);
  }
}

TEST(CollectiveSums, AreRightInIntegersAndFloats) {
  for (const auto type : {verbs::DataType::kInt32, verbs::DataType::kFloat32}) {
    CollectiveCase one{.ranks = 6, .domain = 3, .elements = 100};
    one.options.data_type = type;
    expect_all_right(one);
  }
}

TEST(CollectiveSums, AreRightWithLossAndSlowAdding) {
  for (const auto& [ranks, domain] :
       {std::pair{1U, 0U}, {2U, 0U}, {5U, 0U}, {16U, 0U}, {33U, 0U}, {8U, 4U}, {8U, 8U}, {33U, 11U}}) {
    CollectiveCase one{.ranks = ranks, .domain = domain, .elements = 500, .loss = 50};
    one.options.reduce_rate = 1_gbps;
    one.options.queue_pairs = 2;
    expect_all_right(one);
  }
}

// Where packets are lost, lanes of one channel get steps ahead of those of another.
TEST(CollectiveSums, AreRightWhenLossSetsChannelsApart) {
  for (const std::uint32_t channels : {2U, 3U, 4U}) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      CollectiveCase one{.ranks = 16, .elements = 1'201, .loss = 50, .seed = seed};
      one.options.channels = channels;
      one.options.reduce_rate = 1_gbps;
      expect_all_right(one);
      ASSERT_FALSE(::testing::Test::HasFailure());
    }
  }
}

TEST(CollectiveSums, AreRightWhenSendersWaitToBeCleared) {
  for (const std::uint32_t window : {1U, 2U, 4U}) {
    for (const auto& [ranks, domain] : {std::pair{1U, 0U}, {2U, 0U}, {5U, 0U}, {16U, 0U}, {8U, 4U}, {9U, 3U}}) {
      CollectiveCase one{.ranks = ranks, .domain = domain, .elements = 500};
      one.options.clear_to_send = window;
      one.options.queue_pairs = 2;
      one.loss = 50;
      expect_all_right(one);
      one.loss = 0;
      one.options.channels = 2;
      one.options.queue_pair_use = workload::QueuePairUse::kSplit;
      expect_all_right(one);
      one.options.queue_pair_use = workload::QueuePairUse::kLeastOutstanding;
      one.loss = 50;
      expect_all_right(one);
    }
  }
}

TEST(CollectiveSums, AreRightOneAfterTheOtherWithoutABarrier) {
  for (const Algorithm& algorithm : kAll) {
    const bool repeats = algorithm.kind == CollectiveKind::kAllReduce || algorithm.kind == CollectiveKind::kBroadcast ||
                         algorithm.kind == CollectiveKind::kAllToAll;
    for (const std::uint32_t domain : {0U, 4U}) {
      CollectiveCase one{.ranks = 4, .domain = domain, .elements = 200, .iterations = 3, .loss = 40};
      one.options.data_type = verbs::DataType::kInt32;
      if (!repeats || !suits(algorithm, one))
        continue;
      expect_right(one);
      one.options.clear_to_send = 2;
      expect_right(one);
    }
  }
}

}  // namespace
}  // namespace weft::testing
