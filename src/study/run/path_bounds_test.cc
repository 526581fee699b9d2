// What the paths allow is not exceeded: where paths differ in speed and flows choose among them, and where data flows
// against the requests for it.
#include <gtest/gtest.h>

#include "study/results/summary.h"
#include "study/run/path_study.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

double of(Rate rate) { return static_cast<double>(rate.bits_per_second()); }

struct Scheme {
  const char* name;
  const char* settings;  // of the family and its scheme
  bool chooses;          // paths by load or by what senders hear; else all with equal parts
};

/// Three leaves of four hosts at 100 Gb/s under four spines at 200 Gb/s; one cable has 10.
scenario::Scenario uneven(const Scheme& scheme) {
  return from_text(std::string("seed = 1\n[fabric]\n") + scheme.settings +
                   "[topology]\nkind = \"leaf-spine\"\nhosts = 12\nhosts_per_leaf = 4\nspines = 4\n"
                   "[link]\nrate = \"100 Gbps\"\n[link.leaf]\nrate = \"200 Gbps\"\n"
                   "[[override]]\nselect = \"leaf0/port4\"\nlink.rate = \"10 Gbps\"\n"
                   "[[traffic]]\nname = \"p\"\nkind = \"permutation\"\nshift = 4\nsize = \"1 MiB\"\ncount = 2\n");
}

