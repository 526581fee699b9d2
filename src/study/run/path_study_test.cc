// Foreseen loads against the closed forms, and against the bytes that a run sends over each link.
#include "study/run/path_study.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "fabric/fabric.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_test_tables.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

std::string leaf_spine(const std::string& routing, const std::string& more = "") {
  return "seed = 3\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 32\nhosts_per_leaf = 8\n"
         "spines = 8\n[routing]\n" +
         routing + "\n[[traffic]]\nname = \"p\"\nkind = \"permutation\"\nshift = 8\nsize = \"1 MiB\"\n" + more;
}

std::string fat_tree(const std::string& routing) {
  return "seed = 3\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = 8\n[routing]\n" +
         routing + "\n[[traffic]]\nname = \"a\"\nkind = \"all-to-all\"\nsize = \"4 KiB\"\n";
}

results::PathReport report_of(const scenario::Scenario& scenario, const PathStudyOptions& options = {.seeds = 5}) {
  const Result<results::PathReport> report = study_paths(scenario, options);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
  return report ? *report : results::PathReport{};
}

struct Nobody final : workload::MessageSink {
  void on_message(const workload::MessageRecord& /*record*/) override {}
};

/// Bytes that a run sends out of each port.
std::map<std::string, std::uint64_t> sent_in_a_run(const scenario::Scenario& scenario) {
  Nobody nobody;
  const auto simulation = Simulation::create(scenario, nobody);
  EXPECT_TRUE(simulation.has_value());
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  const world::World& world = (*simulation)->world();
  const fabric::PortMap ports(world.graph(), 1);
  std::map<std::string, std::uint64_t> bytes;
  world.fabric().visit([&](const auto& fabric) {
    for (fabric::PortIndex port = 0; port < ports.size(); ++port) {
      std::uint64_t& sum = bytes[fabric::port_name(world.graph(), ports.end_of(port))];
      for (std::uint32_t lane = 0; lane < fabric.lanes(); ++lane) {
        sum += fabric.lane_counters(port, lane, world.now()).tx_bytes;
      }
    }
  });
  return bytes;
}

/// Of messages of 1 MiB, each over so many queue pairs at once.
void expect_run_as_foreseen(const std::string& text, double queue_pairs = 1) {
  const scenario::Scenario scenario = from_text(text);
  const results::PathReport report = report_of(scenario);
  const std::map<std::string, std::uint64_t> sent = sent_in_a_run(scenario);
  ASSERT_EQ(report.sets.size(), 1U);
  std::size_t loaded = 0;
  for (const results::PathLink& link : report.sets[0].links) {
    // Acknowledgements of other flows are much less than one flow.
    const double flows = static_cast<double>(sent.at(link.port)) / (1 << 20) * queue_pairs;
    EXPECT_NEAR(flows, link.flows, 0.15 * std::max(link.flows, queue_pairs)) << link.port << "\n" << text;
    loaded += link.flows > 0 ? 1 : 0;
  }
  EXPECT_GT(loaded, 16U);
}

/// Hosts of rings of 8 send three places up.
std::string tornado(const std::string& fabric, const std::string& sizes) {
  return "seed = 3\n[fabric]\n" + fabric + "[topology]\nkind = \"torus\"\nsizes = " + sizes +
         "\n[routing]\npolicy = \"dimension-order\"\n[infiniband]\nvls = 2\n"
         "[[traffic]]\nname = \"p\"\nkind = \"permutation\"\nshift = 3\nsize = \"1 MiB\"\n";
}

TEST(PathStudy, ForeseesTheLinksOfDimensionOrder) {
  for (const std::string fabric : {"family = \"infiniband\"\n", "family = \"rocev2\"\ntuning = \"lossy\"\n"}) {
    expect_run_as_foreseen(tornado(fabric, "[8, 3]"));
    const results::PathReport report = report_of(from_text(tornado(fabric, "[8]")));
    for (const results::PathLink& link : report.sets[0].links) {
      EXPECT_EQ(link.flows, link.port.ends_with("/port1") ? 3.0 : 0.0) << link.port;  // upwards
    }
    EXPECT_EQ(report.sets[0].links.size(), 16U);
  }
}

