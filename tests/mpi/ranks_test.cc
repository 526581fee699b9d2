// weft over the ranks of mpirun: the same results as one process, to the last bit.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "base/test_paths.h"
#include "tests/mpi/run_ranks.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNetwork = R"(name = "ranks"
[fabric]
family = "infiniband"
[topology]
kind = "fat-tree"
tiers = 2
radix = 8
[[traffic]]
kind = "permutation"
size = "100 kB"
)";

// Two hosts of two GPUs, and a job of little work.
constexpr const char* kTraining = R"(name = "small"
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 2
nics_per_host = 2
gpus_per_host = 2
[scale_up]
entry = "nvlink4"
[[job]]
name = "train"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 4
layers = 4
tp = 2
global_batch = 4
sequence = 1024
slice = "256 KiB"
)";

std::string six_cases(std::string_view size = "100 kB") {
  std::string text = kNetwork;
  text.replace(text.find("100 kB"), 6, size);
  for (int seed = 1; seed <= 6; ++seed) {
    text += fmt::format("[[case]]\nname = \"case{}\"\nseed = {}\n", seed, seed);
  }
  return text;
}

/// Without what is of the machine: "machine": {...} of each run.
std::string without_machines(std::string json) {
  for (std::size_t at = 0; (at = json.find("\"machine\": {", at)) != std::string::npos;) {
    json.erase(at, json.find('}', at) - at);
  }
  return json;
}

void expect_alone(const std::string& arguments) {
  const int status = std::system(fmt::format("WEFT_CACHE= {} {} -q", weft_binary(), arguments).c_str());
  EXPECT_EQ(status, 0) << arguments;
}

TEST(Ranks, CasesOfARunGiveTheSameResults) {
  const TestFolder folder;
  const std::string file = folder.write("six.toml", six_cases());
  expect_alone(fmt::format("run {} --no-results --messages --json {}", file, folder / "one.json"));
  const RanksOutcome outcome = run_ranks(
      {.arguments = fmt::format("run {} -j 1 --no-results --messages --json {}", file, folder / "three.json")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("6 runs on 3 ranks: ")) << outcome.err;
  EXPECT_NE(folder.read("one.json"), "");
  EXPECT_EQ(without_machines(folder.read("one.json")), without_machines(folder.read("three.json")));
}

// By the speed of rank 0: with their own, ranks might choose others, and could not take part.
TEST(Ranks, AllChooseTheSameLevel) {
  const TestFolder folder;
  const RanksOutcome outcome =
      run_ranks({.arguments = fmt::format("run {} -j 1 --no-results --fidelity auto --budget 20s",
                                          folder.write("six.toml", six_cases()))});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("6 runs on 3 ranks: ")) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("does not take part")));
}

TEST(Ranks, AComparisonIsTheSameFile) {
  const TestFolder folder;
  const std::string file = folder.write("small.toml", kNetwork);
  const std::string compare = fmt::format("compare {} --fabrics infiniband,rocev2 --seeds 2", file);
  expect_alone(fmt::format("{} -o {}", compare, folder / "one.json"));
  const RanksOutcome outcome = run_ranks({.arguments = fmt::format("{} -j 1 -o {}", compare, folder / "three.json")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" on 3 ranks: ")) << outcome.err;
  EXPECT_NE(folder.read("one.json"), "");
  EXPECT_EQ(folder.read("one.json"), folder.read("three.json"));
}

