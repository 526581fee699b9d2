// Wrong scenarios as a user meets them: one line that says where and what, and exit status 2, whatever the subcommand.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;

const fs::path kScenarios = fs::path(test_data_dir()) / "scenarios";

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
INSTANTIATE_TEST_SUITE_P(Commands, WrongFile, ::testing::Values("run", "show", "scale", "paths"),
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

/// A right scenario with something in place of its third line and behind its end.
std::string spoilt(const std::string& third, const std::string& end) {
  return "[topology]\nkind = \"single-switch\"\n" + third + "\n[fabric]\nfamily = \"rocev2\"\n" +
         "[[traffic]]\nkind = \"permutation\"\nsize = \"1 KiB\"\n" + end;
}

// What the unit test of generated scenarios does in a thousand ways, here with a process and a file for each.
TEST(WrongText, EndsTheProgramWithTwoAndOneLine) {
  const std::string hosts = "hosts = 4";
  const std::string job = "[[job]]\nname = \"j\"\ngpus = 4\nmodel = \"llama3-8b\"\ntp = 4\n";
  const std::vector<std::string> texts = {
      spoilt("hosts = [[4]]", ""),
      spoilt("hosts = nan", ""),
      spoilt("hosts = 1_", ""),
      spoilt("hosts = 99999999999999999999", ""),
      spoilt("hosts = 1000000000", ""),
      spoilt("hots = 4", ""),
      spoilt("Hosts = 4", ""),
      spoilt("hosts.more = 4", ""),
      spoilt("hosts = 4\nhosts = 4", ""),
      spoilt(std::string(60'000, '.') + " = 1", ""),
      spoilt("# Gr\xF6\xDF", ""),
      spoilt("# a zero \0"s, ""),
      spoilt("hosts = " + std::string(5'000, '[') + std::string(5'000, ']'), ""),
      spoilt(hosts, "[topology]\nhosts = 5\n"),
      spoilt(hosts, "[traffic]\nkind = \"incast\"\n"),
      spoilt(hosts, "[a.b.c]\n"),
      spoilt(hosts, "start = \"1e999 s\"\n"),
      spoilt(hosts, "\"\\u001b[2J\" = 1\n"),
      spoilt(hosts, "count = 1000000000000\n"),
      spoilt(hosts, "\"\"\""),
      spoilt(hosts, job + "global_batch = 1000000000\n"),
      spoilt(hosts, job + "sequence = 1000000000\n"),
      spoilt(hosts, job + "steps = 1000000000\n"),
      spoilt(hosts, job + "micro_batch = 1000000000\n"),
      "\xFF\xFE["s + '\0' + "f" + '\0',
  };
  const fs::path path = fs::path(::testing::TempDir()) / fmt::format("weft_wrong_text_{}.toml", getpid());
  for (const std::string& text : texts) {
    std::ofstream(path, std::ios::binary) << text;
    const Outcome outcome = refused("run", path);
    EXPECT_TRUE(std::regex_search(outcome.err, std::regex(path.filename().string() + R"(:\d+:\d+: )"))) << outcome.err;
    EXPECT_LT(outcome.err.size(), 2'000U) << text.substr(0, 200);
  }
  std::ofstream(path) << spoilt("#" + std::string(std::size_t{1} << 20, 'x'), "");
  EXPECT_NE(refused("run", path).err.find(path.filename().string() + ": more than 1048576 bytes"), std::string::npos);
  fs::remove(path);
}

}  // namespace
}  // namespace weft::test