TEST(PathStudy, RefusesDetoursByName) {
  for (const std::string policy : {"valiant", "ugal"}) {
    const auto report = study_paths(
        from_text("[fabric]\nfamily = \"rocev2\"\ntuning = \"lossy\"\n[topology]\nkind = \"dragonfly-plus\"\ngroups = "
                  "3\nleaves = 2\nhosts_per_leaf = 2\n[routing]\npolicy = \"" +
                  policy + "\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MiB\"\n"),
        {});
    ASSERT_FALSE(report.has_value());
    EXPECT_EQ(report.error().message.find("with routing.policy = \"" + policy + "\""), 0U) << report.error().message;
  }
}

TEST(PathStudy, ForeseesTheLinksOfARun) {
  for (const char* routing : {"", "polarised = true", "hash_function = \"crc-16\"", "hash_function = \"crc-32\"",
                              "hash_function = \"toeplitz\"\nhash_fields = [\"5-tuple\", \"destination-qp\"]",
                              "hash_function = \"xor-fold\"\nhash_rotation = 5\nhash_buckets = 64",
                              "hash_function = \"crc-16-ccitt\"\nport_weights = \"link-rate\"",
                              "hash_fields = [\"source-address\", \"destination-address\"]"}) {
    expect_run_as_foreseen(leaf_spine(routing));
  }
}

TEST(PathStudy, ForeseesTheQueuePairsOfAConnection) {
  for (const char* routing : {"policy = \"e-ecmp\"\n[transport]\nsource_ports = \"per-connection\"",
                              "policy = \"e-ecmp\"\nhash_function = \"crc-32\"", "policy = \"ecmp\""}) {
    expect_run_as_foreseen(leaf_spine(routing, "queue_pairs = 4\nqueue_pair_use = \"split\"\n"), 4);
  }
}

/// All queue pairs between two ends send through one context, and a READ's data comes with its requester's entropy.
TEST(PathStudy, ForeseesTheOnePathOfUltraEthernet) {
  for (const std::string path : {"path_selector = \"single\"", "delivery = \"rod\""}) {
    for (const std::string routing : {"", "hash_function = \"crc-32\""}) {
      for (const std::string traffic :
           {"", "operation = \"read\"\n", "queue_pairs = 4\nqueue_pair_use = \"split\"\n"}) {
        std::string text = leaf_spine(routing, traffic + "[uet]\n" + path + "\n");
        text.replace(text.find("rocev2"), 6, "uet");
        SCOPED_TRACE(path + routing + traffic);
        expect_run_as_foreseen(text, traffic.starts_with("queue_pairs") ? 4 : 1);
      }
    }
  }
}

/// The same network as InfiniBand, whose queue pairs go to the LIDs of a port in turn.
std::string several_lids(int lmc, int queue_pairs) {
  std::string text = leaf_spine(fmt::format("policy = \"lft\"\nlmc = {}", lmc),
                                fmt::format("queue_pairs = {}\nqueue_pair_use = \"split\"\n", queue_pairs));
  return text.replace(text.find("rocev2"), std::string("rocev2").size(), "infiniband");
}

TEST(PathStudy, ForeseesTheLidsOfAPort) {
  expect_run_as_foreseen(several_lids(0, 4), 4);
  expect_run_as_foreseen(several_lids(1, 4), 4);
  expect_run_as_foreseen(several_lids(3, 8), 8);
}

// A shift by one leaf is what the fat-tree's tables are made for: one flow for each uplink. With the paths of eight
// LIDs each flow has an eighth on every uplink, and what is on one link is the same.
TEST(PathStudy, LidsSpreadAFlowOverSpines) {
  for (const int lmc : {0, 3}) {
    const auto report = report_of(from_text(several_lids(lmc, 8)));
    EXPECT_DOUBLE_EQ(report.sets.at(0).tiers.front().worst, 1) << lmc;
  }
  // All hosts of a leaf to one host each behind it that the tables send over one spine: LIDs take them apart.
  const auto worst = [](int lmc) {
    std::string text = several_lids(lmc, 8);
    text.replace(text.find("shift = 8"), std::string("shift = 8").size(), "shift = 0");
    return report_of(from_text(text)).sets.at(0).tiers.front().worst;
  };
  EXPECT_GE(worst(0), 2) << "flows of a random permutation meet";
  EXPECT_LE(worst(3), 1 + 1e-9) << "each has a part on every uplink";
}

