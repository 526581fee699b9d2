// The manual and the program say the same: pages and subcommands, options, defaults, examples.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kColumns = 80;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// The lines of `text` from the one after `heading` to the next empty one.
std::vector<std::string> section_of(const std::string& text, std::string_view heading) {
  const std::vector<std::string> lines = lines_of(text);
  const auto found = std::ranges::find(lines, heading);
  const auto begin = found == lines.end() ? found : found + 1;
  return {begin, std::find(begin, lines.end(), "")};
}

std::vector<std::string> first_words(const std::vector<std::string>& lines, std::size_t indent) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (indent_of(line) == indent) {
      words.push_back(line.substr(indent, line.find(' ', indent) - indent));
    }
  }
  return words;
}

std::vector<std::string> subcommands_of(const std::string& command) {
  return first_words(section_of(run_weft(command + " --help").out, "Subcommands:"), 2);
}

std::vector<std::string> pages() { return first_words(lines_of(run_weft("help | sed '/^$/,$d'").out), 2); }

/// "-o,--out TEXT=results   What it is" in the program's own help: names, and the default if one is shown.
using Options = std::map<std::string, std::string>;

Options options_of(const std::string& command) {
  Options options;
  const std::string help = run_weft(command + " --help").out;
  for (const char* heading : {"Positionals:", "Options:"}) {
    for (const std::string& line : section_of(help, heading)) {
      if (indent_of(line) != 2) {
        continue;
      }
      const std::string what = line.substr(2, line.find("  ", 2) - 2);
      const std::size_t equals = what.rfind('=');
      std::string shown = equals == std::string::npos ? "" : what.substr(equals + 1);
      // The first word of a default: other options that this one needs, or one space and the text, may follow.
      shown.resize(std::min(shown.find(' '), shown.size()));
      std::istringstream names(what.substr(0, what.find(' ')));
      for (std::string name; std::getline(names, name, ',');) {
        options[name] = shown;
      }
    }
  }
  options.erase("-h");
  options.erase("--help");
  return options;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// "    -o PATH, --out PATH" and what stands below it, in the page's section for `command`: names, and the text.
Options described_options(const std::string& page, const std::string& command) {
  Options described;
  std::vector<std::string> lines = section_of(page, "OPTIONS");
  if (lines.empty()) {
    lines = section_of(page, "OPTIONS OF WEFT " + upper(command));
  }
  std::vector<std::string> current;
  for (const std::string& line : lines) {
    const std::size_t indent = indent_of(line);
    if (indent != 4) {
      for (const std::string& name : current) {
        described[name] += line.substr(indent) + " ";
      }
      continue;
    }
    current.clear();
    // A term of up to three letters has its text on the same line.
    const bool same_line = line[4] != '-' && line.substr(4, 4).find(' ') != std::string::npos;
    const std::string terms = line.substr(0, same_line ? 8 : line.size());
    for (std::size_t begin = 4; begin < terms.size();) {
      const std::size_t end = std::min(terms.find(", -", begin), terms.size());
      const std::string item = terms.substr(begin, end - begin);
      current.push_back(item.substr(0, item.find(' ')));
      described[current.back()] += line.substr(terms.size());
      begin = end + 2;
    }
  }
  return described;
}

/// "run", "perf client", ...: what has options of its own.
std::vector<std::string> commands() {
  std::vector<std::string> all;
  for (const std::string& name : subcommands_of("")) {
    const std::vector<std::string> parts = subcommands_of(name);
    for (const std::string& part : parts) {
      all.push_back(name + " " + part);
    }
    if (parts.empty()) {
      all.push_back(name);
    }
  }
  return all;
}

TEST(Manual, HasAPageForEachSubcommandAndNoOther) {
  EXPECT_THAT(pages(), testing::UnorderedElementsAreArray(subcommands_of("")));
}

TEST(Manual, HelpPrintsThePageAndNothingElse) {
  for (const std::string& name : subcommands_of("")) {
    const Outcome outcome = run_weft("help " + name);
    EXPECT_EQ(outcome.exit_status, 0) << name;
    EXPECT_THAT(outcome.err, IsEmpty()) << name;
    EXPECT_THAT(outcome.out, StartsWith("weft " + name + ": ")) << name;
  }
}

TEST(Manual, ASubcommandOfASubcommandIsOnItsPage) {
  EXPECT_EQ(run_weft("help perf client").out, run_weft("help perf").out);
  EXPECT_EQ(run_weft("help pcap list").out, run_weft("help pcap").out);
  EXPECT_EQ(run_weft("help pcap nonsense").exit_status, 2);
}

TEST(Manual, PagesArePlainTextOfEightyColumns) {
  for (const std::string& name : pages()) {
    const std::string page = run_weft("help " + name).out;
    for (const char* mark : {"`", "](", "**", "\n#"}) {
      EXPECT_THAT(page, Not(HasSubstr(mark))) << name;
    }
    for (const std::string& line : lines_of(page)) {
      EXPECT_LE(line.size(), kColumns) << name << ": " << line;
    }
  }
}

TEST(Manual, EachPageHasEverySection) {
  for (const std::string& name : pages()) {
    const std::string page = run_weft("help " + name).out;
    std::size_t at = 0;
    for (const char* section :
         {"\nSYNOPSIS\n", "\nDESCRIPTION\n", "\nOPTIONS", "\nFILES\n", "\nEXIT STATUS\n", "\nEXAMPLES\n"}) {
      const std::size_t found = page.find(section, at);
      ASSERT_NE(found, std::string::npos) << name << " has no" << section << "in its place";
      at = found;
    }
  }
}

TEST(Manual, OptionsOfAPageAreThoseOfTheProgram) {
  for (const std::string& command : commands()) {
    const Options known = options_of(command);
    const Options described = described_options(run_weft("help " + command).out, command);
    EXPECT_FALSE(known.empty()) << command;
    for (const auto& [name, shown] : known) {
      EXPECT_TRUE(described.contains(name)) << "weft " << command << " takes " << name << "; its page does not say so";
    }
    for (const auto& [name, text] : described) {
      EXPECT_TRUE(known.contains(name)) << "the page of weft " << command << " has " << name << ", which it refuses";
      EXPECT_FALSE(text.empty()) << command << " " << name;
    }
  }
}

TEST(Manual, DefaultsOfAPageAreThoseOfTheProgram) {
  std::size_t found = 0;
  for (const std::string& command : commands()) {
    const Options described = described_options(run_weft("help " + command).out, command);
    for (const auto& [name, shown] : options_of(command)) {
      if (!shown.empty() && described.contains(name)) {
        EXPECT_THAT(described.at(name), HasSubstr(shown)) << command << " " << name;
        ++found;
      }
    }
  }
  EXPECT_GT(found, 20U);
}

TEST(Manual, FamiliesOfAPageAreThoseOfTheProgram) {
  for (const auto& [command, option] : {std::pair("collective", "--fabric"), std::pair("init", "--family")}) {
    const std::string page = described_options(run_weft(std::string("help ") + command).out, command).at(option);
    const std::string help = run_weft(std::string(command) + " --help").out;
    for (const char* family : {"infiniband", "rocev2", "rocev1", "iwarp", "tcp", "uet"}) {
      EXPECT_THAT(page, HasSubstr(family)) << command;
      EXPECT_THAT(help, HasSubstr(family)) << command;
    }
  }
}

/// A page's part of the document.
std::string page_source(const std::string& name) {
  const std::string manual = text_of(project_root() / "docs" / "manual.md");
  const std::size_t begin = manual.find("\n## " + name + "\n");
  return begin == std::string::npos ? "" : manual.substr(begin, manual.find("\n## ", begin + 1) - begin);
}

class ManualExamples : public testing::TestWithParam<const char*> {};

TEST_P(ManualExamples, Succeed) {
  const ReaderFolder folder;
  const std::vector<std::string> blocks = fenced_blocks(page_source(GetParam()), "sh");
  EXPECT_THAT(blocks, Not(IsEmpty()));
  for (const std::string& block : blocks) {
    const Outcome outcome = folder.run(block);
    EXPECT_EQ(outcome.exit_status, 0) << block << outcome.err;
  }
}

// perf takes two processes and ports: its own tests.
INSTANTIATE_TEST_SUITE_P(Pages, ManualExamples,
                         testing::Values("run", "show", "compare", "scale", "sweep", "tune", "plan", "paths",
                                         "failures", "control", "emit", "lint", "subnet", "collective", "pcap",
                                         "report", "diff", "claims", "init", "completion", "catalogue", "cache",
                                         "help"),
                         [](const auto& page) { return std::string(page.param); });

}  // namespace
}  // namespace weft::test
