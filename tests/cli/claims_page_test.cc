// docs/claims.md, the table of claims in the program, and the files of examples/claims/ are about the same claims.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(WEFT_TEST_DATA_DIR) / ".." / "..";

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

}  // namespace
}  // namespace weft::test
