#include "study/claims/claim_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "study/claims/fake_runner.h"
#include "study/claims/link_load.h"

namespace weft::study::claims {
namespace {

using testing::claim_of;
using testing::FakeRunner;

Verdict verdict_of(FakeRunner& runner, std::string_view id) {
  const Result<Finding> finding = measure(claim_of(id), runner);
  EXPECT_TRUE(finding) << (finding ? "" : finding.error().message);
  return finding ? finding->verdict : Verdict::kNotMeasured;
}

TEST(ClaimTable, EveryClaimHasANameOfItsOwnASentenceAndArticlesThatAreListed) {
  std::set<std::string_view> ids;
  std::set<char> letters;
  for (const Article& article : articles()) {
    letters.insert(article.letter);
  }
  for (const Claim& claim : claim_table()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    EXPECT_FALSE(claim.statement.empty()) << claim.id;
    EXPECT_FALSE(claim.articles.empty()) << claim.id;
    for (const char letter : claim.articles) {
      EXPECT_TRUE(letters.contains(letter)) << claim.id;
    }
  }
}

TEST(ClaimTable, AClaimIsMeasuredOrSaysWhatIsMissing) {
  for (const Claim& claim : claim_table()) {
    EXPECT_EQ(claim.measure != nullptr, claim.basis != Basis::kNothing) << claim.id;
    EXPECT_EQ(claim.missing.empty(), claim.basis == Basis::kScenario) << claim.id;
  }
}

TEST(ClaimTable, WithoutAComparisonItsClaimsAreNotMeasured) {
  FakeRunner runner;
  for (const Claim& claim : claim_table()) {
    if (claim.basis == Basis::kComparison) {
      const Result<Finding> finding = measure(claim, runner);
      ASSERT_TRUE(finding);
      EXPECT_EQ(finding->verdict, Verdict::kNotMeasured);
      EXPECT_NE(finding->condition.find("weft compare"), std::string::npos);
    }
  }
}

TEST(ClaimTable, AScenarioWithoutACaseThatIsNeededIsAnErrorAndNoVerdict) {
  for (const Claim& claim : claim_table()) {
    if (claim.basis == Basis::kScenario) {
      FakeRunner runner;
      const Result<Finding> finding = measure(claim, runner);
      ASSERT_FALSE(finding) << claim.id;
      EXPECT_EQ(finding.error().message.rfind(std::string(claim.id) + ": no ", 0), 0U) << finding.error().message;
    }
  }
}

TEST(ClaimTable, ARunThatFailedGivesNoVerdict) {
  FakeRunner runner;
  runner.add("pfc", 1);
  runner.last().results.run.end = results::RunEnd::kError;
  runner.last().results.run.error = "a queue pair failed";
  const Result<Finding> finding = measure(claim_of("pfc-ecn-dcqcn"), runner);
  ASSERT_FALSE(finding);
  EXPECT_EQ(finding.error().message, "pfc-ecn-dcqcn: case 'pfc': error a queue pair failed");
}

// The figures decide: made ones on both sides of a threshold give both verdicts.

TEST(ClaimVerdicts, HostsThatShareByClassAloneShareUnderACondition) {
  const auto with = [](double by_class, double one_class) {
    FakeRunner runner;
    runner.add_jobs("rdma-alone", {{"rdma", 100}});
    runner.add_jobs("tcp-alone", {{"tcp", 100}});
    runner.add_jobs("by-class", {{"rdma", by_class}, {"tcp", 50}});
    runner.add_jobs("one-class", {{"rdma", one_class}, {"tcp", 50}});
    return verdict_of(runner, "roce-mixed");
  };
  EXPECT_EQ(with(50, 1), Verdict::kHoldsWhen);
  EXPECT_EQ(with(50, 45), Verdict::kHolds);
  EXPECT_EQ(with(39, 45), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, LossThatIsToleratedUpToAThousandthIsTheCondition) {
  const auto with = [](double at_thousandth, double at_hundredth) {
    FakeRunner runner;
    for (const char* const family : {"iwarp", "rocev2", "rocev2-selective"}) {
      runner.add(std::string(family) + " 0", 100);
      runner.add(std::string(family) + " 0.01%", 99);
      runner.add(std::string(family) + " 0.1%", at_thousandth);
      runner.add(std::string(family) + " 1%", at_hundredth);
      runner.add(std::string(family) + " short 1%", 1);
    }
    return verdict_of(runner, "iwarp-loss");
  };
  EXPECT_EQ(with(60, 20), Verdict::kHoldsWhen);
  EXPECT_EQ(with(60, 51), Verdict::kHolds);
  EXPECT_EQ(with(49, 20), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, AnyDropEndsCreditsBeingLossless) {
  const auto with = [](std::uint64_t drops, std::uint64_t expired) {
    FakeRunner runner;
    for (const char* const name : {"incast", "small-buffers", "oversubscribed", "rocev2-untuned"}) {
      runner.add(name, 1);
    }
    runner.last().summary.network.drops = drops;  // Ethernet's do not count
    runner.add("head-of-queue-lifetime", 1);
    runner.last().summary.network.drops = expired;
    return verdict_of(runner, "credit-lossless");
  };
  EXPECT_EQ(with(9, 0), Verdict::kHolds);
  EXPECT_EQ(with(9, 5), Verdict::kHoldsWhen);
  FakeRunner lossy;
  lossy.add("incast", 1);
  lossy.last().summary.network.drops = 1;
  for (const char* const name : {"small-buffers", "oversubscribed", "rocev2-untuned", "head-of-queue-lifetime"}) {
    lossy.add(name, 1);
  }
  EXPECT_EQ(verdict_of(lossy, "credit-lossless"), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, OnlyRefusalsMakeAFamilyUnroutable) {
  const auto with = [](bool infiniband_crosses) {
    FakeRunner runner;
    runner.add("rocev2", 1);
    runner.add("iwarp", 1);
    runner.refuse("rocev1", "one layer-2 domain");
    if (infiniband_crosses) {
      runner.add("infiniband", 1);
    } else {
      runner.refuse("infiniband", "one subnet");
    }
    runner.add("rocev1-one-domain", 1);
    return verdict_of(runner, "routable");
  };
  EXPECT_EQ(with(false), Verdict::kHolds);
  EXPECT_EQ(with(true), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, JitterHoldsWithoutConditionIfNoSeedOverlaps) {
  const auto with = [](double least, double most) {
    FakeRunner runner;
    for (const std::string seed : {"1", "2", "3"}) {
      runner.add_jobs("infiniband loaded " + seed, {{"small", 1, 50}});
      runner.add_jobs("rocev2 loaded " + seed, {{"small", 1, seed == "1" ? least : most}});
    }
    for (const std::string family : {"infiniband", "rocev2"}) {
      runner.add_jobs(family + " idle", {{"small", 1, 1}});
      runner.add_jobs(family + " host", {{"small", 1, 1}});
    }
    return verdict_of(runner, "jitter");
  };
  EXPECT_EQ(with(60, 90), Verdict::kHolds);
  EXPECT_EQ(with(40, 90), Verdict::kHoldsWhen);
  EXPECT_EQ(with(40, 45), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, ADifferenceEmergesIfHalfOfItIsLeftOnEqualHardware) {
  const auto with = [](double equal_rocev2) {
    FakeRunner runner;
    const auto add = [&runner](const char* name, double us) {
      runner.add(name, 1);
      runner.last().results.stages = {
          {.name = "wire", .time = Duration::picoseconds(static_cast<std::int64_t>(us * 1e6)), .mark = "emerges"}};
    };
    for (const std::string profile : {"component ", "as-quoted "}) {
      add((profile + "tcp").c_str(), 50);
      add((profile + "rocev2").c_str(), 5);
      add((profile + "infiniband").c_str(), 2);
    }
    add("equal rocev2", equal_rocev2);
    add("equal infiniband", 2);
    const Result<Finding> finding = measure(claim_of("latency-ladder"), runner);
    EXPECT_TRUE(finding && finding->verdict == Verdict::kHolds);
    return finding->origin;
  };
  EXPECT_EQ(with(4), FigureOrigin::kEmerges);
  EXPECT_EQ(with(2.1), FigureOrigin::kCatalogue);
}

/// A case for each of three seeds.
void add_seeds(FakeRunner& runner, const std::string& name, double share) {
  for (const char* const seed : {" 1", " 2", " 3"}) {
    runner.add_flows(name + seed, std::vector<double>(32, share));
  }
}

TEST(ClaimVerdicts, EcmpBlocksBelowNineTenthsOfOneSwitch) {
  const auto with = [](double ecmp) {
    FakeRunner runner;
    add_seeds(runner, "ecmp", ecmp);
    for (const char* const name : {"ecmp, dcqcn", "ecmp, any order", "spray, any order", "one switch"}) {
      add_seeds(runner, name, 0.96);
    }
    return verdict_of(runner, "fat-tree-ecmp");
  };
  EXPECT_EQ(with(0.86), Verdict::kDoesNotHold);
  EXPECT_EQ(with(0.87), Verdict::kHolds);
}

TEST(ClaimVerdicts, AdaptiveRoutingHoldsOfBothFamiliesOrOfOneUnderACondition) {
  const auto with = [](double roce, double infiniband) {
    FakeRunner runner;
    for (const char* const name :
         {"ecmp", "spray", "infiniband table", "slow link ecmp", "slow link spray", "slow link adaptive", "product"}) {
      add_seeds(runner, name, 0.5);
    }
    add_seeds(runner, "adaptive", roce);
    add_seeds(runner, "infiniband adaptive", infiniband);
    return verdict_of(runner, "per-packet-adaptive");
  };
  EXPECT_EQ(with(0.61, 0.61), Verdict::kHolds);
  EXPECT_EQ(with(0.61, 0.59), Verdict::kHoldsWhen);
  EXPECT_EQ(with(0.59, 0.61), Verdict::kHoldsWhen);
  EXPECT_EQ(with(0.59, 0.59), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, QueuePairsThatDoAsMuchAsForwardingAreACondition) {
  const auto with = [](double protocol, double entropy) {
    FakeRunner runner;
    for (const char* const name :
         {"no-control", "swift", "hpcc", "window", "selective-repeat", "ecmp, any order", "uet one path", "uet",
          "letflow", "conweave", "spray in order", "spray, leaf reorders", "scheduled"}) {
      add_seeds(runner, name, 0.5);
    }
    add_seeds(runner, "dcqcn", protocol);
    add_seeds(runner, "entropy", entropy);
    add_seeds(runner, "spray", 0.99);
    add_seeds(runner, "adaptive", 1);
    return verdict_of(runner, "upper-layer-not-enough");
  };
  EXPECT_EQ(with(0.6, 0.8), Verdict::kHolds);
  EXPECT_EQ(with(0.6, 0.91), Verdict::kHoldsWhen);
  EXPECT_EQ(with(0.91, 0.8), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, AControllerIsBetterByAFifthAndWithoutConditionOnlyIfShortJobsGainToo) {
  const auto with = [](double steady, double late) {
    FakeRunner runner;
    for (const char* const name :
         {"ecmp", "pinned", "cspf", "greedy", "link down, ecmp", "link down, pinned", "jobs of 1 ms, ecmp"}) {
      add_seeds(runner, name, 0.5);
    }
    for (const char* const name : {"one switch", "link down, cspf", "jobs of 1 ms, cspf"}) {
      add_seeds(runner, name, 0.9);
    }
    add_seeds(runner, "min-max", steady);
    add_seeds(runner, "jobs of 1 ms, late", late);
    return verdict_of(runner, "traffic-engineering");
  };
  EXPECT_EQ(with(0.61, 0.53), Verdict::kHolds);
  EXPECT_EQ(with(0.61, 0.52), Verdict::kHoldsWhen);
  EXPECT_EQ(with(0.59, 0.53), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, KnownFlowsBalanceIfTheyComeNearOneSwitch) {
  const auto with = [](double known) {
    FakeRunner runner;
    for (const char* const name : {"ecmp", "jobs of 1 ms, ecmp", "jobs of 1 ms, measured"}) {
      add_seeds(runner, name, 0.5);
    }
    add_seeds(runner, "known", known);
    for (const char* const name : {"one switch", "link down, known", "jobs of 1 ms, known", "fragments, pinned",
                                   "fragments, ecmp", "fragments, known"}) {
      add_seeds(runner, name, 1);
    }
    return verdict_of(runner, "network-level-lb");
  };
  EXPECT_EQ(with(0.96), Verdict::kHolds);
  EXPECT_EQ(with(0.94), Verdict::kHoldsWhen);
  EXPECT_EQ(with(0.59), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, QueuePairsSpreadIfTimesAndLoadsBothFall) {
  const auto with = [](double sixteen_ms) {
    FakeRunner runner;
    for (const char* const name : {"1 qp", "2 qp", "4 qp", "8 qp", "16 qp", "no control, 1 qp", "no control, 16 qp",
                                   "rocev2-spray", "plb", "one switch"}) {
      for (const char* const seed : {" 1", " 2", " 3"}) {
        const bool sixteen = name == std::string("16 qp");
        runner.add_operations(std::string(name) + seed, sixteen ? sixteen_ms : 10);
        for (const std::uint64_t bytes : {100U, sixteen ? 100U : 0U}) {
          results::PortRow& port = runner.last().results.ports.emplace_back();
          port.name = "leaf0/port0";
          port.peer = "spine0/port0";
          port.tx_bytes = bytes;
        }
      }
    }
    return verdict_of(runner, "entropy");
  };
  EXPECT_EQ(with(7.9), Verdict::kHolds);
  EXPECT_EQ(with(8.1), Verdict::kDoesNotHold);
}

TEST(ClaimVerdicts, NotificationsNeedAClassOfTheirOwnWhereTheTailGrowsByHalf) {
  const auto with = [](std::int64_t moderate_us, std::int64_t crowded_us) {
    FakeRunner runner;
    const auto add = [&runner](const std::string& name, std::int64_t us) {
      for (const char* const seed : {" 1", " 2", " 3"}) {
        runner.add(name + seed, 1);
        runner.last().summary.network.pauses = 1;
        workload::MessageRecord record;
        record.finished = Time::zero() + Duration::picoseconds(us * 1'000'000);
        runner.last().results.messages.push_back({.record = record, .ideal = Duration::picoseconds(1'000'000)});
      }
    };
    for (const char* const load : {"moderate", "crowded", "crowded, long"}) {
      add(std::string(load) + ", own", 100);
      add(std::string(load) + ", data", load == std::string("moderate") ? moderate_us : crowded_us);
    }
    return verdict_of(runner, "cnp-class");
  };
  EXPECT_EQ(with(151, 151), Verdict::kHolds);
  EXPECT_EQ(with(149, 151), Verdict::kHoldsWhen);
  EXPECT_EQ(with(149, 149), Verdict::kDoesNotHold);
}

/// Of all flows of the scenarios of settings; three seeds.
void add_shares(FakeRunner& runner, const std::string& name, double share) {
  for (const char* const seed : {" 1", " 2", " 3"}) {
    runner.add_flows(name + seed, std::vector<double>(46, share));
  }
}
void add_mistake(FakeRunner& runner, const std::string& right, const std::string& mistake, double share) {
  for (const char* const seed : {" 1", " 2", " 3"}) {
    runner.add_flows(mistake, std::vector<double>(46, share));
    runner.make_mistake_of(right + seed);
  }
}

/// All cases of tuning-collapse: those set up right have four fifths of the line, the others what is given.
struct Shares {
  double most = 0.8;   // of the mistakes
  double worst = 0.8;  // of one more
  double unsettled = 0.8;
};
Finding collapse_of(const Shares& shares) {
  FakeRunner runner;
  for (const std::string right : {"rocev2", "bounded, rocev2"}) {
    add_shares(runner, right, 0.8);
    add_mistake(runner, right, "ECN thresholds too high", shares.most);
    add_mistake(runner, right, "PFC on the wrong priority", shares.worst);
    add_mistake(runner, right, "ECN thresholds too high, and PFC on the wrong priority", 0.1);
  }
  for (const char* const off : {"ECN off", "congestion control off", "PFC off"}) {
    add_shares(runner, std::string("rocev2, ") + off, shares.most);
  }
  for (const char* const name : {"rocev2-defaults", "rocev2-untuned", "bounded, rocev2-untuned"}) {
    add_shares(runner, name, 0.4);
  }
  if (shares.unsettled < 0.8) {
    runner.halve_after_middle("rocev2 2");
  }
  const Result<Finding> finding = measure(claim_of("tuning-collapse"), runner);
  EXPECT_TRUE(finding) << (finding ? "" : finding.error().message);
  return finding.value_or(Finding{});
}

TEST(ClaimVerdicts, CollapseIsHalfOfTheGoodputInTheMedianOfSingleMistakes) {
  EXPECT_EQ(collapse_of({.most = 0.39}).verdict, Verdict::kHolds);
  const Finding one = collapse_of({.worst = 0.39});
  EXPECT_EQ(one.verdict, Verdict::kHoldsWhen);
  EXPECT_NE(one.condition.find("PFC on the wrong priority"), std::string::npos) << one.condition;
  EXPECT_NE(collapse_of({.worst = 0.5}).condition.find("not a collapse"), std::string::npos);
  EXPECT_EQ(collapse_of({.worst = 0.73}).verdict, Verdict::kDoesNotHold);  // pairs do not count
}

TEST(ClaimVerdicts, NoLossIsToldOverABaselineThatHasNotSettled) {
  const Finding finding = collapse_of({.most = 0.1, .unsettled = 0.4});
  EXPECT_EQ(finding.verdict, Verdict::kNotMeasured);
  EXPECT_NE(finding.condition.find("has not converged"), std::string::npos) << finding.condition;
}

TEST(ClaimVerdicts, InfiniBandIsSimplerIfItHasFewerSettingsAndLosesLess) {
  const auto with = [](double lost_by_ib, std::int64_t ib_settings) {
    FakeRunner runner;
    for (const std::string right : {"infiniband", "infiniband-cc", "rocev2"}) {
      for (const char* const seed : {" 1", " 2", " 3"}) {
        runner.add_flows(right + seed, std::vector<double>(46, 0.8));
        runner.last().settings = {.count = right == "rocev2" ? 30 : ib_settings, .devices = 1};
      }
      add_mistake(runner, right, "small packets", right == "rocev2" ? 0.4 : lost_by_ib);
    }
    for (const char* const name : {"infiniband, lane of the data changed on one switch", "infiniband-cc, marks rare",
                                   "infiniband-cc, recovers slowly", "infiniband-cc, recovers fast"}) {
      add_shares(runner, name, lost_by_ib);
    }
    const Result<Finding> finding = measure(claim_of("ib-easy-or-hard"), runner);
    EXPECT_TRUE(finding) << (finding ? "" : finding.error().message);
    return finding.value_or(Finding{}).condition;
  };
  EXPECT_NE(with(0.7, 4).find("simpler to run"), std::string::npos);
  EXPECT_NE(with(0.3, 4).find("fewer settings"), std::string::npos);
  EXPECT_NE(with(0.7, 40).find("cost less"), std::string::npos);
  EXPECT_NE(with(0.3, 40).find("special skills"), std::string::npos);
}

TEST(ClaimVerdicts, LosslessIsHarderIfVictimsKeepLessOnLargeClustersAndInfiniBandsDoNot) {
  struct Kept {
    double pfc = 1;
    double dcqcn = 1;
    double infiniband = 1;
    std::uint64_t drops = 0;
  };
  const auto with = [](const Kept& kept) {
    FakeRunner runner;
    const auto add = [&runner](const std::string& name, double share) {
      for (const char* const seed : {" 1", " 2", " 3"}) {
        runner.add_victims(name + seed, share);
      }
    };
    for (const std::string size : {"64", "512", "2048"}) {
      add("pfc " + size, size == "2048" ? kept.pfc : 1);
      add("dcqcn " + size, size == "2048" ? kept.dcqcn : 1);
      runner.last().summary.network.drops = kept.drops;
      add("infiniband " + size, size == "2048" ? kept.infiniband : 1);
      for (const std::string part : {"75", "50", "25"}) {
        add("pfc, headroom " + part + " % " + size, 1);
      }
    }
    add("pfc, 6 senders 512", 1);
    add("alone 512", 1);
    return verdict_of(runner, "lossless-at-scale");
  };
  EXPECT_EQ(with({}), Verdict::kDoesNotHold);
  EXPECT_EQ(with({.pfc = 0.85, .dcqcn = 0.85}), Verdict::kHolds);
  EXPECT_EQ(with({.pfc = 0.85}), Verdict::kHoldsWhen);
  EXPECT_EQ(with({.pfc = 0.85, .dcqcn = 0.85, .infiniband = 0.85}), Verdict::kHoldsWhen);
  EXPECT_EQ(with({.drops = 1}), Verdict::kHoldsWhen);
}

TEST(ClaimVerdicts, TwoSeedsAreTooFew) {
  FakeRunner runner;
  for (const std::string name : {"ecmp", "ecmp, dcqcn", "ecmp, any order", "spray, any order", "one switch"}) {
    runner.add_flows(name + " 1", {0.5});
    runner.add_flows(name + " 2", {0.5});
  }
  const Result<Finding> finding = measure(claim_of("fat-tree-ecmp"), runner);
  ASSERT_FALSE(finding);
  EXPECT_EQ(finding.error().message, "fat-tree-ecmp: no case 'ecmp 3'");
}

TEST(LinkLoad, CountsUnusedLinksInTheMean) {
  results::RunResults results;
  const auto add = [&results](const char* name, const char* peer, std::uint64_t bytes) {
    results::PortRow& port = results.ports.emplace_back();
    port.name = name;
    port.peer = peer;
    port.tx_bytes = bytes;
  };
  add("pod0/leaf0/port4", "pod0/agg0/port0", 300);
  add("pod0/leaf0/port5", "pod0/agg1/port0", 0);
  add("pod0/leaf1/port4", "pod0/agg0/port1", 300);
  add("pod0/agg0/port0", "pod0/leaf0/port4", 1000);
  add("host0/nic0", "pod0/leaf0/port0", 1000);
  const LinkLoad load = link_load(results, {.from = "leaf", .to = "agg"});
  EXPECT_EQ(load.links, 3U);
  EXPECT_EQ(load.unused, 1U);
  EXPECT_DOUBLE_EQ(load.max_over_mean, 1.5);
  EXPECT_EQ(link_load(results, {.from = "agg", .to = "core"}).links, 0U);
}

}  // namespace
}  // namespace weft::study::claims
