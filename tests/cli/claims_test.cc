// The scenarios of examples/claims/ run as `weft claims` runs them, and their figures say what docs and comments claim
// of them. Verdicts are computed from figures: src/study/claims/ has the tests of that.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/judged_claim.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;
constexpr double kGbps = 1e9;

using Claim = JudgedClaim;

class Ladder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Claim claim("latency-ladder");
    EXPECT_EQ(claim.verdict(), "holds when");
    for (const Json& rung : claim.json()["ladder"]) {
      rungs()[rung["profile"]][rung["fabric"]] = rung;
    }
  }
  static std::map<std::string, std::map<std::string, Json>>& rungs() {
    static std::map<std::string, std::map<std::string, Json>> all;
    return all;
  }
  static double us(const std::string& profile, const std::string& fabric) {
    return rungs()[profile][fabric]["latency_us"].get<double>();
  }
};

TEST_F(Ladder, HasEveryFabricInBothProfilesAndStagesThatAddUp) {
  for (const std::string profile : {"component", "as-quoted"}) {
    ASSERT_EQ(rungs()[profile].size(), 6U) << profile;
    for (const auto& [fabric, rung] : rungs()[profile]) {
      double sum = 0;
      for (const Json& stage : rung["stages"]) {
        sum += stage["us"].get<double>();
      }
      EXPECT_NEAR(sum, rung["latency_us"].get<double>(), 1e-9) << fabric;
      EXPECT_NEAR(rung["ratio_to_tcp"].get<double>() * us(profile, "tcp"), us(profile, fabric), 1e-9);
    }
  }
}

TEST_F(Ladder, InfiniBandIsBelowRoceBelowBusyPollingBelowTcp) {
  for (const std::string profile : {"component", "as-quoted"}) {
    EXPECT_LT(us(profile, "infiniband"), us(profile, "rocev2")) << profile;
    EXPECT_LT(us(profile, "rocev2"), us(profile, "tcp-busy-poll")) << profile;
    EXPECT_LT(us(profile, "tcp-busy-poll"), us(profile, "tcp")) << profile;
  }
}

TEST_F(Ladder, UnfittedComponentsGiveThePublishedBudgets) {
  const auto within = [](const std::string& fabric, double low, double high) {
    EXPECT_GE(us("component", fabric), low) << fabric;
    EXPECT_LE(us("component", fabric), high) << fabric;
  };
  within("infiniband", 1.0, 1.6);
  within("rocev2", 1.4, 2.5);
  within("tcp", 25, 50);
  within("tcp-busy-poll", 8, 12);
  for (const auto& [fabric, rung] : rungs()["component"]) {
    for (const Json& stage : rung["stages"]) {
      EXPECT_NE(stage["mark"], "calibrated") << fabric << ' ' << stage["name"];
    }
  }
}

TEST_F(Ladder, TheQuotedFiguresComeOutWithCalibratedStagesThatAreMarked) {
  const std::map<std::string, double> quoted{{"tcp", 50}, {"rocev2", 5}, {"infiniband", 2}};
  for (const auto& [fabric, figure] : quoted) {
    EXPECT_NEAR(us("as-quoted", fabric), figure, figure * 0.1) << fabric;
    bool calibrated = false;
    for (const Json& stage : rungs()["as-quoted"][fabric]["stages"]) {
      calibrated = calibrated || stage["mark"] == "calibrated";
    }
    EXPECT_TRUE(calibrated) << fabric;
  }
}

TEST(Claims, OneProgramRunsOnEveryFamily) {
  const Claim claim("one-api");
  for (const char* family : {"infiniband", "rocev2", "rocev1", "iwarp", "tcp"}) {
    EXPECT_EQ(claim.run(family)["fabric"], family);
    EXPECT_EQ(claim.run(family)["end"], "finished");
  }
}

