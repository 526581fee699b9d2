// docs/tutorial.md: its pieces are examples/tutorial.toml, its commands succeed, and what it quotes has the form of
// what they print. Quoted figures are not compared, as they change with the catalogue and the models; what the text
// concludes from them is (tests/cli/document_claims.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/document_blocks.h"
#include "tests/cli/document_claims.h"

namespace weft::test {
namespace {

std::string tutorial() { return text_of(project_root() / "docs" / "tutorial.md"); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Tutorial, ItsPiecesAreItsExample) {
  std::string pieces;
  for (const std::string& block : fenced_blocks(tutorial(), "toml")) {
    pieces += (pieces.empty() ? "" : "\n") + block;
  }
  const std::string example = text_of(project_root() / "examples" / "tutorial.toml");
  const std::size_t begin = example.find("\n\n");
  ASSERT_NE(begin, std::string::npos) << "no comment before the first table";
  EXPECT_EQ(pieces, example.substr(begin + 2));
}

/// "  step   3.361 s; computing" becomes "step # s; computing": numbers, and how wide columns are, may change. So may
/// the unit after a number.
std::string form_of(const std::string& line) {
  std::string form;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (std::isdigit(c) != 0) {
      while (i + 1 < line.size() &&
             (std::isdigit(static_cast<unsigned char>(line[i + 1])) != 0 || line[i + 1] == '.')) {
        ++i;
      }
      form += '#';
    } else if (c != ' ') {
      form += line[i];
    } else if (!form.empty() && form.back() != ' ') {
      form += ' ';
    }
  }
  for (const char* unit : {"# ps", "# ns", "# us", "# ms", "# s"}) {
    for (std::size_t at = form.find(unit); at != std::string::npos; at = form.find(unit, at + 1)) {
      const std::size_t after = at + std::string_view(unit).size();
      if (after == form.size() || std::isalpha(static_cast<unsigned char>(form[after])) == 0) {
        form.replace(at, after - at, "#t");
      }
    }
  }
  for (const char* sign : {"+#", "-#"}) {
    for (std::size_t at = form.find(sign); at != std::string::npos; at = form.find(sign, at + 1)) {
      form.replace(at, 2, "#");
    }
  }
  return form;
}

struct Shown {
  std::string command;  // empty: more of what the command before printed
  std::vector<std::string> lines;
};

/// "$ command" and the lines that follow it; "..." stands for what is left out.
std::vector<Shown> sessions_of(const std::string& block) {
  std::vector<Shown> sessions;
  for (const std::string& line : lines_of(block)) {
    const bool command = line.starts_with("$ ");
    if (command || sessions.empty()) {
      sessions.push_back({.command = command ? line.substr(2) : "", .lines = {}});
    }
    if (!command && line != "...") {
      sessions.back().lines.push_back(line);
    }
  }
  return sessions;
}

TEST(Tutorial, ItsCommandsSucceedAndPrintWhatItQuotes) {
  const ReaderFolder folder;
  std::filesystem::copy_file(project_root() / "examples" / "tutorial.toml", folder.path() / "cluster.toml");
  // The finished file begins with a comment that the reader's does not have: quoted places are those of the latter.
  const Outcome stripped = folder.run("sed -i '1,/^$/d' cluster.toml");
  ASSERT_EQ(stripped.exit_status, 0);
  std::vector<std::string> printed;
  for (const std::string& block : fenced_blocks(tutorial(), "console")) {
    for (const Shown& shown : sessions_of(block)) {
      if (!shown.command.empty()) {
        const Outcome outcome = folder.run(shown.command + "\n");
        ASSERT_EQ(outcome.exit_status, 0) << shown.command << "\n" << outcome.err;
        printed.clear();
        for (const std::string& line : lines_of(outcome.out)) {
          printed.push_back(form_of(line));
        }
      }
      for (const std::string& line : shown.lines) {
        EXPECT_TRUE(std::ranges::find(printed, form_of(line)) != printed.end())
            << "not printed: " << line << "\nafter: " << shown.command;
      }
    }
  }
  EXPECT_FALSE(printed.empty());
  // What the text concludes is true of the figures of these very runs.
  const std::vector<DocumentClaim> claims = claims_of(tutorial());
  EXPECT_GE(claims.size(), 6U);
  for (const DocumentClaim& claim : claims) {
    const auto document = nlohmann::json::parse(text_of(folder.path() / claim.file));
    EXPECT_TRUE(holds(document, claim)) << claim.text() << ": " << side_of(document, claim.left) << " and "
                                        << side_of(document, claim.right);
  }
}

TEST(DocumentClaims, AreReadFromCommentsAndHeldAgainstFigures) {
  const auto claims = claims_of("x <!-- holds in a.json: /a/0 < /b --> y <!-- holds in a.json: /c = \"clear\" -->");
  ASSERT_EQ(claims.size(), 2U);
  const auto document = nlohmann::json::parse(R"({"a": [1.0], "b": 2, "c": "tie"})");
  EXPECT_TRUE(holds(document, claims[0]));
  EXPECT_FALSE(holds(document, claims[1]));
  EXPECT_FALSE(holds(document, {.file = "a.json", .left = "/a/0", .relation = "~", .right = "1.02"}));
  EXPECT_TRUE(holds(document, {.file = "a.json", .left = "/a/0", .relation = "~", .right = "1.005"}));
}

}  // namespace
}  // namespace weft::test