// Of PLB the first paths are foreseen; one that never moves keeps to them.
TEST(PathStudy, ForeseesTheFirstPathsOfPlb) {
  expect_run_as_foreseen(
      leaf_spine("policy = \"ecmp\"\n[transport]\npath_selector = \"plb\"\nloss_recovery = \"selective-repeat\"\n"
                 "plb_rounds = 31\nplb_idle_rounds = 0\nplb_threshold = \"100%\""));
}

TEST(PathStudy, APortForEachPacketOrMessageLoadsAllPathsAlike) {
  for (const char* selector : {"per-message", "in-turn", "random"}) {
    const auto report = report_of(
        from_text(leaf_spine(fmt::format("policy = \"ecmp\"\n[transport]\npath_selector = \"{}\"", selector))));
    EXPECT_DOUBLE_EQ(report.sets.at(0).tiers.front().worst, 1) << selector;
  }
}

// The point of E-ECMP: queue pairs that differ in their number alone take several paths only if it is hashed.
TEST(PathStudy, QueuePairsSpreadOnePortOnlyWhereTheirNumberIsHashed) {
  const auto worst = [](const std::string& policy, int queue_pairs) {
    const std::string routing = fmt::format("policy = \"{}\"\n[transport]\nsource_ports = \"per-connection\"", policy);
    const auto report =
        report_of(from_text(leaf_spine(routing, fmt::format("queue_pairs = {}\n", queue_pairs))), {.seeds = 100});
    return report.sets.at(0).variants.front().worst.mean;
  };
  const double one = worst("ecmp", 1);
  EXPECT_DOUBLE_EQ(worst("ecmp", 16), one);
  const double four = worst("e-ecmp", 4);
  const double sixteen = worst("e-ecmp", 16);
  EXPECT_LT(four, 0.85 * one);
  EXPECT_LT(sixteen, 0.85 * four);
}

TEST(PathStudy, OfEnhancedEcmpNamesTheFieldAndComparesWithoutIt) {
  const auto report = report_of(from_text(leaf_spine("policy = \"e-ecmp\"")));
  EXPECT_EQ(report.fields, "5-tuple+destination-qp");
  EXPECT_EQ(report.sets.at(0).variants.front().fields, "5-tuple+destination-qp");
  EXPECT_EQ(report.sets.at(0).variants.back().fields, "5-tuple");
}

TEST(PathStudy, ForeseesTheFlowLabelOfIpv6) {
  std::string text = leaf_spine("hash_function = \"crc-32\"\nhash_fields = [\"flow-label\"]");
  text.replace(text.find("[topology]"), 0, "ip_version = \"ipv6\"\n");
  expect_run_as_foreseen(text);
}

