// `weft lint` as a user meets it.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kExample = (fs::path(test_data_dir()) / "../../examples/incast.toml").string();

/// A folder with the configurations of the example, gone when the test ends. Tests run beside one another.
class Configurations : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    const Outcome outcome = run_weft("emit " + kExample + " --for sonic -q --out " + folder_.string());
    ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// In the table, the first occurrence of a text becomes another.
  void change(const std::string& table, const std::string& before, const std::string& after) const {
    const fs::path path = folder_ / "leaf0.config_db.json";
    std::ifstream in(path);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    in.close();
    text.replace(text.find(before, text.find(table)), before.size(), after);
    std::ofstream(path) << text;
  }
  [[nodiscard]] Outcome lint(const std::string& options) const {
    return run_weft("lint " + folder_.string() + " " + options);
  }

  fs::path folder_ = fs::path(testing::TempDir()) /
                     fmt::format("weft-lint-{}", testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Configurations, HaveNothingToFind) {
  const Outcome outcome = lint("--plan " + kExample);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("nothing found"));
  EXPECT_EQ(lint("").exit_status, 0);
}

TEST_F(Configurations, AMistakeHasItsPlaceAndItsCost) {
  change("PORT_QOS_MAP", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\"");
  const Outcome outcome = lint("--cost --seeds 1 --json - -q --plan " + kExample);
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
  const auto findings = nlohmann::json::parse(outcome.out)["findings"];
  ASSERT_EQ(findings.size(), 1U) << outcome.out;
  EXPECT_EQ(findings[0]["rule"], "pfc-missing");
  EXPECT_THAT(findings[0]["place"].get<std::string>(), HasSubstr("PORT_QOS_MAP|Ethernet0|pfc_enable"));
  EXPECT_EQ(findings[0]["cost"]["seeds"], 1);
}

TEST_F(Configurations, LinesThatAreNotReadAreNamed) {
  change("PORT", "\"admin_status\": \"up\"", "\"admin_status\": \"up\", \"fec\": \"rs\"");
  const Outcome outcome = lint("--plan " + kExample);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("1 line not read: "));
  EXPECT_THAT(outcome.out, HasSubstr("PORT|Ethernet0|fec"));
}

TEST_F(Configurations, AnInterruptPrintsTheFindingsAndEndsWith130) {
  change("PORT_QOS_MAP", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\"");
  const Outcome outcome =
      lint("--cost --seeds 1000 --plan " + kExample + " & child=$!; sleep 2; kill -INT $child; wait $child");
  EXPECT_EQ(outcome.exit_status, 130);
  EXPECT_THAT(outcome.out, HasSubstr("pfc-missing"));
  EXPECT_THAT(outcome.err, HasSubstr("weft lint: interrupted"));
}

TEST_F(Configurations, WrongInputsSayWhere) {
  EXPECT_EQ(lint("--cost").exit_status, 2);
  EXPECT_EQ(run_weft("lint /does/not/exist").exit_status, 2);
  change("{", "\"DEVICE_METADATA\"", "DEVICE_METADATA");
  const Outcome outcome = lint("");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("leaf0.config_db.json:2:5: this is no JSON"));
}

}  // namespace
}  // namespace weft::test