class UnevenPaths : public ::testing::TestWithParam<Scheme> {};
INSTANTIATE_TEST_SUITE_P(
    PathBounds, UnevenPaths,
    ::testing::Values(Scheme{"letflow", "family = \"rocev2\"\n[routing]\nscheme = \"letflow\"\n", true},
                      Scheme{"conga", "family = \"rocev2\"\n[routing]\nscheme = \"conga\"\n", true},
                      Scheme{"conweave", "family = \"rocev2\"\n[routing]\nscheme = \"conweave\"\n", true},
                      Scheme{"drill", "family = \"rocev2\"\n[routing]\nscheme = \"drill\"\n", true},
                      Scheme{"reps", "family = \"rocev2\"\n[routing]\nscheme = \"reps\"\n", true},
                      Scheme{"bitmap", "family = \"rocev2\"\n[routing]\nscheme = \"bitmap\"\n", true},
                      Scheme{"uet", "family = \"uet\"\n", true},
                      Scheme{"infiniband", "family = \"infiniband\"\n[routing]\nscheme = \"adaptive\"\n", true},
                      Scheme{"oblivious", "family = \"uet\"\n[uet]\npath_selector = \"oblivious\"\n", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(UnevenPaths, NoSenderHasMoreThanThePathsAllow) {
  const scenario::Scenario scenario = uneven(GetParam());
  const results::RunResults results = results_of(scenario);
  ASSERT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  const results::Summary summary = results::summarise(results);
  const results::JobSummary& job = summary.jobs.front();
  ASSERT_TRUE(job.allowed);
  ASSERT_TRUE(job.per_sender);
  EXPECT_LE(of(job.per_sender->rate), of(job.allowed->per_sender));
  // The links of 200 Gb/s have room for all; a quarter of a flow over 10 Gb/s that four flows share has 10 Gb/s.
  if (GetParam().chooses) {
    EXPECT_GT(job.allowed->slowest, 90_gbps);
  } else {
    EXPECT_LT(job.allowed->slowest, 15_gbps);
  }
  const Result<results::PathReport> report = study_paths(scenario, {.seeds = 1});
  ASSERT_TRUE(report) << scenario::message_of(report);
  const results::PathSet& set = report->sets.at(0);
  ASSERT_TRUE(set.has_shares);
  // Of payload there, and of frames here; hashes of spraying senders are nearly equal parts.
  EXPECT_NEAR(set.slowest, of(job.allowed->slowest) / 100e9, 0.05) << "weft paths says the same";
}

// Eight flows of the line from each leaf over eight uplinks: each may have one. Parts were those of a few hundred
// hashes, the same for all flows, and left senders 0.9 of what they had.
TEST(SprayingSenders, HaveTheirLineWhereAllPathsAreAlike) {
  for (const char* const selector : {"mixed", "oblivious", "reps", "bitmap"}) {
    const scenario::Scenario scenario =
        from_text(std::string("seed = 1\n[fabric]\nfamily = \"uet\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\n"
                              "hosts_per_leaf = 8\n[link]\nrate = \"400 Gbps\"\n[uet]\npath_selector = \"") +
                  selector + "\"\n[[traffic]]\nname = \"p\"\nkind = \"permutation\"\nshift = 8\nsize = \"2 MiB\"\n");
    const results::RunResults results = results_of(scenario);
    const results::Summary summary = results::summarise(results);
    const results::JobSummary& job = summary.jobs.front();
    ASSERT_TRUE(job.allowed);
    EXPECT_EQ(job.allowed->slowest, job.allowed->per_sender) << selector;
    EXPECT_GT(job.allowed->slowest, 380_gbps) << selector;
    EXPECT_LE(of(job.per_sender->rate), of(job.allowed->per_sender)) << selector;
  }
}

// With one seed for the hashes of all switches, spines repeat what leaves chose: parts are those of hashes.
TEST(SprayingSenders, HaveThePartsOfHashesWhereSwitchesHashAlike) {
  const auto allowed = [](const char* seed) {
    const results::RunResults results = results_of(from_text(
        std::string("seed = 1\n[fabric]\nfamily = \"uet\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = 8\n"
                    "[routing]\n") +
        seed + "[[traffic]]\nname = \"p\"\nkind = \"permutation\"\nshift = 64\nsize = \"64 KiB\"\n"));
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
    return of(results.jobs.front().allowed->slowest);
  };
  EXPECT_LT(allowed("hash_seed = 7\n"), 0.9 * allowed(""));
}

struct Family {
  const char* name;
  const char* settings;
};
class Reads : public ::testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(PathBounds, Reads,
                         ::testing::Values(Family{"rocev2", "family = \"rocev2\"\n"},
                                           Family{"infiniband", "family = \"infiniband\"\n"},
                                           Family{"iwarp", "family = \"iwarp\"\n"},
                                           Family{"uet", "family = \"uet\"\n"}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Four hosts read from one, which alone sends data: it has its line, and may have that.
TEST_P(Reads, AreCountedByWhoSendsTheData) {
  const results::RunResults results =
      results_of(from_text(std::string("seed = 1\n[fabric]\n") + GetParam().settings +
                           "[topology]\nkind = \"single-switch\"\nhosts = 5\n[nic]\nport_rate = \"100 Gbps\"\n"
                           "[[traffic]]\nname = \"r\"\nkind = \"incast\"\nfan_in = 4\noperation = \"read\"\n"
                           "size = \"1 MiB\"\ncount = 2\n"));
  ASSERT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  const results::Summary summary = results::summarise(results);
  const results::JobSummary& job = summary.jobs.front();
  ASSERT_TRUE(job.allowed);
  EXPECT_EQ(job.senders, 1U);
  EXPECT_LE(of(job.per_sender->rate), of(job.allowed->per_sender));
  EXPECT_EQ(job.allowed->slowest, job.allowed->per_sender) << "of one sender";
  EXPECT_GT(job.allowed->per_sender, 90_gbps);
  EXPECT_LE(job.allowed->per_sender, 100_gbps);
}

// Two hosts that read from each other have a context each way, and data goes by that of its reader.
TEST(Reads, OverOnePathOfUltraEthernetHaveTheBoundOfTheirData) {
  for (int seed = 1; seed <= 6; ++seed) {
    const scenario::Scenario scenario = from_text(fmt::format(
        "seed = {}\n[fabric]\nfamily = \"uet\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 4\n"
        "spines = 4\n[link]\nrate = \"100 Gbps\"\n[uet]\npath_selector = \"single\"\n[[traffic]]\nname = \"r\"\n"
        "kind = \"permutation\"\nshift = 4\noperation = \"read\"\nsize = \"1 MiB\"\n",
        seed));
    const results::RunResults results = results_of(scenario);
    const Result<results::PathReport> report = study_paths(scenario, {.seeds = 1});
    ASSERT_TRUE(report) << scenario::message_of(report);
    ASSERT_TRUE(results.jobs.front().allowed);
    EXPECT_NEAR(report->sets.at(0).slowest, of(results.jobs.front().allowed->slowest) / 100e9, 0.05) << seed;
    EXPECT_LE(of(results::summarise(results).jobs.front().per_sender->rate),
              of(results.jobs.front().allowed->per_sender))
        << seed;
  }
}

/// The defect: queue pairs of one message were filled one by one, and their mean was half as much again as a run
/// allows.
TEST(QueuePairsOfOneMessage, HaveInPathsWhatTheRunAllows) {
  for (const char* const use : {"split", "round-robin"}) {
    const scenario::Scenario scenario = from_text(fmt::format(
        "seed = 1\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 8\n"
        "spines = 4\n[link]\nrate = \"100 Gbps\"\n[routing]\npolicy = \"e-ecmp\"\n[[traffic]]\nname = \"p\"\n"
        "kind = \"permutation\"\nshift = 8\nsize = \"1 MiB\"\ncount = 4\nqueue_pairs = 4\nqueue_pair_use = \"{}\"\n",
        use));
    const results::RunResults results = results_of(scenario);
    const Result<results::PathReport> report = study_paths(scenario, {.seeds = 1});
    ASSERT_TRUE(report) << scenario::message_of(report);
    ASSERT_TRUE(results.jobs.front().allowed);
    const results::AllowedRates& allowed = *results.jobs.front().allowed;
    // Of payload there, and of frames here.
    EXPECT_NEAR(report->sets.at(0).mean, of(allowed.per_sender) / 100e9, 0.02) << use;
    EXPECT_NEAR(report->sets.at(0).slowest, of(allowed.slowest) / 100e9, 0.02) << use;
  }
}

}  // namespace
}  // namespace weft::study::run