TEST(Claims, OnlyFamiliesWithAnIpHeaderAreRouted) {
  const Claim claim("routable");
  EXPECT_EQ(claim.verdict(), "holds");
  EXPECT_EQ(claim.json()["runs"].size(), 3U);
  std::map<std::string, std::string> refused;
  for (const Json& one : claim.json()["refused"]) {
    refused[one["case"]] = one["reason"];
  }
  EXPECT_EQ(refused["rocev1"].rfind("traffic 'across': rocev1 cannot leave one layer-2 domain", 0), 0U);
  EXPECT_EQ(refused["infiniband"].rfind("traffic 'across': infiniband cannot leave one subnet", 0), 0U);
}

TEST(Claims, RoceV1HasPausesAloneAndItsVictimSuffers) {
  const Claim claim("rocev1-limits");
  EXPECT_EQ(claim.run("rocev1")["network"]["drops"]["total"], 0);
  EXPECT_GT(claim.run("rocev1")["network"]["pause_frames"], 0);
  EXPECT_GT(claim.goodput("rocev2", "victim"), 2 * claim.goodput("rocev1", "victim"));
}

// Random loss: CUBIC takes it for congestion, go-back-N sends a round trip again for each packet.
TEST(Claims, LossSlowsIwarpAsItsModelSaysAndGoBackNMoreThanSelectiveRepeat) {
  const Claim claim("iwarp-loss");
  for (const char* family : {"iwarp", "tcp", "rocev2", "rocev2-selective"}) {
    EXPECT_GT(claim.goodput(fmt::format("{} 0", family)), 90 * kGbps) << family;
  }
  // RFC 9438, section 5.2: below this rate CUBIC does as standard TCP does, whose window is sqrt(1.5 / p) segments.
  constexpr double kSegmentBits = 4'000 * 8;
  constexpr double kRoundTrip = 2 * 2 * 5e-6 + 2.5e-6;  // two cables of 1 km each way, switch and NICs
  constexpr double kFactor = 2.5;
  for (const char* family : {"iwarp", "tcp"}) {
    const double model = kSegmentBits / kRoundTrip * std::sqrt(1.5 / 1e-2);
    const double measured = claim.goodput(fmt::format("{} 1%", family));
    EXPECT_GT(measured, model / kFactor) << family;
    EXPECT_LT(measured, model * kFactor) << family;
  }
  // Each loss throws away what is sent in a round trip.
  constexpr double kPacketBits = 4'178 * 8;
  const double window = 100e9 * kRoundTrip / kPacketBits;
  EXPECT_NEAR(claim.goodput("rocev2 1%") / claim.goodput("rocev2 0"), 1 / (1 + 1e-2 * window), 0.1);
  EXPECT_LT(claim.goodput("rocev2 1%"), 0.65 * claim.goodput("rocev2 0"));
  EXPECT_GT(claim.goodput("rocev2-selective 1%"), 0.85 * claim.goodput("rocev2-selective 0"));
  // A message at a time: the last packet's loss is found by a timeout of 67 ms alone, one message in a hundred.
  EXPECT_LT(claim.goodput("rocev2 short 1%"), 64 * 1024 * 8 / (1e-2 * 67e-3) * 1.5);
  EXPECT_GT(claim.goodput("iwarp short 1%"), 5 * claim.goodput("rocev2 short 1%"));
  EXPECT_GT(claim.goodput("rocev2-selective short 1%"), 10 * claim.goodput("rocev2 short 1%"));
}

TEST(Claims, IwarpHoldsBuffersForEveryConnectionAndRcNone) {
  const Claim claim("iwarp-memory");
  for (const int connections : {1, 100, 1'000, 10'000}) {
    for (const std::string family : {"iwarp", "rocev2"}) {
      const Json& pairs = claim.run(fmt::format("{}-{}", family, connections))["network"]["queue_pairs"];
      EXPECT_EQ(pairs["count"], 2 * connections);
      EXPECT_EQ(pairs["buffer_bytes"].get<std::int64_t>() > 0, family == "iwarp");
    }
    const auto state = [&](const char* family) {
      const Json& pairs = claim.run(fmt::format("{}-{}", family, connections))["network"]["queue_pairs"];
      return pairs["state_bytes"].get<std::int64_t>();
    };
    EXPECT_GT(state("iwarp"), state("rocev2")) << connections;
  }
}

