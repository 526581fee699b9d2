// The scenarios of examples/attacks/ as a user runs them: attacks that reach the victim where nothing resists, and do
// not where something does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(test_data_dir()) / "../../examples/attacks";

nlohmann::json runs_of(const std::string& name) {
  const Outcome outcome =
      run_weft("run " + (kExamples / (name + ".toml")).string() + " --no-results --no-cache --quiet --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded());
  return json.is_discarded() ? nlohmann::json::array() : json["runs"];
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kExamples)) {
    found.push_back(entry.path().stem());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class AttackExample : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Run, AttackExample, ::testing::ValuesIn(names()), [](const auto& file) {
  std::string name = file.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST_P(AttackExample, EndsInAResultAndAccountsForEveryPacket) {
  for (const nlohmann::json& run : runs_of(GetParam())) {
    const std::string name = run["case"];
    EXPECT_TRUE(run["end"] == "finished" || run["end"] == "job-lost") << name << ": " << run["end"];
    if (name.ends_with("-quiet")) {
      EXPECT_EQ(run["end"], "finished") << name;
      EXPECT_FALSE(run.contains("attacks")) << name;
      continue;
    }
    const nlohmann::json& attack = run["attacks"].at(0);
    if (attack.contains("not_possible")) {
      EXPECT_EQ(attack["sent"], 0) << name;
      EXPECT_EQ(run["end"], "finished") << name;
      continue;
    }
    std::uint64_t known = attack["accepted"].get<std::uint64_t>() + attack["lost"].get<std::uint64_t>();
    for (const auto& [key, value] : attack.items()) {
      known += key.starts_with("refused_") ? value.get<std::uint64_t>() : 0;
    }
    EXPECT_EQ(known, attack["sent"].get<std::uint64_t>()) << name;
    EXPECT_GT(known, 0U) << name;
  }
}

}  // namespace
}  // namespace weft::test