TEST(Ranks, ScaleIsTheSameTable) {
  const TestFolder folder;
  const std::string scale =
      fmt::format("scale {}/../../examples/claims/network-bottleneck.toml --case 400g --gpus 8..32", test_data_dir());
  expect_alone(fmt::format("{} --json {}", scale, folder / "one.json"));
  const RanksOutcome outcome = run_ranks({.arguments = fmt::format("{} --json {}", scale, folder / "three.json")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(folder.read("one.json"), "");
  EXPECT_EQ(folder.read("one.json"), folder.read("three.json"));
}

// Rank 0 decides after each round which points need more seeds.
TEST(Ranks, ASweepIsTheSameWithItsRounds) {
  const TestFolder folder;
  const std::string sweep = fmt::format(
      "sweep {} --vary traffic[0].size=50kB,100kB,200kB --vary case=case1,case2 --seeds 3 --for 3% --most-seeds 6 "
      "--no-results",
      folder.write("six.toml", six_cases()));
  expect_alone(fmt::format("{} --json {}", sweep, folder / "one.json"));
  for (const char* ranks : {"-n 2", "-n 3"}) {
    const RanksOutcome outcome =
        run_ranks({.options = ranks, .arguments = fmt::format("{} -j 1 --json {}", sweep, folder / "ranks.json")});
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_NE(folder.read("one.json"), "");
    EXPECT_EQ(folder.read("one.json"), folder.read("ranks.json"));
  }
}

TEST(Ranks, ASearchIsTheSameStepByStep) {
  const TestFolder folder;
  const std::string tune =
      fmt::format("tune {} --vary switch.latency=200ns..2us --runs 40 --seeds 3", folder.write("small.toml", kNetwork));
  expect_alone(fmt::format("{} --json {}", tune, folder / "one.json"));
  for (const char* ranks : {"-n 2", "-n 3"}) {
    const RanksOutcome outcome =
        run_ranks({.options = ranks, .arguments = fmt::format("{} -j 1 --json {}", tune, folder / "ranks.json")});
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_NE(folder.read("one.json"), "");
    EXPECT_EQ(folder.read("one.json"), folder.read("ranks.json"));
  }
}

// Rank 0 decides what is run next, from flows to packets, mistakes and failures.
TEST(Ranks, APlanIsTheSameIterationByIteration) {
  const TestFolder folder;
  const std::string plan = fmt::format(
      "plan {} --networks rocev2,infiniband --nics connectx-7 --switches tomahawk-5,quantum-2 --rails 2 --designs 3 "
      "--iterations 2 --finalists 2 --seeds 2 --mistakes 2 --no-cache",
      folder.write("small.toml", kTraining));
  expect_alone(fmt::format("{} --json {}", plan, folder / "one.json"));
  for (const char* ranks : {"-n 2", "-n 3"}) {
    const RanksOutcome outcome =
        run_ranks({.options = ranks, .arguments = fmt::format("{} -j 1 --json {}", plan, folder / "ranks.json")});
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(" ranks: ")) << outcome.err;
    EXPECT_NE(folder.read("one.json"), "");
    EXPECT_EQ(folder.read("one.json"), folder.read("ranks.json"));
  }
}

TEST(Ranks, ClaimsAreJudgedByRunsOfAllRanks) {
  const TestFolder folder;
  const std::string claims =
      fmt::format("claims cut-through routable --folder {}/../../examples/claims", test_data_dir());
  expect_alone(fmt::format("{} --json {}", claims, folder / "one.json"));
  const RanksOutcome outcome =
      run_ranks({.arguments = fmt::format("{} -j 1 --json {}", claims, folder / "three.json")});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" on 3 ranks: ")) << outcome.err;
  EXPECT_NE(folder.read("one.json"), "");
  EXPECT_EQ(folder.read("one.json"), folder.read("three.json"));
}

TEST(Ranks, ARunThatIsNotDividedIsDoneByRankZeroWhichSaysWhy) {
  const TestFolder folder;
  const RanksOutcome outcome =
      run_ranks({.arguments = fmt::format("run {} --no-results", folder.write("small.toml", kNetwork))});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("rank 0 simulates this run alone: its network is not divided into partitions"));
}

/// 128 hosts, so that the network is divided; PFC, marks and samples have something to say.
std::string large_network(std::string_view family, std::string_view traffic) {
  return fmt::format(R"(name = "large"
[fabric]
family = "{}"
[topology]
kind = "fat-tree"
tiers = 3
radix = 8
[link.leaf]
propagation = "300 ns"
[link.spine]
propagation = "500 ns"
[output]
sample_interval = "20 us"
{})",
                     family, traffic);
}

TEST(Ranks, StreamsAreNotShared) {
  const TestFolder folder;
  const std::string file =
      folder.write("streams.toml", large_network("tcp", "[[traffic]]\nkind = \"permutation\"\nsize = \"100 kB\"\n"));
  const RanksOutcome outcome = run_ranks({.options = "-n 2", .arguments = fmt::format("run {} --no-results", file)});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("rank 0 simulates this run alone: kernel TCP and iWARP are not shared"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("exchanges")));
}