TEST(Claims, AnIncastMakesIwarpLosePacketsWhereOthersWait) {
  const Claim claim("iwarp-tcp-flow-control");
  EXPECT_GT(claim.run("iwarp")["network"]["drops"]["total"], 0);
  EXPECT_EQ(claim.run("rocev2")["network"]["drops"]["total"], 0);
  EXPECT_EQ(claim.run("infiniband")["network"]["drops"]["total"], 0);
  EXPECT_LT(claim.goodput("iwarp"), claim.goodput("infiniband"));
}

TEST(Claims, ClassesKeepTcpAndRoceApart) {
  const Claim claim("roce-mixed");
  const double alone = claim.goodput("rdma-alone", "rdma");
  EXPECT_GT(alone, 90 * kGbps);
  EXPECT_GT(claim.goodput("tcp-alone", "tcp"), 90 * kGbps);
  // The scheduler gives both classes the same weight.
  EXPECT_NEAR(claim.goodput("by-class", "rdma"), alone / 2, alone / 10);
  EXPECT_NEAR(claim.goodput("by-class", "tcp"), alone / 2, alone / 10);
  EXPECT_EQ(claim.run("by-class")["network"]["sequence_naks"], 0);
  // In one class that drops, go-back-N waits for its timeouts.
  EXPECT_LT(claim.goodput("one-class", "rdma"), claim.goodput("by-class", "rdma") / 10);
  EXPECT_GT(claim.goodput("one-class", "tcp"), 0.8 * claim.goodput("tcp-alone", "tcp"));
}

TEST(Claims, RdmaRunsAtTheRateOfTheLineWithoutTheCpuThatTcpNeeds) {
  const Claim claim("rdma-no-cpu");
  const auto cores = [&](const char* name) {
    return claim.run(name)["network"]["cpu"]["cores_per_gbps"].get<double>();
  };
  // One core copies and processes about 40 Gb/s.
  EXPECT_GT(claim.goodput("tcp"), 30 * kGbps);
  EXPECT_LT(claim.goodput("tcp"), 55 * kGbps);
  for (const char* family : {"rocev2", "infiniband", "iwarp"}) {
    EXPECT_GT(claim.goodput(family), 94 * kGbps) << family;
    EXPECT_LT(cores(family), cores("tcp") / 50) << family;
  }
}

TEST(Claims, AMessageOverSocketsTakesMoreStagesThanABounceAndThatMoreThanGpuDirect) {
  const Claim claim("host-copies");
  std::map<std::string, std::size_t> stages;
  for (const Json& rung : claim.json()["ladder"]) {
    stages[rung["fabric"]] = rung["stages"].size();
  }
  EXPECT_GT(stages["tcp"], stages["gpudirect"]);
  EXPECT_GT(claim.latency("sockets"), claim.latency("bounce"));
  EXPECT_GT(claim.latency("bounce"), claim.latency("gpudirect"));
}

TEST(Claims, ABounceCostsTwoLaunchesForAShortMessageAndBandwidthForALongOne) {
  const Claim claim("gpudirect");
  constexpr double kLaunch = 6.5e-6;
  const double extra = claim.latency("bounce", "short") - claim.latency("gpudirect", "short");
  EXPECT_GT(extra, 2 * kLaunch - 1e-6);
  EXPECT_LT(extra, 2 * kLaunch + 2e-6);
  EXPECT_GT(claim.goodput("gpudirect", "long"), 380 * kGbps);
  // PCI Express 3.0 x16 carries 12 to 13 GB/s.
  EXPECT_GT(claim.goodput("gpudirect-gen3", "long"), 96 * kGbps);
  EXPECT_LT(claim.goodput("gpudirect-gen3", "long"), 105 * kGbps);
  EXPECT_LT(claim.goodput("bounce-gen3", "long"), claim.goodput("gpudirect-gen3", "long"));
  // Across root complexes.
  EXPECT_LE(claim.goodput("gpudirect-far", "long"), 40 * kGbps);
  EXPECT_GT(claim.latency("gpudirect-far", "short"), claim.latency("gpudirect", "short"));
}