// Eight flows of a leaf over eight spines, as balls into bins.
TEST(PathStudy, OfAPermutationExpectsTheWorstOfBallsInBins) {
  const results::PathReport report = report_of(from_text(leaf_spine("")), {.seeds = 2'000});
  // The largest of eight bins with eight balls, exactly: the chance that none has more than m is 8! / 8^8 times the
  // coefficient of x^8 in (sum of x^i / i! for i to m)^8.
  double expected = 0;
  for (int most = 0; most < 8; ++most) {
    std::vector<double> ways(9, 0);
    ways[0] = 1;
    for (int bin = 0; bin < 8; ++bin) {
      std::vector<double> next(9, 0);
      for (int have = 0; have <= 8; ++have) {
        for (int more = 0; more <= most && have + more <= 8; ++more) {
          next[static_cast<std::size_t>(have + more)] += ways[static_cast<std::size_t>(have)] / std::tgamma(more + 1);
        }
      }
      ways = next;
    }
    const double chance = ways[8] * std::tgamma(9) / std::pow(8, 8);
    // Four leaves choose for themselves.
    expected += 1 - std::pow(chance, 4);
  }
  ASSERT_EQ(report.sets.size(), 1U);
  const results::PathTier& up = report.sets[0].tiers.front();
  EXPECT_EQ(up.name, "leaf > spine");
  EXPECT_NEAR(up.seeds.mean, expected, 0.06);
  EXPECT_DOUBLE_EQ(up.mean, 1);
  EXPECT_DOUBLE_EQ(up.even, 1);
}

TEST(PathStudy, WithOneSeedASpineUsesOneOfItsFourLinksToTheCore) {
  for (const char* function : {"mixed", "crc-32", "toeplitz", "xor-fold", "crc-16"}) {
    const auto report =
        report_of(from_text(fat_tree(fmt::format("polarised = true\nhash_function = \"{}\"", function))));
    for (const results::TierUse& use : report.sets.at(0).uses) {
      EXPECT_EQ(use.used * (use.name == "spine" ? 4 : 1), use.members) << function << " " << use.name;
    }
  }
}

TEST(PathStudy, RotatedOrWithSeedsOfTheirOwnSpinesUseAll) {
  for (const char* routing :
       {"", "polarised = true\nhash_rotation = 2", "polarised = true\nhash_function = \"crc-32\"\nhash_rotation = 2"}) {
    const results::PathReport report = report_of(from_text(fat_tree(routing)));
    for (const results::TierUse& use : report.sets.at(0).uses) {
      EXPECT_EQ(use.used, use.members) << routing << " " << use.name;
    }
  }
}

TEST(PathStudy, OfACollectiveHasTheFlowsOfItsAlgorithm) {
  const std::string text =
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\nspines = 2\n"
      "[collectives]\nchannels = 1\n[[traffic]]\nkind = \"collective\"\ncollective = \"{}\"\nalgorithm = \"{}\"\n"
      "size = \"1 MiB\"\n";
  const auto flows = [&](std::string_view kind, std::string_view algorithm) {
    return report_of(from_text(fmt::format(fmt::runtime(text), kind, algorithm))).sets.at(0).flows;
  };
  EXPECT_EQ(flows("all-reduce", "ring"), 8U);
  EXPECT_EQ(flows("all-to-all", "direct"), 56U);
}

TEST(PathStudy, OfATrainingStepHasASetForEachKindOfOperation) {
  const std::string text =
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\nspines = 2\n"
      "[[job]]\nname = \"j\"\ngpus = 8\nmodel = \"llama3-8b\"\ntp = 2\npp = 2\nglobal_batch = 8\n";
  const results::PathReport report = report_of(from_text(text));
  std::map<std::string, std::uint64_t> flows;
  for (const results::PathSet& set : report.sets) {
    flows[set.name] = set.flows;
  }
  EXPECT_TRUE(flows.contains("j: tp all-reduce")) << report.sets.size();
  EXPECT_GE(flows.size(), 3U);
}

/// The same traffic over TCP or iWARP, whose ports follow from queue pair numbers.
std::string streams(const std::string& family, const std::string& routing, const std::string& more = "") {
  std::string text = leaf_spine(routing, more);
  return text.replace(text.find("rocev2"), std::string("rocev2").size(), family);
}

TEST(PathStudy, ForeseesTheLinksOfTcpAndIwarp) {
  for (const char* family : {"tcp", "iwarp"}) {
    for (const char* routing :
         {"", "hash_function = \"crc-32\"",
          "hash_function = \"toeplitz\"\nhash_fields = [\"source-port\", \"destination-port\"]"}) {
      expect_run_as_foreseen(streams(family, routing + std::string("\n[tcp]\ncongestion_control = \"dctcp\"")));
    }
  }
}

TEST(PathStudy, SaysWhichTrafficIsOverTcp) {
  const auto report = report_of(from_text(streams("tcp", "")));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].find("Over TCP: p."), 0U) << report.notes[0];
  EXPECT_TRUE(report_of(from_text(leaf_spine(""))).notes.empty());
}

TEST(PathStudy, SaysThatLaterPathsOfPlbAreNotKnown) {
  const auto report =
      report_of(from_text(leaf_spine("policy = \"ecmp\"\n[transport]\npath_selector = \"plb\"\n"
                                     "loss_recovery = \"selective-repeat\"")));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0].find("PLB:"), 0U) << report.notes[0];
}

