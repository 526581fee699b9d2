// Wrong scenarios as a user meets them: one line that says where and what, and exit status 2, whatever the subcommand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kScenarios = fs::path(WEFT_TEST_DATA_DIR) / "scenarios";

std::vector<fs::path> scenarios_of(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(kScenarios / folder)) {
    if (entry.path().extension() == ".toml") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

/// Of the first line, which is a comment.
std::string expectation(const fs::path& path) {
  constexpr std::string_view kMark = "# expect ";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.starts_with(kMark) ? line.substr(kMark.size()) : "no expectation in the first line";
}

Outcome refused(const std::string& command, const fs::path& path) {
  const std::string more = command == "scale" ? " --gpus 8" : command == "run" ? " --no-results" : "";
  Outcome outcome = run_weft(fmt::format("{} {}{}", command, path.string(), more));
  EXPECT_EQ(outcome.exit_status, 2) << path << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "") << path;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << path << outcome.err;
  return outcome;
}

class WrongFile : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Commands, WrongFile, ::testing::Values("run", "show", "scale"),
                         [](const auto& command) { return std::string(command.param); });

TEST_P(WrongFile, IsRefusedWithLineAndColumn) {
  const auto paths = scenarios_of("wrong");
  EXPECT_GE(paths.size(), 60U);
  for (const fs::path& path : paths) {
    const Outcome outcome = refused(GetParam(), path);
    const std::regex place(path.filename().string() + R"(:\d+:\d+: )");
    EXPECT_TRUE(std::regex_search(outcome.err, place)) << outcome.err;
  }
}

// What does not show before hosts and switches are put together has its place all the same.
TEST_P(WrongFile, ThatCannotBeBuiltIsRefusedToo) {
  const std::string command = GetParam();
  for (const fs::path& path : scenarios_of("impossible")) {
    const Outcome outcome = refused(command, path);
    if (command == "scale") {
      continue;  // they have no job that could grow
    }
    const std::regex place(path.filename().string() + R"(:\d+:\d+: )");
    EXPECT_TRUE(std::regex_search(outcome.err, place)) << outcome.err;
    EXPECT_NE(outcome.err.find(expectation(path)), std::string::npos) << outcome.err << expectation(path);
  }
}

TEST_P(WrongFile, ThatIsMissingIsRefused) {
  const Outcome outcome = refused(GetParam(), "no-such-file.toml");
  EXPECT_NE(outcome.err.find("no-such-file.toml: No such file or directory"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft::test
