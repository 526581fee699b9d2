// `weft plan` as a user meets it: a small cluster from question to front, what it writes, and what it says of wrong
// input.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Two hosts of two GPUs, and a job of little work.
constexpr const char* kSmall = R"(name = "small"
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

constexpr const char* kFew =
    "--networks rocev2,infiniband --nics connectx-7 --switches tomahawk-5,quantum-2 --rails 2 --designs 4 "
    "--iterations 2 --finalists 2 --seeds 2 --mistakes 2 --no-failures";

class Plan : public testing::Test {
 protected:
  Plan() : folder_(fs::temp_directory_path() / fmt::format("weft_plan_{}", ::getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "small.toml") << kSmall;
  }
  ~Plan() override { fs::remove_all(folder_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  [[nodiscard]] Outcome plan(const std::string& arguments) const {
    return run_weft(fmt::format("plan {} {}", (folder_ / "small.toml").string(), arguments));
  }
  void expect_refused(const std::string& arguments, const std::string& said) const {
    const Outcome outcome = plan(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
  }

  fs::path folder_;
};

TEST_F(Plan, GivesAFrontWithBillsAndScenariosThatLoad) {
  const std::string folder = (folder_ / "designs").string();
  const std::string cables = (folder_ / "cables.csv").string();
  const Outcome outcome = plan(fmt::format("{} --grow 8 --json - --write {} --cabling {}", kFew, folder, cables));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  std::size_t on_front = 0;
  for (const Json& design : result["designs"]) {
    if (!design["on_front"].get<bool>()) {
      continue;
    }
    ++on_front;
    EXPECT_GE(design["measured"]["step_s"].get<double>(), design["bound"]["step_s"].get<double>());
    EXPECT_GE(design["usd_per_million_tokens"].get<double>(), design["bound"]["usd_per_million_tokens"].get<double>());
    EXPECT_FALSE(design["bill"]["bill"].empty());
    EXPECT_EQ(design["growth"]["gpus"], 8);
    const Outcome shown = run_weft("show " + design["scenario"].get<std::string>());
    EXPECT_EQ(shown.exit_status, 0) << shown.err;
  }
  EXPECT_GT(on_front, 0U);
  EXPECT_TRUE(fs::exists(cables));
  EXPECT_EQ(result["not_taken"].size(), 4U);  // family, kind, hosts, nics_per_host
}

TEST_F(Plan, TheNumberOfJobsChangesNothing) {
  const std::string arguments = fmt::format("{} --no-cache --json -", kFew);
  const Outcome one = plan(arguments + " -j 1");
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_EQ(one.out, plan(arguments + " -j 2").out);
  EXPECT_EQ(one.out, plan(arguments + " -j 3").out);
}

std::set<std::string> front_of(const Json& result) {
  std::set<std::string> names;
  for (const Json& design : result["designs"]) {
    if (design["on_front"].get<bool>()) {
      names.insert(design["name"].get<std::string>());
    }
  }
  return names;
}

// Of all designs of this question each is run, and those that bounds would have dropped are not on the front.
TEST_F(Plan, NothingThatABoundDropsIsOnTheFront) {
  const std::string arguments =
      "--set topology.hosts=16 --set job[0].gpus=32 --set job[0].global_batch=32 --networks rocev2,infiniband "
      "--nics connectx-6,connectx-7,thor-ultra --switches tomahawk-4,tomahawk-6,quantum-1,quantum-2 --rails 1,2 "
      "--planes 1 --shapes single-switch,leaf-spine,rail-optimised --designs 1000 --iterations 0 --finalists 0 "
      "--grow 64 --json -";
  const Outcome pruned = plan(arguments);
  ASSERT_EQ(pruned.exit_status, 0) << pruned.err;
  const Outcome whole = plan(arguments + " --no-pruning");
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  const Json few = Json::parse(pruned.out);
  const Json all = Json::parse(whole.out);
  EXPECT_GT(few["counts"]["by_bound"], 0);
  EXPECT_EQ(few["counts"]["not_run"], 0);
  EXPECT_EQ(all["counts"]["by_bound"], 0);
  EXPECT_EQ(all["counts"]["not_run"], 0);
  EXPECT_GT(all["counts"]["runs"], few["counts"]["runs"]);
  EXPECT_GT(front_of(all).size(), 3U);
  EXPECT_EQ(front_of(few), front_of(all));
  for (const Json& design : all["designs"]) {
    if (design.contains("measured")) {
      EXPECT_GE(design["measured"]["step_s"].get<double>(), design["bound"]["step_s"].get<double>()) << design["name"];
    }
  }
}

// What is written loads again and has the ports that it says.
TEST_F(Plan, SplitPortsDragonfliesAndToriAreBuiltAndCabled) {
  const std::string cables = (folder_ / "cables.csv").string();
  const auto only = [&](const std::string& options) {
    const Outcome outcome = plan(
        fmt::format("--set topology.hosts=16 --set job[0].gpus=32 --set job[0].global_batch=128 --rails 2 --designs 1 "
                    "--iterations 0 --finalists 0 --no-cache --json - --write {} --cabling {} {}",
                    (folder_ / "designs").string(), cables, options));
    EXPECT_EQ(outcome.exit_status, 0) << options << outcome.err;
    const Json design = Json::parse(outcome.out)["designs"][0];
    const Outcome shown = run_weft("show " + design["scenario"].get<std::string>());
    EXPECT_EQ(shown.exit_status, 0) << shown.err;
    std::ifstream file(cables);
    return design["name"].get<std::string>() + "\n" +
           std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  EXPECT_THAT(only("--networks rocev2 --nics connectx-6 --switches tomahawk-4 --shapes single-switch --breakout 2"),
              AllOf(HasSubstr("ports split in 2"), HasSubstr(",port0/1,"), HasSubstr("breakout")));
  EXPECT_THAT(
      only("--networks infiniband --nics connectx-6 --switches quantum-1 --shapes torus --set topology.hosts=64 "
           "--set job[0].gpus=128 --breakout 1"),
      HasSubstr("torus "));
  EXPECT_THAT(only("--networks infiniband --nics connectx-6 --switches quantum-1 --shapes dragonfly-plus --breakout 1"),
              HasSubstr(" of 4 groups"));
}

TEST_F(Plan, LimitsThatNothingKeepsAreAnError) {
  expect_refused("--networks rocev2 --budget 1000", "no design keeps to what is asked for");
  expect_refused("--networks rocev2 --power 1W", "no design keeps to what is asked for");
  expect_refused("--networks rocev2 --deadline 1ms --tokens 1T", "no design keeps to what is asked for");
}

constexpr const char* kOne =
    "--networks rocev2 --nics connectx-7 --switches tomahawk-5 --shapes single-switch --rails 2 --iterations 0 "
    "--finalists 1 --seeds 1 --mistakes 0 --no-failures";

// A deadline between the lower bound of the one design's step and the step that it has.
TEST_F(Plan, ADeadlineThatNoDesignThatWasRunKeepsIsAnError) {
  const Outcome free = plan(fmt::format("{} --json -", kOne));
  ASSERT_EQ(free.exit_status, 0) << free.err;
  const Json design = Json::parse(free.out)["designs"][0];
  const double bound = design["bound"]["step_s"];
  const double step = design["measured"]["step_s"];
  ASSERT_LT(bound, step);
  const Outcome outcome = plan(fmt::format("{} --deadline {}ms", kOne, (bound + step) / 2 * 1e3));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no design keeps to what was asked for: of 1 design run, none has a step within"));
}

// Two designs of which neither can be run, and one is asked for.
TEST_F(Plan, WhereNoDesignCanBeRunTheReasonIsSaidAndTheOthersAreTried) {
  const Outcome outcome = plan(
      "--networks rocev2 --nics connectx-7 --switches tomahawk-5 --shapes single-switch --rails 1,2 --designs 1 "
      "--iterations 0 --set stop=1ns --no-failures --json -");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no design can be run: "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("run at level")));
  EXPECT_THAT(outcome.err, Not(HasSubstr("asked for")));
  const Json result = Json::parse(outcome.out);
  ASSERT_EQ(result["designs"].size(), 2u);
  for (const Json& design : result["designs"]) {
    EXPECT_FALSE(design.contains("keeps_limits")) << design;
    EXPECT_FALSE(design["reason"].get<std::string>().empty());
  }
}

// It came after the bounds of all designs, which of a large space are minutes.
TEST_F(Plan, ADomainThatNoDesignHasGpusForIsRefusedBeforeTheBounds) {
  const Outcome outcome = plan("--networks rocev2 --domains 2,3");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--domains: 2 hosts of 2 GPUs are 4 GPUs, not a multiple of the domain size 3"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("bounds of")));
}

TEST_F(Plan, TheBillSaysNothingOfRunningThatTheTotalKnows) {
  const Outcome outcome = plan(kOne);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("assumed: the cluster runs for 4 years (cost.years)"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("cost.years is not set")));
  EXPECT_THAT(outcome.out, HasSubstr("not included: energy: cost.energy_price is not set"));
}

TEST_F(Plan, ADeviceThatDoesNotServeANetworkIsTheReason) {
  expect_refused("--networks infiniband --switches tomahawk-5 --nics connectx-7",
                 "no design: infiniband: --switches tomahawk-5 does not serve it");
  const Outcome outcome = plan("--networks infiniband --switches tomahawk-5 --nics connectx-7");
  EXPECT_THAT(outcome.err, Not(HasSubstr("ports")));
}

/// The defect: it was said that there were too few ports.
TEST_F(Plan, OneSwitchThatTakesAllIsTheReason) {
  const std::string few = "--networks rocev2 --switches tomahawk-5 --nics connectx-7 --rails 2 --planes 1 --shapes ";
  for (const char* const shape : {"leaf-spine", "fat-tree"}) {
    expect_refused(few + shape,
                   "one switch has ports for 4 GPUs, so there is no leaf-spine or fat-tree; name --shapes");
    EXPECT_THAT(plan(few + shape).err, Not(HasSubstr("none has ports")));
  }
}

/// The defect: plans added stragglers that their text did not name and their scenarios did not have.
TEST_F(Plan, WhatIsWrittenRunsAsThePlanSays) {
  const Outcome outcome = plan(fmt::format("{} --json - --write {}", kOne, (folder_ / "designs").string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  ASSERT_EQ(result["assumed"].size(), 1u);
  EXPECT_THAT(result["assumed"][0].get<std::string>(), HasSubstr("job[0].straggler=uniform to 1%"));
  const Json design = result["designs"][0];
  const std::string file = design["scenario"];
  const Outcome run = run_weft("run " + file + " --no-cache --json -");
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const double step = Json::parse(run.out)["runs"][0]["steps"][0]["step_time_s"];
  const double planned = design["measured"]["step_s"];
  EXPECT_GE(step, design["measured"].value("low_s", planned) * (1 - 1e-9));
  EXPECT_LE(step, design["measured"].value("high_s", planned) * (1 + 1e-9));
  // Without them it is another step.
  const Outcome even = run_weft("run " + file + " --set job[0].straggler=none --no-cache --json -");
  ASSERT_EQ(even.exit_status, 0) << even.err;
  EXPECT_LT(Json::parse(even.out)["runs"][0]["steps"][0]["step_time_s"].get<double>(), step);
}

/// Parts that stay are in the list as well: the switch was missing from it.
TEST_F(Plan, GrowthNamesAllParts) {
  const Outcome outcome = plan(fmt::format("{} --grow 8", kOne));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("tomahawk-5: 1 kept, 0 added, 0 left over"));
}

TEST_F(Plan, AClusterGrowsByWholeHosts) {
  const Outcome outcome = plan(fmt::format("{} --grow 5", kOne));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("6 GPUs (whole hosts): as single-switch of 1 tier, "));
  EXPECT_THAT(outcome.err, HasSubstr("1 design with packets, 1 seed each"));
}

TEST_F(Plan, WrongInputIsRefusedWithWhatWouldBeRight) {
  expect_refused("--budget 20EUR", "--budget '20EUR': expected an amount of US dollars, such as 20M");
  expect_refused("--power 12", "expected a power, such as 800kW");
  expect_refused("--deadline soon", "expected a time such as 30d");
  expect_refused("--tokens 2T", "--tokens needs --deadline");
  expect_refused("--grow 4", "the job has 4 GPUs already");
  expect_refused("--networks rocev3", "--networks");
  expect_refused("--shapes fat-trees", "did you mean 'fat-tree'");
  expect_refused("--oversubscription 2", "--oversubscription");
  expect_refused("--nics connectx-77", "--nics");
  expect_refused("--budget 0", "--budget '0': it must be above 0; expected an amount of US dollars");
  expect_refused("--power -3kW", "--power '-3kW': it must be above 0");
  expect_refused("--deadline 0s", "--deadline '0s': it must be above 0");
  expect_refused("--deadline 30d --tokens 999999999T", "--tokens '999999999T': too much");
  expect_refused("--json - --csv -", "cannot share standard output; name a file for all but one");
  expect_refused("--json - --cabling -", "cannot share standard output");
}

/// The defect: of either it was said that no shape takes so many --planes or --tors, which nobody had asked for, and of
/// a domain that does not fit that a --set was wrong that nobody had given.
TEST_F(Plan, OptionsThatExcludeEachOtherAreNamed) {
  expect_refused("--networks rocev2 --shapes torus",
                 "no design: a torus is built of infiniband and uet alone; name one");
  expect_refused("--networks rocev2 --tors 3",
                 "no design: a NIC has a port for each of --planes or of --tors, not both");
  expect_refused(
      "--networks rocev2 --nics connectx-7 --switches tomahawk-5 --shapes single-switch --designs 1 "
      "--iterations 0 --finalists 0 --domains 3",
      "no design can be run: --domains: 2 hosts of 2 GPUs are 4 GPUs, not a multiple");
}

}  // namespace
}  // namespace weft::test
