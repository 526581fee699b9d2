// `weft sweep` as a user meets it: what it finds, what it writes, how it goes on, and what it says of wrong input.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::HasSubstr;

// Three senders to one receiver: the completion of the last is that of the receiver's line, whatever the buffer is.
constexpr const char* kScenario = R"(name = "fan-in"
hardware = "equal"
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
[link]
rate = "100 Gbps"
[[traffic]]
name = "in"
kind = "incast"
size = "256 KiB"
[[case]]
name = "plain"
[[case]]
name = "large"
switch.buffer = "64 MiB"
)";

class Sweep : public testing::Test {
 protected:
  Sweep() : folder_(fs::temp_directory_path() / fmt::format("weft_sweep_{}", ::getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "fan-in.toml") << kScenario;
  }
  ~Sweep() override { fs::remove_all(folder_); }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  [[nodiscard]] std::string in(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] Outcome sweep(const std::string& arguments) const {
    return run_weft(fmt::format("sweep {} --out {} {}", in("fan-in.toml"), in("all.weft"), arguments));
  }
  [[nodiscard]] Json json(const std::string& arguments) const {
    const Outcome outcome = sweep(arguments + " --json -");
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    return outcome.exit_status == 0 ? Json::parse(outcome.out) : Json();
  }
  void expect_refused(const std::string& arguments, const std::string& said) const {
    const Outcome outcome = sweep(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }

  fs::path folder_;
};

// The line of the receiver decides: three messages of twice the size take twice as long, within what headers, start and
// acknowledgements are (2 %); the buffer changes nothing.
TEST_F(Sweep, FindsWhatMattersAndWhatDoesNot) {
  const Json sweep = json(
      "--vary traffic[0].size=1MiB,2MiB --vary switch.buffer=32MiB,64MiB --seeds 3 --measure fct-max "
      "--set congestion_control.algorithm=none");
  EXPECT_EQ(sweep["format"], "weft-sweep");
  EXPECT_THAT(sweep["command"].get<std::string>(), HasSubstr("--vary 'traffic[0].size=1MiB,2MiB'"));
  const Json& figure = sweep["figures"][0];
  ASSERT_EQ(figure["effects"].size(), 2u);
  const double mean = figure["mean"];
  EXPECT_EQ(figure["effects"][0]["verdict"], "matters");
  EXPECT_EQ(figure["effects"][1]["verdict"], "does-not-matter");
  EXPECT_NEAR(figure["effects"][0]["effect"].get<double>() / mean, 2.0 / 3, 0.02);
  const double least = 3 * 1048576.0 * 8 / 100e9;  // payload alone, at the line's rate
  const double first = sweep["points"][0]["fct-max"]["mean"];
  EXPECT_GT(first, least);
  EXPECT_LT(first, least * 1.1);
  EXPECT_GT(figure["effects"][0]["variance_share"].get<double>(), 0.99);
}

TEST_F(Sweep, TextHasPointsEffectsAndTheBestCommand) {
  const Outcome outcome = sweep("--vary traffic[0].size=64KiB,128KiB --vary case --seeds 2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected :
       {"4 points of 2 keys, a grid, 2 seeds each from seed 1 on, 8 runs; fidelity: packet", "size 64KiB, plain",
        "best: ", "weft run ", "--set 'traffic[0].size=64KiB'", "interaction of", "size and case",
        "begin up to 1 us later", "results of all runs in "}) {
    EXPECT_THAT(outcome.out, HasSubstr(expected));
  }
}

TEST_F(Sweep, EveryRunIsInOneResultsFileThatAReportReads) {
  const Outcome outcome = sweep("--vary case --seeds 2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const Outcome report = run_weft(fmt::format("report {} --json {}", in("all.weft"), in("report.json")));
  EXPECT_EQ(report.exit_status, 0) << report.err;
  std::ifstream file(in("report.json"));
  EXPECT_EQ(Json::parse(file)["fabrics"].size(), 4u);
}

TEST_F(Sweep, CsvHasARowPerPointRunAndEffect) {
  const Outcome outcome = sweep("--vary traffic[0].size=64KiB,128KiB,256KiB --seeds 2 -q --csv " + in("csv"));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto lines = [this](const std::string& name) {
    std::ifstream file(in("csv/" + name));
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  EXPECT_EQ(lines("points.csv"), 4);
  EXPECT_EQ(lines("runs.csv"), 7);
  EXPECT_EQ(lines("effects.csv"), 2);
}

TEST_F(Sweep, TheNumberOfJobsChangesNothing) {
  const std::string arguments =
      "--vary traffic[0].size=64KiB..256KiB --vary ethernet.priority.3.kmin=10kB..200kB:log --sample 12 --seeds 2 "
      "--for 5% --no-cache";
  const Json one = json(arguments + " -j 1");
  EXPECT_EQ(one, json(arguments + " -j 2"));
  EXPECT_EQ(one, json(arguments + " -j 3"));
  EXPECT_EQ(one["design"], "latin-hypercube");
  EXPECT_EQ(one["points"].size(), 12u);
}

TEST_F(Sweep, WhatIsInTheCacheIsNotRunAgain) {
  const std::string cached =
      fmt::format("--version >/dev/null; WEFT_CACHE={} {} sweep {} --no-results --vary case --seeds ", in("cache"),
                  weft_binary(), in("fan-in.toml"));
  const Outcome first = run_weft(cached + "2");
  EXPECT_EQ(first.exit_status, 0) << first.err;
  const Outcome second = run_weft(cached + "3");
  EXPECT_EQ(second.exit_status, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("4 of 6 runs were in the cache"));
}

TEST_F(Sweep, APointThatCannotBeRunIsLeftOutWithItsReason) {
  const Outcome outcome = sweep(
      "--vary ethernet.priority.3.kmin=100kB,9MB --vary traffic[0].size=64KiB,128KiB "
      "--set ethernet.priority.3.kmax=400kB --seeds 2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("not possible: kmin 9MB, size 64KiB: "));
  EXPECT_THAT(outcome.out, HasSubstr("best: kmin 100kB"));
}

TEST_F(Sweep, WhereNoPointIsPossibleItIsWrongInput) {
  const Outcome outcome =
      sweep("--vary ethernet.priority.3.kmin=8MB,9MB --set ethernet.priority.3.kmax=400kB --seeds 2");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no point is possible; kmin 8MB: "));
}

TEST_F(Sweep, WrongInputIsRefusedInOneLine) {
  expect_refused("", "--vary is required");
  expect_refused("--vary switch.bufer=1MiB,2MiB", "did you mean 'buffer'");
  expect_refused("--vary switch.buffer=1us,2us", "--vary switch.buffer: ");
  expect_refused("--vary switch.buffer=4MiB..1MiB:3", "is empty; the smaller value comes first");
  expect_refused("--vary switch.buffer=1MiB..4MiB", "a grid needs a number of levels");
  expect_refused("--vary switch.buffer=1MiB,2MiB --case large", "the case 'large' gives this key its own value");
  expect_refused("--vary case --case large", "--case large chooses one");
  expect_refused("--vary case --measure fct-p98", "did you mean 'fct-p99'");
  expect_refused("--vary case --measure drops,drops", "drops is there twice");
  expect_refused("--vary case --for quickly", "'quickly' is no question; best, ranking, or a precision such as 2%");
  expect_refused("--vary case --for best --seeds 1", "an interval needs two seeds at least");
  expect_refused("--vary case --tolerance 2", "--tolerance: ");
  expect_refused("--vary case --most-seeds 9", "requires --for");
  expect_refused("--vary case --sample 1", "--sample");
  expect_refused(
      "--vary switch.buffer=1MiB..64MiB:400 --vary traffic[0].size=64KiB..1MiB:300",
      "120000 points; at most 10000: fewer levels or keys, or --sample N for N of them; 600000 runs would take");
  expect_refused("--vary switch.buffer=1MiB..64MiB:400 --seeds 500", "more than 100000 runs: fewer points, or --seeds");
}

TEST_F(Sweep, AFigureThatNoPointCanHaveIsRefusedBeforeTheFirstRun) {
  expect_refused("--vary case --measure step --seeds 2", "--measure: step: no job of the scenario runs steps");
  expect_refused("--vary case --measure drops,fct-p99@nobody", "--measure: fct-p99: unknown job or traffic 'nobody'");
  EXPECT_FALSE(fs::exists(in("all.weft")));
}

TEST_F(Sweep, AKeyThatIsVariedIsNotSet) {
  expect_refused("--vary switch.buffer=1MiB,2MiB --set switch.buffer=4MiB",
                 "--vary switch.buffer: --set switch.buffer would not count beside it; leave out one of the two");
}

// The switch has more room than three senders fill: where the effect is nothing there is no lowest value.
TEST_F(Sweep, AnEffectOfNothingHasNoEnds) {
  const std::string arguments =
      "--vary switch.buffer=32MiB,64MiB --vary traffic[0].size=64KiB,128KiB --seeds 2 --set "
      "congestion_control.algorithm=none";
  for (const Json& effect : json(arguments)["figures"][0]["effects"]) {
    const bool nothing = effect["effect"].get<double>() < 1e-15;
    EXPECT_EQ(effect["lowest_at"].empty(), nothing) << effect;
    EXPECT_EQ(effect["highest_at"].empty(), nothing) << effect;
    EXPECT_EQ(nothing, effect["keys"] == Json::array({"switch.buffer"})) << effect;
  }
}

}  // namespace
}  // namespace weft::test
