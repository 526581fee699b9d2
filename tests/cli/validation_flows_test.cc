// The scenarios of examples/validation/ run, shortened, and stand to other simulators as docs/validation.md says.
// scripts/validate-flows runs them whole.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kValidation = fs::path(test_data_dir()) / "../../examples/validation";

/// The summary of one case.
nlohmann::json run_of(const std::string& arguments) {
  const Outcome outcome =
      run_weft(fmt::format("run {}/{} --no-results --quiet --messages --json -", kValidation.string(), arguments));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  return json.is_discarded() || json["runs"].size() != 1 ? nlohmann::json() : json["runs"][0];
}

/// Microseconds that messages took, ascending.
std::vector<double> times_of(const nlohmann::json& run) {
  std::vector<double> times;
  for (const nlohmann::json& message : run.at("messages")) {
    times.push_back(1e6 * (message.at("finished_s").get<double>() - message.at("posted_s").get<double>()));
  }
  std::ranges::sort(times);
  return times;
}

double mean_slowdown(const nlohmann::json& run) {
  double sum = 0;
  for (const nlohmann::json& message : run.at("messages")) {
    sum += (message.at("finished_s").get<double>() - message.at("posted_s").get<double>()) /
           message.at("ideal_s").get<double>();
  }
  return sum / static_cast<double>(run.at("messages").size());
}

// Five flows in six cross the spines; one by ECMP that shares its link with another takes twice as long.
TEST(ValidationFlows, SprayedPermutationsEndTogetherAndHashedOnesDoNot) {
  constexpr double kIdle = 176.15;
  for (const char* paths : {"spray-32", "adaptive-32"}) {
    const nlohmann::json run = run_of(fmt::format("htsim-permutation.toml --case {}", paths));
    ASSERT_FALSE(run.is_null());
    EXPECT_LT(times_of(run).back(), 1.25 * kIdle) << paths;
    EXPECT_EQ(run["network"]["drops"]["total"], 0);
  }
  const nlohmann::json hashed = run_of("htsim-permutation.toml --case ecmp-32");
  ASSERT_FALSE(hashed.is_null());
  EXPECT_GT(times_of(hashed).back(), 1.9 * kIdle);
}

// 16 messages of 500 packets of 4,178 bytes over one link of 100 Gb/s.
TEST(ValidationFlows, AnIncastUnderPfcKeepsItsLinkFull) {
  const nlohmann::json run = run_of("htsim-permutation.toml --case incast");
  ASSERT_FALSE(run.is_null());
  const double least = 16 * 500 * 4178 * 8 / 100e3;
  EXPECT_GT(times_of(run).back(), least);
  EXPECT_LT(times_of(run).back(), 1.01 * least);
  EXPECT_EQ(run["network"]["drops"]["total"], 0);
}

TEST(ValidationFlows, SprayingStorageTrafficBeatsHashing) {
  const std::string shortened = " --set traffic[0].stop=0.2ms";
  const nlohmann::json hashed = run_of("conweave.toml --case ecmp-50" + shortened);
  const nlohmann::json sprayed = run_of("conweave.toml --case spray-50" + shortened);
  ASSERT_FALSE(hashed.is_null() || sprayed.is_null());
  EXPECT_LT(mean_slowdown(sprayed), mean_slowdown(hashed));
}

TEST(ValidationFlows, TheFatTreeOfHpccLosesNothing) {
  const nlohmann::json run = run_of("hpcc-dcqcn.toml --set traffic[0].stop=0.05ms");
  ASSERT_FALSE(run.is_null());
  EXPECT_EQ(run["hosts"], 320);
  EXPECT_EQ(run["switches"], 56);
  EXPECT_EQ(run["network"]["drops"]["total"], 0);
}

// A ring that stays in its leaf shares no link; one whose hash collides at a spine gets half of it.
TEST(ValidationFlows, RailsKeepTheLineAndSharedLeavesMayHalveIt) {
  const auto slowest = [](const nlohmann::json& run) {
    double seconds = 0;
    for (const nlohmann::json& job : run.at("jobs")) {
      seconds = std::max(seconds, job.at("collective_s").at("max").get<double>());
    }
    return seconds;
  };
  const nlohmann::json rails = run_of("simai-rails.toml --case rails");
  const nlohmann::json shared = run_of("simai-rails.toml --case single-tor");
  ASSERT_FALSE(rails.is_null() || shared.is_null());
  const double line = 2 * 31.0 / 32 * 16 * 1024 * 1024 / 50e9;
  EXPECT_GT(slowest(rails), line);
  EXPECT_LT(slowest(rails), 1.4 * line);
  EXPECT_GT(slowest(shared), 1.4 * slowest(rails));
}

// As many LIDs as spines, and a queue pair for each: no link carries more than a line; with one LID three flows meet.
TEST(ValidationFlows, LidsForAllSpinesDoWhatOneSwitchDoes) {
  const auto last = [](const char* name) {
    const nlohmann::json run = run_of(fmt::format("lids.toml --case '{}'", name));
    return run.is_null() ? 0.0 : times_of(run).back();
  };
  const double one_switch = last("one switch");
  EXPECT_LT(last("LMC 3"), 1.02 * one_switch);
  EXPECT_NEAR(last("one LID") / one_switch, 3, 0.1);
}

// 113 of 128 pieces cross uplinks of a quarter of the lines where they are sent directly, 64 where GPUs of the own host
// relay them.
TEST(ValidationFlows, RelayOverNvlinkKeepsAnAllToAllOffTheSpines) {
  const auto time = [](const char* way) {
    const nlohmann::json run = run_of(fmt::format("rails-relay.toml --case '{} 4:1, adaptive'", way));
    return run.is_null() ? 0.0 : run["jobs"][0]["collective_s"]["max"].get<double>();
  };
  constexpr double kPiece = 128 * 1024 * 8 / 100e9;
  const double direct = time("direct");
  const double relayed = time("relayed");
  EXPECT_GT(direct, 113 * kPiece);
  EXPECT_LT(direct, 1.25 * 113 * kPiece);
  EXPECT_GT(relayed, 64 * kPiece);
  EXPECT_LT(relayed, 1.25 * 64 * kPiece);
}

// From 5 ms on the port that is left carries what both carried. Until all know, and the transport has waited, 1.05 ms,
// the other channel goes on at its full rate.
TEST(ValidationFlows, ARingOutlivesAPortOfANicThatHasTwo) {
  const auto time = [](const char* name) {
    const nlohmann::json run = run_of(fmt::format("dual-tor.toml --case {} --set 'traffic[0].size=256 MiB'", name));
    return run.is_null() ? 0.0 : run["jobs"][0]["collective_s"]["max"].get<double>();
  };
  constexpr double kBound = 2 * 15.0 / 16 * 256 * 1024 * 1024 * 8 / 400e9;
  const double whole = time("whole");
  EXPECT_GT(whole, kBound);
  EXPECT_LT(whole, 1.06 * kBound);
  for (const char* const name : {"dual-tor", "planes"}) {
    const double expected = 6.05e-3 + (whole - 5e-3) + (whole - 6.05e-3);
    EXPECT_NEAR(time(name) / expected, 1, 0.06) << name;
  }
  // The scenario makes it fail, so that its end is a result.
  const nlohmann::json alone = run_of("dual-tor.toml --case one-port-each --set 'traffic[0].size=256 MiB'");
  ASSERT_FALSE(alone.is_null());
  EXPECT_EQ(alone["end"], "job-lost");
  EXPECT_NE(alone["error"].get<std::string>().find("no links that are up lead to their receiver"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