Json tier_of(const Json& run, const std::string& name) {
  for (const Json& tier : run["tiers"]) {
    if (tier["name"] == name) {
      return tier;
    }
  }
  ADD_FAILURE() << "no tier " << name;
  return {{"sent_bytes", 0}, {"wire_time_s", 0.0}};
}

TEST(Claims, TwoTiersCarryWhatTheHierarchyGivesEachAndTakeTheTimeOfTheSlower) {
  const Claim claim("scale-up-out");
  const auto time = [&](const char* name) {
    return claim.job(name, "all-reduce")["collective_s"]["max"].get<double>();
  };
  constexpr double kSize = 64 << 20;
  constexpr double kGpus = 16;
  // Reduce-scatter and all-gather over the 8 of a host; an all-reduce of an eighth over 2 hosts on every rail.
  constexpr double kInside = kGpus * 2 * 7 / 8 * kSize;
  constexpr double kBetween = kGpus * kSize / 8;
  for (const char* const name : {"two-tiers", "two-tiers-rocev2"}) {
    const Json inside = tier_of(claim.run(name), "scale-up");
    const Json between = tier_of(claim.run(name), "scale-out");
    // Of NVLink's rate 82.4 % is payload; headers, acknowledgements and credits of chunks are 1 to 4 % of a network.
    EXPECT_NEAR(inside["sent_bytes"].get<double>() * 0.824, kInside, 0.01 * kInside) << name;
    EXPECT_GT(between["sent_bytes"].get<double>(), kBetween) << name;
    EXPECT_LT(between["sent_bytes"].get<double>(), 1.05 * kBetween) << name;
    const double slower = std::max(inside["wire_time_s"].get<double>(), between["wire_time_s"].get<double>());
    EXPECT_GE(time(name), slower) << name;
    EXPECT_LE(time(name), 1.05 * slower) << name;
  }
  // What the inner tier saves the outer one: 2 x 15/16 of the vector per NIC in place of 1/8.
  EXPECT_GT(time("network-alone"), 7 * time("two-tiers"));
  EXPECT_GT(time("network-alone"), 1.8 * time("two-tiers-ualink"));
  // Over PCI Express the inner tier is the slow one, and little is gained.
  EXPECT_GT(time("two-tiers-pcie"), 0.8 * time("network-alone"));
  EXPECT_LT(time("two-tiers-pcie"), time("network-alone"));
}

TEST(Claims, APoolAddsCapacityAndCostsLatencyAndBandwidthAndLoadsAndStoresAvoidCopies) {
  const Claim claim("memory-pooling");
  for (const char* const name : {"nvlink4", "nvlink5", "ualink", "pcie5"}) {
    const Json& shared = claim.run(name)["scale_up"];
    EXPECT_EQ(shared["capacity_gained_bytes"].get<std::int64_t>(), std::int64_t{2} << 40) << name;
    std::uint64_t copies = 0;
    for (const Json& access : shared["accesses"]) {
      copies += access["copies_avoided"].get<std::uint64_t>();
      // A GPU's own memory is an order of magnitude faster than any other's, but for NVLink 5.
      EXPECT_LT(access["share_of_own_memory"].get<double>(), 0.25) << name;
    }
    EXPECT_EQ(copies, 2U * (10 + 1 + 10 + 1)) << name;
    // A controller's 150 ns on the way in and on the way out.
    EXPECT_NEAR(claim.latency(name, "pool-short") - claim.latency(name, "peer-short"), 300e-9, 5e-9) << name;
    // Two launches of copies are what the copied message takes longer.
    EXPECT_GT(claim.latency(name, "copied-short"), claim.latency(name, "peer-short") + 2 * 5e-6) << name;
    EXPECT_GT(claim.goodput(name, "peer-long"), claim.goodput(name, "copied-long")) << name;
    EXPECT_GE(claim.goodput(name, "peer-long") * 1.001, claim.goodput(name, "pool-long")) << name;
  }
  // 1 TiB in each of 2 domains of 8 GPUs of 80 GB.
  EXPECT_NEAR(claim.run("nvlink4")["scale_up"]["capacity_gained_share"].get<double>(), 1.718, 0.001);
}

}  // namespace
}  // namespace weft::test
