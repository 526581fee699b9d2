// What weft shows on a terminal: tables that fit it, colours that can be switched off, a line of progress.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string example(const std::string& name) { return (project_root() / "examples" / name).string(); }

/// Without colours.
std::string plain(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size());
    } else {
      made += text[i];
    }
  }
  return made;
}

std::vector<std::string> too_wide(const std::string& text, std::size_t columns) {
  std::vector<std::string> lines;
  std::istringstream stream(plain(text));
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.rfind('\r') + 1);
    if (columns_of(line) > columns) {
      lines.push_back(line);
    }
  }
  return lines;
}

TEST(Terminal, TablesFitIt) {
  const std::string scenario = example("llama3-8b-128gpu.toml");
  for (const std::string& arguments :
       {"show " + scenario + " --case rocev2", "show " + scenario + " --case rocev2 --bill",
        "show " + example("incast.toml") + " --case rocev2 --tuning", std::string("catalogue quantum-2"),
        std::string("catalogue switch"), std::string("claims --list")}) {
    for (const std::uint16_t columns : std::array<std::uint16_t, 2>{80, 120}) {
      const Shown shown = show_weft(arguments, columns);
      EXPECT_EQ(shown.exit_status, 0) << shown.text;
      EXPECT_THAT(too_wide(shown.text, columns), IsEmpty()) << arguments << " at " << columns;
    }
  }
}

TEST(Terminal, RunsAndTheirComparisonFitIt) {
  const Shown shown = show_weft("run " + example("incast.toml") + " --until 50us --no-results --no-cache", 80);
  EXPECT_EQ(shown.exit_status, 0) << shown.text;
  EXPECT_THAT(too_wide(shown.text, 80), IsEmpty());
  EXPECT_THAT(shown.text, HasSubstr("side by side"));
}

TEST(Terminal, AComparisonIsNeverWiderThanTheTerminal) {
  const std::filesystem::path out = std::filesystem::path(testing::TempDir()) / "weft_terminal_compare.json";
  const Shown shown = show_weft("compare " + example("incast.toml") +
                                    " --fabrics rocev2,infiniband,tcp,rocev2-untuned --quick --no-cache --set stop=50us"
                                    " -o " +
                                    out.string(),
                                80);
  EXPECT_EQ(shown.exit_status, 0) << shown.text;
  EXPECT_THAT(too_wide(shown.text.substr(0, shown.text.find("results in ")), 80), IsEmpty());
  std::filesystem::remove(out);
}

TEST(Terminal, WhatIsLeftOutIsSaid) {
  EXPECT_THAT(show_weft("catalogue quantum-2", 50).text, HasSubstr("not shown at this width: source"));
  EXPECT_THAT(run_weft("catalogue quantum-2").out, Not(HasSubstr("not shown")));
}

TEST(Terminal, ColoursAreOnATerminalAlone) {
  EXPECT_THAT(show_weft("catalogue quantum-2", 80).text, HasSubstr("\033["));
  EXPECT_THAT(run_weft("catalogue quantum-2").out, Not(HasSubstr("\033")));
}

TEST(Terminal, ColoursCanBeSwitchedOff) {
  for (const char* environment : {"NO_COLOR=1", "TERM=dumb", "TERM="}) {
    EXPECT_THAT(show_weft("catalogue quantum-2", 80, environment).text, Not(HasSubstr("\033"))) << environment;
    EXPECT_THAT(show_weft("catalogue nonsense-7", 80, environment).text, Not(HasSubstr("\033"))) << environment;
  }
  EXPECT_THAT(show_weft("catalogue quantum-2", 80, "NO_COLOR=").text, HasSubstr("\033["));
}

TEST(Terminal, ErrorsAreMarked) {
  EXPECT_THAT(show_weft("catalogue nonsense-7", 80).text, HasSubstr("\033[31mweft catalogue:"));
}

TEST(Terminal, AWidthThatTheTerminalDoesNotSayIsThatOfTheEnvironment) {
  const Shown wide = show_weft("catalogue quantum-2", 0, "COLUMNS=200");
  EXPECT_THAT(too_wide(wide.text, 100), Not(IsEmpty()));
  EXPECT_THAT(too_wide(show_weft("catalogue quantum-2", 0, "COLUMNS=").text, 80), IsEmpty());
}

}  // namespace
}  // namespace weft::test