// Traffic begins when routes have followed.
std::string failing(const std::string& routing, const std::string& events) {
  return leaf_spine(routing + std::string("\nreroute_delay = \"1 us\""), "start = \"10 us\"\n" + events);
}

const std::string kFirstUplink = "[[event]]\nat = \"0 s\"\nselect = \"leaf0/port8\"\naction = \"fail\"\n";

TEST(PathStudy, ForeseesTheLinksAroundOneThatHasFailed) {
  for (const char* routing : {"", "hash_function = \"crc-32\"", "hash_function = \"crc-32\"\nhash_buckets = 64",
                              "hash_function = \"crc-16\"\nport_weights = \"capacity\"", "policy = \"pinned\""}) {
    const std::string text = failing(routing, kFirstUplink);
    expect_run_as_foreseen(text);
    const auto report = report_of(from_text(text));
    ASSERT_EQ(report.links_down.size(), 1U);
    EXPECT_NE(report.links_down[0].find("leaf0/port8"), std::string::npos) << report.links_down[0];
    EXPECT_EQ(report.sets.at(0).tiers.front().links, 31U);
  }
}

// What a bucket of a failed port became stays, whichever order links fail in; without resilience all flows move.
TEST(PathStudy, ResilientGroupsKeepWhatTheyWere) {
  const std::string both = kFirstUplink +
                           "[[event]]\nat = \"2 us\"\nselect = \"leaf0/port9\"\naction = \"fail\"\n"
                           "[[event]]\nat = \"4 us\"\nselect = \"leaf0/port8\"\naction = \"restore\"\n";
  const std::string resilient = failing("hash_function = \"crc-32\"\nhash_buckets = 64", both);
  const scenario::Scenario scenario = from_text(resilient);
  const auto later = report_of(scenario, {.seeds = 1, .function = {}, .fields = {}, .at = Duration::microseconds(4)});
  const std::map<std::string, std::uint64_t> sent = sent_in_a_run(scenario);
  for (const results::PathLink& link : later.sets.at(0).links) {
    EXPECT_NEAR(static_cast<double>(sent.at(link.port)) / (1 << 20), link.flows, 0.15 * std::max(link.flows, 1.0))
        << link.port;
  }
  const auto unmoved = [](const results::PathReport& before, const results::PathReport& after) {
    int same = 0;
    for (const results::PathLink& link : after.sets.at(0).links) {
      for (const results::PathLink& was : before.sets.at(0).links) {
        same += was.port == link.port && was.flows == link.flows ? 1 : 0;
      }
    }
    return same;
  };
  const auto of = [](const std::string& buckets, const std::string& events) {
    return report_of(from_text(failing("hash_function = \"crc-32\"" + buckets, events)), {.seeds = 1});
  };
  EXPECT_GT(unmoved(of("\nhash_buckets = 64", ""), of("\nhash_buckets = 64", kFirstUplink)),
            unmoved(of("", ""), of("", kFirstUplink)));
}

TEST(PathStudy, AFailureLaterThanAskedHasNotHappened) {
  const std::string text = leaf_spine("", "[[event]]\nat = \"5 us\"\nselect = \"spine0\"\naction = \"fail\"\n");
  const auto at = [&](Duration time) {
    return report_of(from_text(text), {.seeds = 1, .function = {}, .fields = {}, .at = time}).links_down.size();
  };
  EXPECT_EQ(at(Duration::microseconds(4)), 0U);
  EXPECT_EQ(at(Duration::microseconds(5)), 4U);
}

TEST(PathStudy, LinksCanBeTakenOutByName) {
  const scenario::Scenario scenario = from_text(leaf_spine(""));
  const auto asked =
      report_of(scenario, {.seeds = 2, .function = {}, .fields = {}, .at = {}, .without_links = {"leaf0/port8"}});
  const auto given = report_of(from_text(leaf_spine("", kFirstUplink)), {.seeds = 2});
  ASSERT_EQ(asked.sets.at(0).links.size(), given.sets.at(0).links.size());
  for (std::size_t i = 0; i < asked.sets[0].links.size(); ++i) {
    EXPECT_EQ(asked.sets[0].links[i].flows, given.sets[0].links[i].flows);
  }
  const auto wrong =
      study_paths(scenario, {.seeds = 1, .function = {}, .fields = {}, .at = {}, .without_links = {"leaf0/port88"}});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "--without-link: no link has a port 'leaf0/port88'; did you mean 'leaf0/port8'?");
}

