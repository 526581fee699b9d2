// `weft compare` as a user meets it: what it prints and writes, what it says of wrong input, and that an interrupted
// comparison goes on where it stopped.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

const fs::path kExamples = fs::path(test_data_dir()) / "../../examples";
const std::string kIncast = (kExamples / "incast.toml").string();

class Compare : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("weft_compare_test_{}", ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string in(const std::string& name) const { return (folder_ / name).string(); }

  static std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path folder_;
};

Json fabric_of(const Json& document, const std::string& name) {
  for (const Json& own : document.at("fabrics")) {
    if (own.at("name") == name) {
      return own;
    }
  }
  ADD_FAILURE() << "no fabric " << name;
  return {};
}

TEST_F(Compare, AnswersForEveryFabric) {
  const Outcome outcome = run_weft(fmt::format(
      "compare {} --set host.profile=modern --fabrics infiniband,rocev2,tcp --seeds 2 --quiet --out {} --json - "
      "--report {}",
      kIncast, folder_.string(), in("report.html")));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document, Json::parse(text_of(in("compare-incast.json"))));
  EXPECT_THAT(text_of(in("report.html")), HasSubstr("weft-comparison"));
  for (const Json& fabric : document.at("fabrics")) {
    ASSERT_TRUE(fabric.at("possible").get<bool>()) << fabric.at("name");
    EXPECT_EQ(fabric.at("step_times_s").size(), 2U);
    double together = fabric.value("compute_s", 0.0);
    for (const Json& lost : fabric.at("lost_time")) {
      EXPECT_GE(lost.at("s").get<double>(), 0) << fabric.at("name") << lost;
      together += lost.at("s").get<double>();
    }
    EXPECT_NEAR(together, fabric.at("step_time_s").get<double>(), 1e-12) << fabric.at("name");
  }
  const auto latency = [&](const char* name) {
    return fabric_of(document, name).at("small_message").at("idle_us").get<double>();
  };
  EXPECT_LT(latency("infiniband"), latency("rocev2"));
  EXPECT_LT(latency("rocev2"), latency("tcp"));
  EXPECT_FALSE(document.at("verdict").empty());
}

