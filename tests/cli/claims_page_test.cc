// docs/claims.md, the table of claims in the program, and the files of examples/claims/ are about the same claims.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(test_data_dir()) / ".." / "..";

/// Of the claims that `weft claims --list` has; "scenario", "comparison", "not yet", or all.
std::set<std::string> listed(const std::string& how = {}) {
  std::set<std::string> ids;
  std::istringstream lines(run_weft("claims --list").out);
  for (std::string line; std::getline(lines, line);) {
    const std::string id = line.substr(0, line.find(' '));
    if (line.substr(std::min<std::size_t>(line.size(), 25), how.size()) == how) {
      ids.insert(id);
    }
  }
  return ids;
}

TEST(ClaimsPage, HasEveryClaimOfTheTableAndNoOther) {
  std::set<std::string> rows;
  std::ifstream lines(kRoot / "docs/claims.md");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| [")) {
      rows.insert(line.substr(3, line.find(']') - 3));
    }
  }
  EXPECT_EQ(rows, listed());
  EXPECT_EQ(rows.size(), 48U);
}

TEST(ClaimsPage, EveryScenarioIsThatOfAClaimAndSaysWhatItTests) {
  std::set<std::string> files;
  for (const fs::directory_entry& file : fs::directory_iterator(kRoot / "examples/claims")) {
    if (file.path().extension() == ".toml") {
      files.insert(file.path().stem().string());
      std::ifstream stream(file.path());
      std::string line;
      std::getline(stream, line);
      EXPECT_TRUE(line.starts_with("# Claim: ")) << file.path();
    }
  }
  EXPECT_EQ(files, listed("scenario"));
}

TEST(ClaimsCommand, RefusesWhatItDoesNotKnow) {
  const Outcome unknown = run_weft("claims latency-lader");
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(
      unknown.err,
      "weft claims: unknown claim 'latency-lader'; did you mean 'latency-ladder'? 'weft claims --list' has them all\n");
  EXPECT_EQ(run_weft("claims one-api --write -").exit_status, 2);
  EXPECT_EQ(run_weft("claims --write - --json -").exit_status, 2);
  EXPECT_EQ(run_weft("claims one-api --folder /nowhere").exit_status, 2);
  EXPECT_EQ(run_weft("claims buyers --comparison " + (kRoot / "README.md").string()).exit_status, 2);
}

TEST(ClaimsCommand, AListIsRefusedBesideWhatARunWouldWrite) {
  for (const char* const more :
       {"--json x.json", "--write x.md", "--runs x", "--comparison x.json", "latency-ladder"}) {
    const Outcome outcome = run_weft(std::string("claims --list ") + more);
    EXPECT_EQ(outcome.exit_status, 2) << more;
    EXPECT_NE(outcome.err.find("--list"), std::string::npos) << outcome.err;
  }
}

TEST(ClaimsCommand, JudgesFromAComparisonWhatNeedsOne) {
  const fs::path file = fs::path(testing::TempDir()) / "weft_comparison.json";
  std::ofstream(file) << R"({"format": "weft-comparison", "format_version": 1, "fabrics": [
    {"name": "infiniband", "possible": true, "cost_usd": 2000000},
    {"name": "rocev2", "possible": true, "cost_usd": 1500000}]})";
  const Outcome outcome = run_weft("claims roce-cost buyers --json - -q --comparison " + file.string());
  fs::remove(file);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["claims"].size(), 2U);
  EXPECT_EQ(json["claims"][0]["condition"], "said as \"costs less\"");
  EXPECT_EQ(json["claims"][1]["verdict"], "not measured yet");
}

/// As examples/claims/ib-easy-or-hard.toml, of four hosts and for a moment.
std::string small_settings_scenario() {
  std::string text = R"(seed = 1
hardware = "equal"
stop = "200 us"
link.rate = "100 Gbps"
[fabric]
family = "infiniband"
[topology]
kind = "single-switch"
hosts = 4
[[traffic]]
kind = "permutation"
shift = 1
size = "64 KiB"
count = 1000000
depth = 4
)";
  for (const std::string name :
       {"infiniband", "infiniband, lane of the data changed on one switch", "infiniband-cc",
        "infiniband-cc, marks rare", "infiniband-cc, recovers slowly", "infiniband-cc, recovers fast", "rocev2"}) {
    for (const std::string seed : {"1", "2", "3"}) {
      text += "[[case]]\nname = \"" + name + " " + seed + "\"\nseed = " + seed + "\n";
      text += name == "rocev2" ? "fabric.family = \"rocev2\"\n" : "";
    }
  }
  return text;
}

TEST(ClaimsCommand, RunsTheMistakesInSettingUpACaseAndKeepsThemAsEvidence) {
  const fs::path folder = fs::path(testing::TempDir()) / "weft_settings_claim";
  fs::create_directories(folder);
  std::ofstream(folder / "ib-easy-or-hard.toml") << small_settings_scenario();
  const Outcome outcome = run_weft("claims ib-easy-or-hard --json - -q --folder " + folder.string() + " --runs " +
                                   (folder / "runs").string());
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  std::set<std::string> mistakes;
  std::ifstream file(folder / "runs" / "ib-easy-or-hard, infiniband 2.json");
  const auto evidence = nlohmann::json::parse(file, nullptr, false);
  ASSERT_FALSE(evidence.is_discarded());
  for (const auto& run : evidence["runs"]) {
    mistakes.insert(run["case"]);
    EXPECT_EQ(run["seed"], 2) << run["case"];
  }
  EXPECT_TRUE(mistakes.contains("credits short for the cable"));
  EXPECT_FALSE(mistakes.contains("PFC on the wrong priority"));
  std::map<std::string, double> figures;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& figure : json["claims"][0]["figures"]) {
    figures[figure["name"]] = figure["value"];
  }
  EXPECT_GT(figures["settings_rocev2"], figures["settings_infiniband"]);
  EXPECT_GT(figures["settings_infiniband"], 0);
  // Every packet has as many bytes of headers again, and one of four flows a quarter of its line.
  EXPECT_GT(figures["infiniband, small packets"], 0.01);
  EXPECT_GT(figures["infiniband, a link to a NIC degraded"], 0.1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace weft::test