TEST(PathStudy, CountsFlowsWhoseHostIsCutOff) {
  const auto report = report_of(from_text(leaf_spine("")),
                                {.seeds = 1, .function = {}, .fields = {}, .at = {}, .without_links = {"leaf0/port0"}});
  EXPECT_EQ(report.sets.at(0).cut_off, 2U);  // what it sends, and what is for it
}

PathStudyOptions without(const std::string& link) {
  return {.seeds = 1, .function = {}, .fields = {}, .at = {}, .without_links = {link}};
}

double flows_on_links(const results::PathSet& set) {
  double sum = 0;
  for (const results::PathLink& link : set.links) {
    sum += link.flows;
  }
  return sum;
}

TEST(PathStudy, AFlowThatIsCutOffLoadsNothing) {
  // Each other flow is on one link up and on one down.
  const auto report = report_of(from_text(leaf_spine("")), without("leaf0/port0"));
  EXPECT_DOUBLE_EQ(flows_on_links(report.sets.at(0)), 2.0 * (32 - 2));
}

TEST(PathStudy, AFlowThatIsCutOffHasNoPartInTheShares) {
  std::string text = leaf_spine("");
  const std::string permutation = "kind = \"permutation\"\nshift = 8\n";
  text.replace(text.find(permutation), permutation.size(), "kind = \"incast\"\ndestinations = [\"host0\"]\n");
  const auto whole = report_of(from_text(text), {.seeds = 1}).sets.at(0);
  EXPECT_NEAR(whole.mean, 1.0 / 31, 1e-9);
  const auto cut = report_of(from_text(text), without("leaf3/port0")).sets.at(0);
  EXPECT_EQ(cut.cut_off, 1U);
  EXPECT_NEAR(cut.mean, 1.0 / 30, 1e-9);
  EXPECT_NEAR(cut.slowest, 1.0 / 30, 1e-9);
}

TEST(PathStudy, WithoutAnyPathThereAreNoShares) {
  const auto report = report_of(from_text(leaf_spine("")), without("spine*"));
  const results::PathSet& set = report.sets.at(0);
  EXPECT_EQ(set.cut_off, 32U);
  EXPECT_FALSE(set.has_shares);
  const std::string text = results::path_text(report);
  EXPECT_EQ(text.find("Max-min"), std::string::npos) << text;
  EXPECT_NE(text.find("32 flows have no path: links that they need are down.\n"), std::string::npos) << text;
}

// Tables from a file stay as they are, and lead into a link that is down.
TEST(PathStudy, TablesThatLeadIntoADeadLinkCutFlowsOff) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / fmt::format("weft_paths_{}.lfts", getpid()));
  scenario::Scenario scenario = from_text(several_lids(0, 1));
  ASSERT_TRUE(write_file(file, assembly::dump_of_rule(*assembly::build_topology(scenario), 0)));
  scenario.routing.engine = scenario::RoutingEngine::kFile;
  scenario.routing.tables = file;
  const auto whole = report_of(scenario).sets.at(0);
  const auto cut = report_of(scenario, without("leaf0/port8")).sets.at(0);
  std::filesystem::remove(file);
  EXPECT_EQ(whole.cut_off, 0U);
  EXPECT_DOUBLE_EQ(flows_on_links(whole), 2.0 * 32);
  EXPECT_EQ(cut.cut_off, 2U) << "one flow on each uplink, and one on its other direction";
  EXPECT_DOUBLE_EQ(flows_on_links(cut), 2.0 * (32 - 2));
}

TEST(PathStudy, SaysThatMulticastGroupsAreLeftOut) {
  std::string text = leaf_spine("policy = \"lft\"",
                                "[[traffic]]\nname = \"ticks\"\nkind = \"multicast\"\nsources = [\"host0\"]\n"
                                "size = \"1 KiB\"\n");
  text.replace(text.find("rocev2"), std::string("rocev2").size(), "infiniband");
  const auto report = report_of(from_text(text));
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0], "Left out, as switches replicate the packets of multicast groups: ticks.");
  EXPECT_EQ(report.sets.at(0).name, "p");
}