// By what protocols and hosts do; as far as the intervals can tell.
TEST_F(Compare, AStepIsShortestOnInfinibandAndLongestOverTcp) {
  const Outcome outcome = run_weft(fmt::format(
      "compare {} --set host.profile=modern --set host.memory=host --set job[0].slice_hops=8000000 --fabrics "
      "infiniband,rocev2,tcp --seeds 2 --no-risk --no-explain --quiet --out {} --json -",
      (kExamples / "tutorial.toml").string(), folder_.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  const auto no_longer = [&](const char* one, const char* other) {
    EXPECT_LE(fabric_of(document, one).at("step_time_low_s").get<double>(),
              fabric_of(document, other).at("step_time_high_s").get<double>())
        << one << " against " << other;
  };
  no_longer("infiniband", "rocev2");
  no_longer("rocev2", "tcp");
  EXPECT_LT(fabric_of(document, "infiniband").at("step_time_s").get<double>(),
            fabric_of(document, "tcp").at("step_time_s").get<double>());
}

TEST_F(Compare, AMisSetRoceIsWorseThanATunedOneUnderIncast) {
  const Outcome outcome = run_weft(fmt::format(
      "compare {} --fabrics rocev2 --seeds 3 --no-explain --quiet --out {} --json -", kIncast, folder_.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json fabric = fabric_of(Json::parse(outcome.out), "rocev2");
  const double beyond_noise =
      fabric.at("step_time_high_s").get<double>() / fabric.at("step_time_low_s").get<double>() - 1;
  EXPECT_GT(fabric.at("tuning_risk").at("worst").get<double>(), beyond_noise);
}

TEST_F(Compare, AnInterruptedOneGoesOnToTheSameResultWithoutACache) {
  const std::string command =
      fmt::format("compare {} --fabrics infiniband,rocev2 --seeds 4 --jobs 1 --quiet --no-cache --out ", kIncast);
  const Outcome whole = run_weft(command + in("whole.json"));
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  // Interrupted as soon as another run is kept; each try goes on from the one before.
  const std::string count = fmt::format("$(ls {} 2>/dev/null | wc -l)", in("parts.json.parts"));
  bool interrupted = false;
  Outcome last;
  for (int i = 0; i < 5; ++i) {
    last = run_weft(
        fmt::format("{}{} & pid=$!; before={}; for i in $(seq 400); do [ {} -gt $before ] && break; sleep 0.02; "
                    "done; kill -TERM $pid 2>/dev/null; wait $pid",
                    command, in("parts.json"), count, count));
    interrupted = interrupted || last.exit_status == 130;
    if (last.exit_status == 0) {
      break;
    }
    ASSERT_EQ(last.exit_status, 130) << last.err;
    EXPECT_THAT(last.err, HasSubstr("the same command goes on from there"));
  }
  last = run_weft(command + in("parts.json"));
  ASSERT_EQ(last.exit_status, 0) << last.err;
  EXPECT_TRUE(interrupted);
  Json one = Json::parse(text_of(in("whole.json")));
  Json other = Json::parse(text_of(in("parts.json")));
  EXPECT_EQ(one, other);
  EXPECT_FALSE(fs::exists(in("parts.json.parts")));
}

/// A shell has a command in the background of a script ignore SIGINT, which held as long as the work was planned: for
/// half a minute here.
TEST_F(Compare, EndsAtAnInterruptWhileItPlansWhereItsParentIgnoresThem) {
  const Outcome outcome = run_weft(
      fmt::format("compare {} --quick --quiet --no-cache --out {} & pid=$!; for i in $(seq 50); do "
                  "kill -INT $pid 2>/dev/null || break; sleep 0.1; done; kill -KILL $pid 2>/dev/null; wait $pid",
                  (kExamples / "mixtral-512gpu.toml").string(), in("long.json")));
  EXPECT_EQ(outcome.exit_status, 130) << outcome.err;
}

TEST_F(Compare, WhatCannotServeTheScenarioSaysWhy) {
  const Outcome outcome = run_weft(fmt::format(
      "compare {} --set topology.domains=routed --fabrics rocev1,rocev2 --seeds 1 --no-risk --no-explain --out {}",
      kIncast, folder_.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("rocev1: not possible: "));
  EXPECT_THAT(outcome.out, HasSubstr("rocev1 cannot serve this job"));
}

TEST_F(Compare, TheCommandThatReproducesItIsQuotedAndNamesTheCatalogue) {
  const std::string scenario = in("it's mine.toml");
  fs::copy_file(kIncast, scenario);
  const std::string catalogue = in("our catalogue");
  fs::create_directories(catalogue);
  const Outcome outcome = run_weft(fmt::format(
      "compare \"{}\" --fabrics rocev2 --quick --quiet --no-cache --catalogue '{}' --set 'name=a b' --set stop=20us "
      "--out '{}' --json -",
      scenario, catalogue, in("first.json")));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const std::string command = Json::parse(outcome.out).at("reproduce").get<std::string>();
  EXPECT_THAT(command, HasSubstr(fmt::format("--catalogue '{}'", catalogue)));
  EXPECT_THAT(command, HasSubstr("--set 'name=a b'"));
  // Pasted into a shell, it gives the same again.
  const std::string arguments = command.substr(std::string("weft ").size());
  const Outcome again =
      run_weft(fmt::format("{} --quiet --no-cache --out '{}' --json -", arguments, in("second.json")));
  EXPECT_EQ(again.out, outcome.out) << again.err;
}

TEST_F(Compare, EachSchemeOfLoadBalancingIsARow) {
  const Outcome outcome = run_weft(
      fmt::format("compare '{}' --set topology.hosts=16 --set topology.hosts_per_leaf=4 --set 'traffic[0].size=1 MiB' "
                  "--routing ecmp,spray-in-order,spray --seeds 2 --no-risk --no-explain --quiet --no-cache --out {} "
                  "--json -",
                  (kExamples / "load-balancing.toml").string(), folder_.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  std::map<std::string, double> steps;
  for (const Json& fabric : document.at("fabrics")) {
    steps[fabric.at("name").get<std::string>()] = fabric.at("step_time_s").get<double>();
  }
  ASSERT_EQ(steps.size(), 3U);
  // Eight flows from each pair of leaves collide by hash; sprayed they do not, if the order is of no concern.
  EXPECT_LT(steps.at("rocev2+spray") * 1.5, steps.at("rocev2+ecmp"));
  EXPECT_LT(steps.at("rocev2+ecmp"), steps.at("rocev2+spray-in-order"));
  EXPECT_THAT(document.at("reproduce").get<std::string>(), HasSubstr("--routing ecmp,spray-in-order,spray"));
}

TEST_F(Compare, AWrongKeyOfTheScenarioIsOneErrorAndNoFaultOfANetwork) {
  const std::string text = text_of(kIncast);
  const auto refused = [&](const std::string& more, const std::string& what) {
    std::ofstream(in("wrong.toml")) << text << more;
    const Outcome outcome = run_weft("compare " + in("wrong.toml") + " --fabrics infiniband,rocev2 --out " + in("out"));
    EXPECT_EQ(outcome.exit_status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("wrong.toml:"));
    EXPECT_THAT(outcome.err, HasSubstr(what));
    EXPECT_EQ(outcome.err.find("fabric can serve"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  };
  refused("\n[[case]]\nname = \"tcp\"\ntransport.retry_cuont = 3\n", "retry_cuont");
  refused("\n[[case]]\nname = \"tcp\"\ntransport.retry_count = 8\n", "transport.retry_count");
}

TEST_F(Compare, WrongInputIsRefused) {
  const auto refused = [](const std::string& arguments, const std::string& said) {
    const Outcome outcome = run_weft("compare " + arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
  };
  refused("no-such-file.toml", "no-such-file.toml");
  refused(kIncast + " --fabrics infinband", "did you mean 'infiniband'");
  refused(kIncast + " --fabrics tcp,tcp", "named twice");
  refused(kIncast + " --routing dril", "did you mean 'drill'");
  refused(kIncast + " --routing lft --fabrics rocev2,tcp", "'lft' serves none of rocev2, tcp");
  refused(kIncast + " --fabrics tcp+reps", "'reps' does not serve tcp");
  refused(kIncast + " --weights fast", "existing-ethernet");
  refused(kIncast + " --seeds 0", "--seeds");
  refused(kIncast + " --hardware new", "hardware");
  refused(kIncast + " --case rocev2", "--fabrics");
  refused(kIncast + " --sizes 64", "one [[job]]");
}

TEST_F(Compare, AScenarioThatNoFabricCanServeIsAnsweredInOneLineWithEachReasonOnce) {
  const Outcome outcome = run_weft(
      fmt::format("compare '{}' --set 'job[0].model=\"llama3-9b\"'", (kExamples / "llama3-8b-128gpu.toml").string()));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.err.find("did you mean"), outcome.err.rfind("did you mean")) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("unknown model 'llama3-9b'"));
  EXPECT_EQ(outcome.err.find('?', outcome.err.find("did you mean")), outcome.err.rfind('?')) << outcome.err;
}

}  // namespace
}  // namespace weft::test
