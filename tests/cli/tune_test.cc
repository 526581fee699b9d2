// `weft tune` as a user meets it: answers that are known beforehand, and what it says of wrong input.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

// Two hosts and one message: nothing that can be set for congestion changes anything.
constexpr const char* kPair = R"(name = "pair"
hardware = "equal"
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 2
[[traffic]]
name = "one"
kind = "permutation"
shift = 1
size = "256 KiB"
)";

// A window of one message in flight per round trip: at 2 us of round trip and more the line needs some tens of KiB, and
// what is beyond that changes nothing.
constexpr const char* kWindow = R"(name = "window"
hardware = "equal"
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 2
[link]
rate = "100 Gbps"
[congestion_control]
algorithm = "static-window"
window = "8 KiB"
[[traffic]]
name = "one"
kind = "permutation"
shift = 1
size = "1 MiB"
)";

const fs::path kExamples = fs::path(test_data_dir()) / "../../examples/tune";
constexpr double kSenders = 8;  // of examples/tune/dcqcn-pmax.toml

class Tune : public testing::Test {
 protected:
  Tune() : folder_(fs::temp_directory_path() / fmt::format("weft_tune_{}", ::getpid())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "pair.toml") << kPair;
    std::ofstream(folder_ / "window.toml") << kWindow;
  }
  ~Tune() override { fs::remove_all(folder_); }
  Tune(const Tune&) = delete;
  Tune& operator=(const Tune&) = delete;

  [[nodiscard]] Outcome tune(const std::string& file, const std::string& arguments) const {
    return run_weft(fmt::format("tune {} {}", (folder_ / file).string(), arguments));
  }
  void expect_refused(const std::string& arguments, const std::string& said) const {
    const Outcome outcome = tune("pair.toml", arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(said)) << arguments;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }

  fs::path folder_;
};

