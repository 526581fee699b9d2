// Claims on packets, losslessness, faults and paths: their scenarios run, and verdicts and figures say what the files
// claim.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/judged_claim.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;

TEST(NetworkClaims, CreditsLoseNothingUntilALifetimeEnds) {
  const JudgedClaim claim("credit-lossless");
  EXPECT_EQ(claim.verdict(), "holds when");
  for (const char* const load : {"incast", "small-buffers", "oversubscribed"}) {
    EXPECT_EQ(claim.run(load)["network"]["drops"]["total"], 0) << load;
    EXPECT_GT(claim.run(load)["network"]["credit_stall_s"], 0.0) << load;
  }
  EXPECT_GT(claim.run("rocev2-untuned")["network"]["drops"]["total"], 0);
}

TEST(NetworkClaims, CuttingThroughIsTheSameForBothFamiliesOnEqualHardware) {
  const JudgedClaim claim("cut-through");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_EQ(claim.origin(), "from the catalogue");
  // A packet of 4 KiB, and what its family puts around it, is stored once for each switch: 4,138 and 4,178 B at 100
  // Gb/s.
  EXPECT_NEAR(claim.figure("infiniband_stored") - claim.figure("infiniband_4_kib"), 4'138 * 0.08, 4);
  EXPECT_NEAR(claim.figure("rocev2_stored") - claim.figure("rocev2_4_kib"), 4'178 * 0.08, 6);
  // The equal switch's 300 ns and 30 m of cable.
  EXPECT_NEAR(claim.figure("infiniband_64_bytes"), 450, 2);
}

TEST(NetworkClaims, QueuesMakeJitterAndHostsAddTheSameToBothFamilies) {
  const JudgedClaim claim("jitter");
  EXPECT_LT(claim.figure("infiniband_idle"), 0.1);
  EXPECT_NEAR(claim.figure("infiniband_host"), claim.figure("rocev2_host"), 0.1);
  EXPECT_GT(claim.figure("rocev2_mean"), claim.figure("infiniband_mean"));
}

TEST(NetworkClaims, HeadersCostWhatTheyAreLong) {
  const JudgedClaim claim("encapsulation");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_EQ(claim.origin(), "emerges");
  for (const int mtu : {256, 1024, 4096}) {
    const double roce = mtu / (mtu + 82.0);
    const double infiniband = mtu / (mtu + 26.0);
    EXPECT_NEAR(claim.figure("lost_at_" + std::to_string(mtu)), 1 - roce / infiniband, 0.004) << mtu;
  }
}

TEST(NetworkClaims, PausesLoseNothingAndMarksSpareThem) {
  const JudgedClaim claim("pfc-ecn-dcqcn");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_GT(claim.figure("drops_nothing"), claim.figure("drops_ecn_dcqcn"));
  EXPECT_GT(claim.figure("drops_ecn_dcqcn"), 0);
  EXPECT_EQ(claim.figure("drops_pfc"), 0);
  EXPECT_LT(claim.run("pfc-ecn-dcqcn")["network"]["pause_frames"], claim.run("pfc")["network"]["pause_frames"]);
}

TEST(NetworkClaims, LosslessNetworksHaveVictimsAndInARingADeadlock) {
  const JudgedClaim claim("pfc-limits");
  EXPECT_EQ(claim.verdict(), "holds when");
  EXPECT_EQ(claim.figure("ring"), 0);
  EXPECT_EQ(claim.figure("ring_infiniband"), 0);
  EXPECT_GT(claim.figure("ring_watchdog"), 0);
  ASSERT_EQ(claim.json()["refused"].size(), 1U);
  EXPECT_NE(claim.json()["refused"][0]["reason"].get<std::string>().find("cannot hold"), std::string::npos);
}

TEST(NetworkClaims, RoutesThatComeAfterTheRetriesComeTooLate) {
  const JudgedClaim claim("fault-recovery", "", JudgedClaim::Failures::kExpected);
  // 5 s for a sweep, seven retries of 67 ms.
  EXPECT_GT(claim.figure("infiniband_failed"), 0);
  EXPECT_EQ(claim.figure("rocev2_failed"), 0);
  EXPECT_LT(claim.figure("fast_infiniband"), claim.figure("equal_infiniband"));
  EXPECT_EQ(claim.origin(), "from the catalogue");
}

TEST(NetworkClaims, RingsInRackOrderLoseTheirHeadersAloneAndScatteredOnesMore) {
  const JudgedClaim claim("throughput-at-scale");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_GT(claim.figure("lower_64"), 0.005);
  EXPECT_LT(claim.figure("lower_64"), 0.05);
  EXPECT_GT(claim.figure("lower_64_scattered"), claim.figure("lower_64"));
}

TEST(PathClaims, TheHashBlocksWhereTheCablesDoNot) {
  const JudgedClaim claim("fat-tree-ecmp");
  EXPECT_EQ(claim.verdict(), "does not hold");
  EXPECT_GT(claim.figure("ideal"), 2 * claim.figure("ecmp"));
}

TEST(PathClaims, SwitchesThatHashAlikeLeaveLinksUnused) {
  const JudgedClaim claim("hash-polarisation");
  EXPECT_GT(claim.figure("polarised"), 1.5 * claim.figure("own_seeds"));
  EXPECT_GT(claim.figure("polarised_links_unused"), 0);
  EXPECT_LT(claim.figure("adaptive"), claim.figure("own_seeds"));
}

TEST(PathClaims, MoreQueuePairsSpreadARing) {
  const JudgedClaim claim("entropy");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_LT(claim.figure("ideal"), claim.figure("sixteen_queue_pairs"));
}

TEST(PathClaims, PerPacketPathsBeatHashesWhereNicsTakeAnyOrder) {
  const JudgedClaim claim("per-packet-adaptive");
  EXPECT_GT(claim.figure("rocev2_spray"), 2 * claim.figure("rocev2_ecmp"));
}

TEST(PathClaims, ANicThatWantsOrderAsksForWhatMerelyCameLate) {
  const JudgedClaim claim("nic-reorder");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_EQ(claim.run("go-back-n")["network"]["drops"]["total"], 0);
  EXPECT_GT(claim.figure("sent_again_in_order"), 2 * claim.figure("sent_again_any_order"));
  EXPECT_GT(claim.figure("in_order"), 10 * claim.figure("any_order"));
}

TEST(PathClaims, WithOrderTheHashIsLeft) {
  const JudgedClaim claim("in-order-hampers");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_GT(claim.figure("spray_in_order"), claim.figure("ecmp_in_order"));
  EXPECT_LT(claim.figure("spray_any_order"), claim.figure("ecmp_any_order"));
}

TEST(PathClaims, NoProtocolMakesTwoFlowsOnALinkFaster) {
  const JudgedClaim claim("upper-layer-not-enough");
  const double lines = 512 * 4'178 * 8 / 100e9 * 1e3;  // 2 MiB in packets of 4 KiB
  for (const char* const protocol : {"dcqcn", "selective_repeat", "window", "no_control"}) {
    EXPECT_GT(claim.figure(protocol), 1.9 * lines) << protocol;
  }
  EXPECT_LT(claim.figure("spray"), claim.figure("no_control"));
  EXPECT_LT(claim.figure("entropy"), claim.figure("no_control"));
}

TEST(PathClaims, TheChoiceOfPathsCountsForMoreThanTheFamilyAsClustersGrow) {
  const JudgedClaim claim("adaptive-routing-scale");
  EXPECT_GT(claim.figure("infiniband_adaptive"), claim.figure("infiniband_table"));
  EXPECT_GT(claim.figure("rocev2_spray"), 2 * claim.figure("rocev2_ecmp"));
}

}  // namespace
}  // namespace weft::test