TEST(PathStudy, ADegradedLinkHasTheLoadOfItsRate) {
  const std::string events = "[[event]]\nat = \"0 s\"\nselect = \"spine*\"\naction = \"degrade\"\nrate = \"50 Gbps\"\n";
  const auto whole = report_of(from_text(leaf_spine("")), {.seeds = 1});
  const auto slow = report_of(from_text(leaf_spine("", events)), {.seeds = 1});
  const double ratio = static_cast<double>(whole.sets.at(0).links.front().rate.bits_per_second()) / 50e9;
  EXPECT_GT(ratio, 1);
  EXPECT_DOUBLE_EQ(slow.sets.at(0).tiers.front().worst, ratio * whole.sets.at(0).tiers.front().worst);
}

/// InfiniBand by the tables of a subnet manager, swept after the failure.
TEST(PathStudy, ForeseesTheTablesOfASubnetManagerThatHasSweptAgain) {
  std::string text = failing("policy = \"lft\"\nengine = \"updn\"", kFirstUplink);
  expect_run_as_foreseen(text.replace(text.find("rocev2"), std::string("rocev2").size(), "infiniband"));
}

TEST(PathStudy, RefusesFieldsThatPacketsHaveNot) {
  const auto report =
      study_paths(from_text(leaf_spine("")), {.function = {}, .fields = {scenario::HashedField::kFlowLabel}});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("flow-label is a field of IPv6"), std::string::npos) << report.error().message;
}

/// A ring of pairs over two leaves: two hosts of one send to two of the other, over two spines.
std::string dense_step(const std::string& routing, const std::string& spines = "2") {
  return "seed = 3\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 4\n"
         "spines = " +
         spines + "\n[routing]\n" + routing +
         "\n[[job]]\nname = \"j\"\nmodel = \"megatron-1_7b\"\nlayers = 1\ndp = 8\n"
         "placement = \"random\"\n";
}

TEST(HashReach, IsWhatTheLoadsOfOtherSeedsAreToTheOwn) {
  const scenario::Scenario scenario = from_text(dense_step("policy = \"ecmp\""));
  const Result<std::vector<HashReach>> reaches = hash_reaches(scenario, 100);
  ASSERT_TRUE(reaches.has_value()) << reaches.error().message;
  const auto dp = std::ranges::find(*reaches, "dp", &HashReach::purpose);
  ASSERT_NE(dp, reaches->end());
  EXPECT_TRUE(dp->less < 1 || dp->more > 1);
  double least = 1;
  double most = 1;
  double usual = 1;  // no more than nineteen seeds in twenty
  for (const results::PathSet& set : report_of(scenario, {.seeds = 100}).sets) {
    if (set.name.find(": dp ") == std::string::npos) {
      continue;
    }
    double own = 1;
    for (const results::PathLink& link : set.links) {
      own = std::max(own, link.load);
    }
    const results::LoadStatistics& worst = set.variants.front().worst;
    least = std::min(least, std::max(worst.least, 1.0) / own);
    most = std::max(most, std::max(worst.most, 1.0) / own);
    usual = std::max(usual, std::max(worst.p95, 1.0) / own);
  }
  EXPECT_GE(dp->less, least - 1e-9);
  EXPECT_LE(dp->more, most + 1e-9);
  EXPECT_GE(dp->more, usual - 1e-9);
}

TEST(HashReach, OfPacketsThatTakeAllPathsThereIsNone) {
  const auto sprayed = hash_reaches(from_text(dense_step("policy = \"spray\"")), 20);
  ASSERT_TRUE(sprayed.has_value());
  EXPECT_TRUE(sprayed->empty());
}

TEST(HashReach, OverASinglePathSeedsChangeNothing) {
  const auto single = hash_reaches(from_text(dense_step("policy = \"ecmp\"", "1")), 20);
  ASSERT_TRUE(single.has_value());
  EXPECT_FALSE(single->empty());
  for (const HashReach& own : *single) {
    EXPECT_EQ(own.less, 1) << own.purpose;
    EXPECT_EQ(own.more, 1) << own.purpose;
  }
}

}  // namespace
}  // namespace weft::study::run
