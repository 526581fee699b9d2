// Every `weft` command that a document shows in a block of its own succeeds as it stands there.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

const std::filesystem::path kRoot = std::filesystem::path(test_data_dir()) / ".." / "..";

/// The arguments of the commands in the fenced blocks of one document.
std::vector<std::string> commands_of(const std::filesystem::path& document) {
  constexpr std::string_view kProgram = "build/release/weft ";
  std::vector<std::string> commands;
  bool in_block = false;
  std::ifstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
    } else if (in_block && line.starts_with(kProgram)) {
      commands.push_back(line.substr(kProgram.size()));
    }
  }
  return commands;
}

TEST(Documents, EveryWeftCommandInThemSucceeds) {
  std::filesystem::current_path(kRoot);
  std::size_t found = 0;
  for (const char* document : {"README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/performance.md"}) {
    for (const std::string& command : commands_of(document)) {
      const Outcome outcome = run_weft(command);
      EXPECT_EQ(outcome.exit_status, 0) << document << ": " << command << "\n" << outcome.err;
      EXPECT_THAT(outcome.err, testing::IsEmpty()) << document << ": " << command;
      ++found;
    }
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace weft::test
