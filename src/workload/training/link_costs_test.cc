#include "workload/training/link_costs.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

constexpr ClusterLinks kLinks{.gpus_per_host = 4,
                              .scale_up = 1600_gbps,
                              .scale_up_latency = 2_us,
                              .scale_out = 200_gbps,
                              .scale_out_latency = 5_us};

CollectiveRequest request(CollectiveKind kind) { return {.kind = kind, .size = 1_gb}; }

// 1 GB is 40 ms at 200 Gb/s and 5 ms at 1,600: of n parts a host sends all but its own, twice to sum and to tell.
TEST(LeastTime, IsWhatMustLeaveAHostOrAGpu) {
  const auto least = [](const GroupSpan& group, CollectiveKind kind) {
    return least_time(kLinks, group, request(kind)).seconds();
  };
  EXPECT_DOUBLE_EQ(least({.members = 1, .hosts = 1}, CollectiveKind::kAllReduce), 0);
  EXPECT_DOUBLE_EQ(least({.members = 4, .hosts = 1}, CollectiveKind::kAllGather), 0.75 * 5e-3);
  EXPECT_DOUBLE_EQ(least({.members = 2, .hosts = 2}, CollectiveKind::kAllReduce), 2 * 0.5 * 40e-3);
  // Eight GPUs in two hosts: half leaves each host over four NICs.
  EXPECT_DOUBLE_EQ(least({.members = 8, .hosts = 2}, CollectiveKind::kReduceScatter), 0.5 * 10e-3);
}

TEST(LeastTime, IsNotAboveThatOfARing) {
  for (const GroupSpan group : {GroupSpan{.members = 2, .hosts = 1}, GroupSpan{.members = 4, .hosts = 4},
                                GroupSpan{.members = 12, .hosts = 3}, GroupSpan{.members = 8, .hosts = 4}}) {
    for (const CollectiveKind kind :
         {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
      EXPECT_LE(least_time(kLinks, group, request(kind)), collective_time(kLinks, group, request(kind)));
    }
  }
}

TEST(LinkCosts, RingsTakeTheirStepsAndShares) {
  const auto time = [&](GroupSpan group, CollectiveKind kind, Bytes size) {
    return collective_time(kLinks, group, {.kind = kind, .size = size});
  };
  EXPECT_EQ(time({.members = 4, .hosts = 1}, CollectiveKind::kAllReduce, 240_mb),
            6 * 2_us + (1600_gbps).transmit_time(360_mb));
  // Two members on each of four hosts share two NICs: 400 Gb/s; 3 of the 7 steps of half a round lead out.
  EXPECT_EQ(time({.members = 8, .hosts = 4}, CollectiveKind::kAllGather, 80_mb),
            3 * 5_us + 4 * 2_us + (400_gbps).transmit_time(70_mb));
  EXPECT_EQ(time({.members = 2, .hosts = 2}, CollectiveKind::kSend, 25_mb), 5_us + (200_gbps).transmit_time(25_mb));
  EXPECT_EQ(time({.members = 8, .hosts = 2}, CollectiveKind::kAllToAll, 80_mb),
            4 * 5_us + (200_gbps).transmit_time(40_mb));
  EXPECT_EQ(time({.members = 4, .hosts = 1}, CollectiveKind::kBroadcast, 240_mb),
            3 * 2_us + (1600_gbps).transmit_time(240_mb));
  EXPECT_EQ(time({.members = 1, .hosts = 1}, CollectiveKind::kAllReduce, 240_mb), Duration::zero());
}

}  // namespace
}  // namespace weft::workload
