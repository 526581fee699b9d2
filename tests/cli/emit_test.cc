// `weft emit` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kExample = (fs::path(test_data_dir()) / "../../examples/incast.toml").string();

TEST(Emit, PrintsOneConfigurationAndItsTable) {
  const Outcome outcome = run_weft("emit " + kExample + " --for sonic --device leaf0");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto config = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(config["DEVICE_METADATA"]["localhost"]["hostname"], "leaf0");
  EXPECT_EQ(config["DSCP_TO_TC_MAP"]["WEFT"]["26"], "3");
  EXPECT_THAT(outcome.err, HasSubstr("WRED_PROFILE|NAME|COLOUR_min_threshold"));
  EXPECT_THAT(outcome.err, HasSubstr("Without a line:"));
}

TEST(Emit, NamesEveryKeyWithALineOrAReason) {
  const Outcome outcome = run_weft("emit " + kExample + " --for eos --device leaf0 -q --json /dev/stderr");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto table = nlohmann::json::parse(outcome.err);
  EXPECT_GT(table["lines"].size(), 10U);
  for (const auto& row : table["without"]) {
    EXPECT_FALSE(row["reason"].get<std::string>().empty()) << row;
  }
}

TEST(Emit, RefusesWhatItCannotWrite) {
  for (const auto& [arguments, expected] :
       {std::pair("--for sonik --device leaf0", "did you mean 'sonic'"),
        std::pair("--for sonic --device leaf9", "unknown device 'leaf9'"),
        std::pair("--for sonic", "name a folder with --out"),
        std::pair("--for opensm --out x", "fabric.family is rocev2, which has no subnet manager"),
        std::pair("--for sonic --case infiniband --out x", "use --for opensm")}) {
    const Outcome outcome = run_weft("emit " + kExample + " " + arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(expected));
  }
}

TEST(Emit, AFolderThatCannotBeMadeIsNamedWithTheReason) {
  const Outcome outcome = run_weft("emit " + kExample + " --for sonic --out " + kExample + "/configurations");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("weft emit: cannot make the folder '" + kExample + "/configurations'"));
  EXPECT_THAT(outcome.err, HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace weft::test