TEST(Ranks, OneRunIsSharedAndGivesTheSameResults) {
  const TestFolder folder;
  constexpr std::string_view kPermutation = "[[traffic]]\nkind = \"permutation\"\nsize = \"300 kB\"\n";
  constexpr std::string_view kIncast = "[[traffic]]\nkind = \"incast\"\nfan_in = 30\nsize = \"400 kB\"\n";
  constexpr std::string_view kReduce = "[[traffic]]\nkind = \"collective\"\nsize = \"4 MB\"\n";
  for (const auto& [family, traffic] :
       {std::pair{"infiniband", kPermutation}, {"rocev2", kIncast}, {"uet", kPermutation}, {"rocev2", kReduce}}) {
    const std::string file = folder.write("large.toml", large_network(family, traffic));
    expect_alone(fmt::format("run {} --no-results --messages --json {}", file, folder / "one.json"));
    for (const char* ranks : {"-n 2", "-n 3"}) {
      const RanksOutcome outcome =
          run_ranks({.options = ranks,
                     .arguments = fmt::format("run {} --no-results --messages --threads 2 --json {}", file,
                                              folder / "ranks.json"),
                     .environment = "WEFT_CACHE="});
      EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr("exchanges")) << family << outcome.err;
      EXPECT_NE(folder.read("one.json"), "");
      EXPECT_EQ(without_machines(folder.read("one.json")), without_machines(folder.read("ranks.json"))) << family;
    }
  }
}

TEST(Ranks, OtherCommandsRunOnce) {
  const TestFolder folder;
  const RanksOutcome outcome = run_ranks({.arguments = "show " + folder.write("small.toml", kNetwork)});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("weft show: runs on rank 0 alone"));
  EXPECT_EQ(outcome.out.find("topology.tiers"), outcome.out.rfind("topology.tiers"));
}

TEST(Ranks, ARankWithOtherFilesIsLeftOut) {
  const TestFolder folder;
  const std::string file = folder.write("six.toml", six_cases("5 MB"));
  const std::string other = folder.write("other.toml", six_cases("5 MB") + "[[case]]\nname = \"more\"\nseed = 9\n");
  const std::string run = fmt::format("run {} -j 1 --no-results --json {}", file, folder / "json");
  const RanksOutcome outcome =
      run_ranks({.options = "-n 1", .arguments = fmt::format("{} : -n 1 weft run {} -j 1", run, other)});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("6 runs on 2 ranks: 6, 0"));
  EXPECT_THAT(outcome.err, HasSubstr("does not take part: it has another build of weft, or other files, than rank 0"));
  const RanksOutcome missing = run_ranks(
      {.options = "-n 1", .arguments = fmt::format("{} : -n 1 weft run {} -j 1", run, folder / "missing.toml")});
  EXPECT_EQ(missing.exit_status, 0) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("6 runs on 2 ranks: 6, 0"));
  EXPECT_THAT(missing.err, HasSubstr("rank 1 does not take part: weft run: "));
}

TEST(Ranks, WrongInputIsSaidOnce) {
  const RanksOutcome outcome = run_ranks({.arguments = "run missing.toml"});
  EXPECT_EQ(outcome.exit_status, 2);
  const std::size_t at = outcome.err.find("missing.toml: No such file");
  EXPECT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(at, outcome.err.rfind("missing.toml: No such file"));
}

TEST(Ranks, AnotherMpisRanksDoNotRunTheSameJobEach) {
  const TestFolder folder;
  const std::string run = fmt::format("{} run {} --no-results >{} 2>&1", weft_binary(),
                                      folder.write("small.toml", kNetwork), folder / "said");
  EXPECT_EQ(WEXITSTATUS(std::system(("PMI_SIZE=4 PMI_RANK=0 " + run).c_str())), 2);
  EXPECT_THAT(folder.read("said"), HasSubstr("mpirun of another MPI"));
  EXPECT_EQ(WEXITSTATUS(std::system(("PMI_SIZE=4 PMI_RANK=1 " + run).c_str())), 0);
  EXPECT_EQ(folder.read("said"), "");
  const std::string show = fmt::format("{} show {} >{} 2>&1", weft_binary(), folder / "small.toml", folder / "shown");
  EXPECT_EQ(WEXITSTATUS(std::system(("PMI_SIZE=4 PMI_RANK=0 " + show).c_str())), 0);
  EXPECT_THAT(folder.read("shown"), HasSubstr("topology.tiers"));
}

}  // namespace
}  // namespace weft::test
