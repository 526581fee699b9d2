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

TEST(NetworkClaims, EachRoundOfMetricAndChangeGains) {
  const JudgedClaim claim("feedback-loop");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_LT(claim.figure("queue_pairs"), claim.figure("start"));
  EXPECT_LT(claim.figure("marking"), claim.figure("queue_pairs"));
  EXPECT_LT(claim.figure("spraying"), claim.figure("marking"));
  EXPECT_LT(claim.figure("placement"), claim.figure("spraying"));
  // 31 of 32 parts of 16 MiB leave each host, at 400 Gb/s.
  EXPECT_GT(claim.figure("placement"), 16.0 * 1'048'576 * 31 / 32 * 8 / 400e9 * 1e3);
  // In a ring of four racks that is packed, one host of each rack sends to another rack.
  EXPECT_NEAR(claim.figure("crossed_placement"), 4.0 / 32, 0.01);
}

TEST(NetworkClaims, AManagerBringsUpWhatOpensmWouldAskAndDivides) {
  const JudgedClaim claim("subnet-manager");
  EXPECT_EQ(claim.verdict(), "holds");
  // As many requests as OpenSM 3.3.23 sends (docs/decisions/0070).
  EXPECT_EQ(claim.figure("small_requests"), 396);
  EXPECT_EQ(claim.figure("large_requests"), 14'870);
  // Its one thread takes 5 us for each answer. A request's place is free when its answer arrives: one at a time, the
  // next agent's 20 us begin while the manager still handles the answer before.
  EXPECT_GT(claim.figure("large"), 14'870 * 5e-3);
  EXPECT_GT(claim.figure("one_at_a_time"), 396 * 20e-3);
  EXPECT_GT(claim.figure("lanes_requests"), claim.figure("small_requests"));
  EXPECT_GT(claim.figure("open_accepted"), 0);
  EXPECT_EQ(claim.figure("closed_accepted"), 0);
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

TEST(NetworkClaims, NotificationsWithTheDataMakeMorePausesAndALongerMedian) {
  const JudgedClaim claim("cnp-class");
  for (const char* const load : {"moderate", "crowded", "crowded, long"}) {
    EXPECT_GT(claim.figure(std::string("pauses_ratio_") + load), 1.3) << load;
    EXPECT_GT(claim.figure(std::string("median_ratio_") + load), 1.05) << load;
    EXPECT_EQ(claim.run(std::string(load) + ", data 1")["network"]["drops"]["total"], 0) << load;
  }
}

TEST(NetworkClaims, RingsInRackOrderLoseTheirHeadersAlone) {
  const JudgedClaim claim("throughput-at-scale");
  EXPECT_EQ(claim.verdict(), "holds when");
  constexpr double kHeaders = 1 - (4096 / (4096 + 82.0)) / (4096 / (4096 + 26.0));
  constexpr double kAnswers = 0.015;  // acknowledgements are longer too, and steps wait for one another
  EXPECT_NEAR(claim.figure("lower_8"), kHeaders, kAnswers);
  EXPECT_NEAR(claim.figure("lower_64"), claim.figure("lower_8"), 0.01);
  EXPECT_GT(claim.figure("rocev2_spray_64_scattered"), 2 * claim.figure("rocev2_64_scattered"));
  EXPECT_LT(claim.figure("infiniband_64_scattered"), claim.figure("infiniband_64"));
}

TEST(PathClaims, TheHashBlocksWhereTheCablesDoNot) {
  const JudgedClaim claim("fat-tree-ecmp");
  EXPECT_EQ(claim.verdict(), "does not hold");
  EXPECT_GT(claim.figure("spray_any_order"), 0.95 * claim.figure("one_switch"));
  // Neither other NICs nor other rates bring a hash past what fair sharing of random paths gives.
  for (const char* const change : {"ecmp", "ecmp_dcqcn", "ecmp_any_order"}) {
    EXPECT_LT(claim.figure(change), claim.figure("max_min_of_random_hashes") + 0.02) << change;
    EXPECT_GT(claim.figure(change), 0.8 * claim.figure("max_min_of_random_hashes")) << change;
  }
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
  EXPECT_LT(claim.figure("spray"), claim.figure("sixteen_queue_pairs"));
  EXPECT_LT(claim.figure("one_switch"), claim.figure("spray"));
}

TEST(PathClaims, PerPacketPathsBeatHashesWhereNicsTakeAnyOrder) {
  const JudgedClaim claim("per-packet-adaptive");
  for (const char* const way : {"rocev2_spray", "rocev2_adaptive", "product", "infiniband_adaptive"}) {
    EXPECT_GT(claim.figure(way), 0.9) << way;
  }
  EXPECT_GT(claim.figure("rocev2_adaptive_slowest"), 0.88);
  EXPECT_GT(claim.figure("slow_link_adaptive"), claim.figure("slow_link_spray"));
}

TEST(PathClaims, ANicThatWantsOrderAsksForWhatMerelyCameLate) {
  const JudgedClaim claim("nic-reorder");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_EQ(claim.run("go-back-n 1")["network"]["drops"]["total"], 0);
  EXPECT_GT(claim.figure("sent_again_in_order"), 0.5);
  EXPECT_EQ(claim.figure("sent_again_any_order"), 0);
  EXPECT_GT(claim.figure("ecmp_in_order"), claim.figure("in_order"));
  EXPECT_GT(claim.figure("any_order"), 0.92);
}

TEST(PathClaims, WithOrderAPathForEachFlowIsLeft) {
  const JudgedClaim claim("in-order-hampers");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_LT(claim.figure("spray_in_order"), claim.figure("ecmp_in_order"));
  EXPECT_GT(claim.figure("spray_any_order"), claim.figure("ecmp_any_order"));
  EXPECT_NEAR(claim.figure("ecmp_any_order"), claim.figure("ecmp_in_order"), 0.02);
}

TEST(PathClaims, NoProtocolMakesTwoFlowsOnALinkFaster) {
  const JudgedClaim claim("upper-layer-not-enough");
  for (const char* const protocol : {"no-control", "dcqcn", "swift", "hpcc", "window", "selective-repeat"}) {
    EXPECT_LT(claim.figure(protocol), 0.7 * claim.figure("adaptive")) << protocol;
  }
  EXPECT_GT(claim.figure("entropy"), 1.3 * claim.figure("no-control"));
}

TEST(PathClaims, TheChoiceOfPathsCountsForMoreThanTheFamilyAsClustersGrow) {
  const JudgedClaim claim("adaptive-routing-scale");
  EXPECT_EQ(claim.verdict(), "holds when");
  EXPECT_GT(claim.figure("infiniband-ar"), 1.25 * claim.figure("infiniband"));
  EXPECT_GT(claim.figure("rocev2-spray"), 1.5 * claim.figure("rocev2"));
  EXPECT_NEAR(claim.figure("rocev2-spray"), claim.figure("infiniband-ar"), 0.05);
}

}  // namespace
}  // namespace weft::test