TEST_F(Tune, SaysWhereNothingMatters) {
  const Outcome outcome = tune("pair.toml",
                               "--vary ethernet.priority.3.kmin=50kB..400kB --vary dcqcn.increase_timer=10us..1ms:log "
                               "--runs 60 --seeds 3 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["outcome"], "nothing-matters");
  EXPECT_THAT(outcome.err, HasSubstr("Nothing matters here"));
}

// Thirteen points say nothing of as many keys as the catalogue has, and the answer did not say so.
TEST_F(Tune, WhyItIsNotKnownWhatMattersIsSaid) {
  const Outcome outcome = tune("pair.toml", "--runs 40 --seeds 3 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  const auto keys = result["keys"].size();
  EXPECT_THAT(result["no_effects"].get<std::string>(), HasSubstr(fmt::format("too few for effects of {} keys", keys)));
  EXPECT_THAT(outcome.err, HasSubstr("not known: "));
  EXPECT_THAT(outcome.err, HasSubstr("more --runs give a larger sample"));
}

TEST_F(Tune, KeysOfWhatDoesNotRunArePassedOver) {
  const Json result = Json::parse(tune("pair.toml", "--runs 40 --seeds 3 --json -").out);
  EXPECT_THAT(result["passed_over"], Contains("swift.decrease"));     // DCQCN runs here
  EXPECT_THAT(result["passed_over"], Contains("collectives.chunk"));  // two flows, no collective
}

// 8 KiB in each round trip against a line that is never idle: at best the payload at the line's rate, headers and the
// first trip beside it.
TEST_F(Tune, AWindowIsOpenedUntilTheLineIsFull) {
  const Outcome outcome =
      tune("window.toml", "--vary congestion_control.window=4KiB..1MiB:log --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  const double least = 1048576.0 * 8 / 100e9;
  EXPECT_EQ(result["outcome"], "better");
  EXPECT_GT(result["best"]["mean"].get<double>(), least);
  EXPECT_LT(result["best"]["mean"].get<double>(), 1.15 * least);
  EXPECT_GT(result["start"]["mean"].get<double>(), 1.5 * least);
  EXPECT_GT(result["gain"]["low"].get<double>(), 0);
  EXPECT_EQ(result["keys"][0]["matters"], "yes");
  // The smallest window is the mistake that costs most.
  EXPECT_GT(result["keys"][0]["ends"][0]["cost"]["low"].get<double>(), least);
}

// Three windows: the smallest is a tenth of what the line needs, the others are enough.
TEST_F(Tune, ValuesOfAListAreTriedEach) {
  const Outcome outcome =
      tune("window.toml", "--vary congestion_control.window=4KiB,256KiB,1MiB --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["outcome"], "better");
  const Json& key = result["keys"][0];
  EXPECT_EQ(key["values"], Json({"4KiB", "256KiB", "1MiB"}));
  EXPECT_NE(key["best"], "4KiB");
  EXPECT_EQ(key["others"].size(), 2u);
  EXPECT_EQ(key["others"][0]["value"], "4KiB");
  EXPECT_GT(key["others"][0]["cost"]["low"].get<double>(), 1048576.0 * 8 / 100e9);
  EXPECT_FALSE(result.contains("broken_cable"));  // one switch has none
}

// A range with a number of levels is these levels, as in weft sweep.
TEST_F(Tune, LevelsOfARangeAreTriedEachAndNoOther) {
  const Outcome outcome =
      tune("window.toml", "--vary congestion_control.window=64KiB..256KiB:4 --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json key = Json::parse(outcome.out)["keys"][0];
  EXPECT_EQ(key["values"], Json({"64 KiB", "128 KiB", "192 KiB", "256 KiB"}));
  EXPECT_EQ(key["others"].size(), 3u);
  EXPECT_THAT(outcome.err, HasSubstr("points of 1 key;"));
}

// Each key's mistakes are of different values, and none is what was found.
TEST_F(Tune, AMistakeIsListedOnce) {
  const Outcome outcome =
      tune("window.toml", "--vary congestion_control.window=4KiB..1MiB:log --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json key = Json::parse(outcome.out)["keys"][0];
  std::set<std::string> values{key["best"].get<std::string>()};
  for (const char* const list : {"neighbours", "ends"}) {
    for (const Json& mistake : key[list]) {
      EXPECT_TRUE(values.insert(mistake["value"].get<std::string>()).second) << key;
    }
  }
  EXPECT_TRUE(key["matters_as_found"].get<bool>());
}

// Two of three ways are left to four senders: whatever is set, they take longer.
TEST_F(Tune, TheAnswerIsTriedWithABrokenCable) {
  std::string file = kWindow;
  file.replace(file.find("single-switch"), 13, "leaf-spine");
  file.replace(file.find("hosts = 2"), 9, "hosts = 8\nhosts_per_leaf = 4\nspines = 3");
  file.replace(file.find("shift = 1"), 9, "shift = 4");
  std::ofstream(folder_ / "leaves.toml") << file;
  const Outcome outcome =
      tune("leaves.toml", "--vary congestion_control.window=16KiB..256KiB:log --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  ASSERT_TRUE(result.contains("broken_cable")) << outcome.out;
  const Json& broken = result["broken_cable"];
  EXPECT_FALSE(broken.contains("reason")) << broken;
  EXPECT_THAT(broken["port"].get<std::string>(), HasSubstr("leaf0/port"));
  // 4 MiB over two links of 100 Gb/s at best.
  EXPECT_GT(broken["best"]["mean"].get<double>(), 2 * 1048576.0 * 8 / 100e9);
}

/// The share of marked packets at which DCQCN's senders are at rest, by the fluid model (Zhu et al., SIGCOMM 2015,
/// section 5): equations 5 to 9 with all derivatives zero, each sender at its share of the line. Parameters of
/// examples/tune/ dcqcn-pmax.toml, in packets and seconds; the receiver answers marks once in 50 us, alpha decays once
/// in 55 us.
double marks_at_rest() {
  constexpr double kPacketBits = 4096.0 * 8;
  const double rate = 40e9 / kSenders / kPacketBits;
  const double bytes = 10e6 * 8 / kPacketBits;
  const double timer = 55e-6 * rate;
  const double step = 40e6 / kPacketBits;
  constexpr double kRecoveries = 5;
  constexpr double kBetweenCnps = 50e-6;
  constexpr double kAlphaTimer = 55e-6;
  const auto surplus = [&](double marked) {
    const double clean = 1 - marked;
    const double cut = (1 - std::pow(clean, kBetweenCnps * rate)) / kBetweenCnps;  // reactions per second
    const double by_bytes = rate * marked / (std::pow(clean, -bytes) - 1);         // increases per second
    const double by_time = rate * marked / (std::pow(clean, -timer) - 1);
    const double added =
        step * (std::pow(clean, kRecoveries * bytes) * by_bytes + std::pow(clean, kRecoveries * timer) * by_time);
    const double above = added / cut;  // of the target over the rate
    const double alpha = 1 - std::pow(clean, kAlphaTimer * rate);
    return above / 2 * (by_bytes + by_time) - rate * alpha / 2 * cut;
  };
  double low = 1e-6;
  double high = 0.9;
  for (int step_of = 0; step_of < 100; ++step_of) {
    const double middle = std::sqrt(low * high);
    (surplus(middle) > 0 ? low : high) = middle;
  }
  return low;
}

// The marking curve gives the queue at which p* is marked. A Pmax below that of a queue of 25 kB keeps it longer; one
// far above lets the line run empty at times, which the model does not know: 38.05 Gb/s at 5 %, 37.60 at 100 %.
TEST_F(Tune, PmaxOfAnIncastIsThatOfTheFluidModel) {
  const double marked = marks_at_rest();
  EXPECT_NEAR(marked, 0.0184, 0.0001);
  constexpr double kMin = 5e3;  // ecn/dcqcn-paper
  constexpr double kMax = 200e3;
  constexpr double kQueue = 25e3;
  const double least = marked * (kMax - kMin) / (kQueue - kMin);
  const Outcome outcome = run_weft("tune " + (kExamples / "dcqcn-pmax.toml").string() +
                                   " --for goodput --limit queue-median=25kB "
                                   "--vary ethernet.priority.3.pmax=5%..80%:log --runs 60 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["outcome"], "keeps-limits");
  const Json& queue = result["limits"][0];
  EXPECT_GT(queue["start"].get<double>(), 0.9 * kMax);  // 1 % at most is less than p*: the queue stands at Kmax
  const double found = std::stod(result["keys"][0]["best"].get<std::string>()) / 100;
  EXPECT_GT(found, least);
  EXPECT_LT(found, 2 * least);
  EXPECT_LE(queue["best"].get<double>(), kQueue);
  EXPECT_NEAR(queue["best"].get<double>(), kMin + (kMax - kMin) * marked / found, 0.25 * kQueue);
  EXPECT_TRUE(result["keys"][0]["decides_limits"].get<bool>());
}

// Four packets of one lane in its turn, 17 units of 64 bytes each: three quarters of the line are twelve of the other,
// 204 units. 153 units are nine, 69 % of the line; 255 are fifteen, 79 %.
TEST_F(Tune, TheWeightOfALaneIsThatOfTheShareWanted) {
  const Outcome outcome = run_weft("tune " + (kExamples / "vl-arbitration.toml").string() +
                                   " --for goodput@rest --limit goodput@wanted=143Gbps "
                                   "--vary infiniband.vl.0.weight=51,102,153,204,255 --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["outcome"], "keeps-limits");  // 66 units are four packets: half of the line
  EXPECT_EQ(result["keys"][0]["best"], "204");
  const double wanted = result["limits"][0]["best"].get<double>();
  const double rest = result["best"]["mean"].get<double>();
  EXPECT_NEAR(wanted / (wanted + rest), 0.75, 0.005);
  EXPECT_NEAR(result["limits"][0]["start"].get<double>() / wanted, 0.5 / 0.75, 0.01);
}

TEST_F(Tune, TheNumberOfJobsChangesNothing) {
  const std::string arguments =
      "--vary congestion_control.window=4KiB..1MiB:log --runs 40 --seeds 3 --no-cache --json -";
  const Outcome one = tune("window.toml", arguments + " -j 1");
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_EQ(one.out, tune("window.toml", arguments + " -j 2").out);
  EXPECT_EQ(one.out, tune("window.toml", arguments + " -j 3").out);
}

// Every pair has one path through it, however flows are spread.
TEST_F(Tune, SchemesOfLoadBalancingArePassedOverOnOneSwitch) {
  const Outcome outcome = run_weft("tune " + (kExamples / "vl-arbitration.toml").string() +
                                   " --for goodput@rest --runs 40 --seeds 3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_NE(std::ranges::find(result["passed_over"], "routing.scheme"), result["passed_over"].end());
  for (const Json& key : result["keys"]) {
    EXPECT_NE(key["key"], "routing.scheme");
  }
}

TEST_F(Tune, WrongInputIsRefusedInOneLine) {
  expect_refused("--for stap", "--for: unknown figure 'stap'");
  expect_refused("--limit queue-peak", "--limit queue-peak: expected FIGURE=VALUE, such as queue-peak=1MB");
  expect_refused("--limit queue-peak=1us", "--limit queue-peak: unknown unit 'us'");
  expect_refused("--vary routing.policy=ecmp", "one value varies nothing; give two");
  expect_refused("--vary case=a", "--vary case");
  expect_refused("--vary swift.decrease=0.2..1",
                 "--vary swift.decrease: it does nothing with congestion_control.algorithm = \"dcqcn\"");
  expect_refused("--vary dcqcn.increase_timr=1us..2us", "did you mean 'increase_timer'");
  expect_refused("--runs 3", "--runs");
  expect_refused("--for step --runs 40 -q", "--for: step: no job of the scenario runs steps");
  expect_refused("--for fct-p99@nobody -q", "--for: fct-p99: unknown job or traffic 'nobody'");
  expect_refused("--limit collective=1ms -q", "--limit: collective: the scenario has no collective operations");
  expect_refused("--vary infiniband.vl.15.weight=1..255 -q", "infiniband.vl.15");
  expect_refused("--vary infiniband.vl.1.weight=0..256 -q", "256 is out of range; 0 to 255");
  expect_refused("--vary routing.policy=ecmp,spray --set routing.policy=ecmp",
                 "--vary routing.policy: --set routing.policy would not count beside it");
}

}  // namespace
}  // namespace weft::test
