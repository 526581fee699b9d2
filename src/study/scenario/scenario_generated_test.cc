// A thousand wrong scenarios, made by rule from those of examples/: each is refused in one printable line that begins
// with file, line and column, or is right after all, which is rare. Time and memory are bounded by construction:
// nothing is built or run, and a text has at most 1 MiB.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/printable.h"
#include "base/random.h"
#include "base/test_paths.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using Lines = std::vector<std::string>;

const std::filesystem::path kExamples = std::filesystem::path(test_data_dir()) / ".." / ".." / "examples";

std::vector<std::string> example_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (entry.path().extension() == ".toml") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    texts.push_back(read_file(path.string()).value());
  }
  return texts;
}

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const Lines& lines, std::string_view end = "\n") {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
    text += end;
  }
  return text;
}

/// What a mutation works on.
struct Draft {
  Lines lines;
  std::vector<std::size_t> keys;    // lines "key = value" of one line, in no list that goes on
  std::vector<std::size_t> tables;  // lines "[table]" and "[[table]]"
  SplitMix64& random;

  std::size_t some_key() { return keys.at(random.next() % keys.size()); }
  std::size_t some_table() { return tables.at(random.next() % tables.size()); }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& words) {
    return words[random.next() % N];
  }
  void set_value(std::string_view value) {
    std::string& line = lines[some_key()];
    line = fmt::format("{}= {}", line.substr(0, line.find('=')), value);
  }
  void insert(std::size_t at, std::string line) {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::move(line));
  }
  [[nodiscard]] std::string key_at(std::size_t line) const {
    const std::string& text = lines[line];
    const std::size_t end = text.find_last_not_of(" \t", text.find('=') - 1);
    return text.substr(0, end + 1);
  }
};

Draft draft_of(std::string_view text, SplitMix64& random) {
  Draft draft{.lines = lines_of(text), .keys = {}, .tables = {}, .random = random};
  for (std::size_t i = 0; i < draft.lines.size(); ++i) {
    const std::string& line = draft.lines[i];
    if (line.starts_with("[")) {
      draft.tables.push_back(i);
    } else if (const auto equals = line.find(" = "); equals != std::string::npos && equals > 0 && line[0] >= 'a' &&
                                                     line[0] <= 'z' && !line.ends_with("[") &&
                                                     !line.ends_with("\"\"\"")) {
      draft.keys.push_back(i);
    }
  }
  return draft;
}

std::string utf_16(const std::string& text, bool mark) {
  std::string wide = mark ? "\xFF\xFE" : "";
  for (const char c : text) {
    wide += c;
    wide += '\0';
  }
  return wide;
}

struct Rule {
  const char* name;
  std::function<std::string(Draft&)> spoil;
};

std::vector<Rule> rules_of_values() {
  return {
      {"another type",
       [](Draft& draft) {
         draft.set_value(
             draft.one_of(std::array{"[[1], [2]]", "{ a = 1 }", "1979-05-27", "07:32:00", "[true, 1.5, \"x\"]",
                                     "1979-05-27T07:32:00Z", "[]", "{}", "[{ a = 1 }, { a = 1 }]"}));
         return joined(draft.lines);
       }},
      {"a number that is none",
       [](Draft& draft) {
         draft.set_value(draft.one_of(std::array{"nan", "inf", "-inf", "\"nan\"", "\"1e999\"", "\"nan Gbps\"",
                                                 "\"inf us\"", "0x", "1_", "--1", "1e", "1.5.2", "\"1 2 us\""}));
         return joined(draft.lines);
       }},
      {"a number beyond every range",
       [](Draft& draft) {
         draft.set_value(draft.one_of(std::array{"9223372036854775807", "-9223372036854775808", "99999999999999999999",
                                                 "-1", "1e308", "1000000000000", "4294967296", "-0.5"}));
         return joined(draft.lines);
       }},
      {"a quantity beyond every range",
       [](Draft& draft) {
         draft.set_value(draft.one_of(std::array{"\"1e30 Gbps\"", "\"99999999999999999999999 B\"", "\"-1 us\"",
                                                 "\"1e300 s\"", "\"-400Gbps\"", "\"100000000000 TiB\"",
                                                 "\"0.0000000000001 ps\"", "\"9223372036854775808 ps\""}));
         return joined(draft.lines);
       }},
      {"a unit that is none",
       [](Draft& draft) {
         draft.set_value(draft.one_of(std::array{"\"400\"", "\"400 kg\"", "\"400 gBPS\"", "\"us\"", "\"4 MB MB\"",
                                                 "\"0x10 B\"", "\"1/2 us\"", "\"4,5 us\"", "\"1 parsec\""}));
         return joined(draft.lines);
       }},
      {"a word that is none",
       [](Draft& draft) {
         draft.set_value(draft.one_of(std::array{"\"nonsense word\"", "\"\\u001b[31mred\"", "\"a\\u0000b\"", "\"\\n\"",
                                                 "\"../../../etc/passwd\\u0007\"", "\"\\u202Eevil\""}));
         return joined(draft.lines);
       }},
      {"a text of 5,000 letters",
       [](Draft& draft) {
         draft.set_value(fmt::format("\"{}\"", std::string(5'000, 'x')));
         return joined(draft.lines);
       }},
  };
}

std::vector<Rule> rules_of_names() {
  return {
      {"a key misspelt",
       [](Draft& draft) {
         std::string& line = draft.lines[draft.some_key()];
         line.insert(1 + draft.random.next() % 2, 1, 'q');
         return joined(draft.lines);
       }},
      {"a table misspelt",
       [](Draft& draft) {
         std::string& line = draft.lines[draft.some_table()];
         line.insert(line.find_last_of(']') - (line.starts_with("[[") ? 1U : 0U), 1, 'q');
         return joined(draft.lines);
       }},
      {"a key in capitals",
       [](Draft& draft) {
         std::string& line = draft.lines[draft.some_key()];
         line[0] = static_cast<char>(line[0] - 'a' + 'A');
         return joined(draft.lines);
       }},
      {"a key in quotes with an escape",
       [](Draft& draft) {
         const std::size_t at = draft.some_key();
         draft.lines[at] =
             fmt::format("\"{}\\u001b[2J\"{}", draft.key_at(at), draft.lines[at].substr(draft.lines[at].find('=')));
         return joined(draft.lines);
       }},
      {"a key of another table",
       [](Draft& draft) {
         draft.insert(draft.some_table() + 1, draft.one_of(std::array{"gpus_per_hosts = 1", "pp.tp = 1", "\"\" = 1",
                                                                      "a.b.c.d.e = 1", "select = 1", "1 = 1"}));
         return joined(draft.lines);
       }},
  };
}

std::vector<Rule> rules_of_structure() {
  return {
      {"a key twice",
       [](Draft& draft) {
         const std::size_t at = draft.some_key();
         draft.insert(at, std::string(draft.lines[at]));
         return joined(draft.lines);
       }},
      {"a table twice",
       [](Draft& draft) {
         draft.insert(draft.lines.size(), "[topology]\nkind = \"single-switch\"\n[topology]\nhosts = 2");
         return joined(draft.lines);
       }},
      {"a table in place of a list",
       [](Draft& draft) {
         draft.insert(draft.lines.size(),
                      draft.one_of(std::array{"[traffic]\nkind = \"incast\"", "[job]\nname = \"x\"",
                                              "[[fabric]]\nfamily = \"tcp\"", "[[topology]]", "[override]", "[case]"}));
         return joined(draft.lines);
       }},
      {"a value in place of a table",
       [](Draft& draft) {
         draft.insert(0, draft.one_of(std::array{"fabric = 1", "topology = \"x\"", "traffic = []", "job = {}",
                                                 "case = 7", "switch = [1]"}));
         return joined(draft.lines);
       }},
      {"a table inside a value",
       [](Draft& draft) {
         const std::size_t at = draft.some_key();
         draft.insert(at + 1, draft.key_at(at) + ".more = 1");
         return joined(draft.lines);
       }},
      {"a table that no one knows",
       [](Draft& draft) {
         draft.insert(draft.lines.size(), draft.one_of(std::array{"[a.b.c]", "[[x]]", "[fabric.family]", "[\"\"]",
                                                                  "[traffic.size]", "[[job.model]]", "[ ]", "[[ ]"}));
         return joined(draft.lines);
       }},
      {"what is not closed",
       [](Draft& draft) {
         draft.set_value(draft.one_of(
             std::array{"\"", "'", "[", "{", "\"\"\"", "[1, 2", "{ a = ", "\"\\", "\"\\u12\"", "\"\\q\"", ""}));
         return joined(draft.lines);
       }},
      {"no table above its keys",
       [](Draft& draft) {
         draft.lines[draft.tables.front()] = "#";
         return joined(draft.lines);
       }},
      {"lists nested deeply",
       [](Draft& draft) {
         const std::size_t deep = 10 + draft.random.next() % 5'000;
         draft.set_value(std::string(deep, '[') + std::string(deep, ']'));
         return joined(draft.lines);
       }},
      {"tables nested deeply",
       [](Draft& draft) {
         const std::size_t deep = 10 + draft.random.next() % 5'000;
         std::string line = "[a";
         for (std::size_t i = 0; i < deep; ++i) {
           line += ".a";
         }
         draft.insert(draft.lines.size(), line + "]");
         return joined(draft.lines);
       }},
  };
}

std::vector<Rule> rules_of_encodings() {
  return {
      {"UTF-16", [](Draft& draft) { return utf_16(joined(draft.lines), draft.random.next() % 2 == 0); }},
      {"Latin-1",
       [](Draft& draft) {
         draft.insert(draft.random.next() % draft.lines.size(),
                      "# Gr\xF6\xDF"
                      "e");
         return joined(draft.lines);
       }},
      {"a zero byte",
       [](Draft& draft) {
         std::string text = joined(draft.lines);
         text[draft.random.next() % text.size()] = '\0';
         return text;
       }},
      {"an escape byte",
       [](Draft& draft) {
         draft.set_value("\"\x1B[2J\"");
         return joined(draft.lines);
       }},
      {"carriage returns alone", [](Draft& draft) { return joined(draft.lines, "\r"); }},
      {"a line of a megabyte",
       [](Draft& draft) {
         draft.insert(draft.random.next() % draft.lines.size(), "# " + std::string(std::size_t{1} << 20, 'x'));
         return joined(draft.lines);
       }},
      {"a long line of dots",
       [](Draft& draft) {
         draft.insert(draft.some_table() + 1, std::string(60'000, '.') + " = 1");
         return joined(draft.lines);
       }},
      {"random bytes at the end",
       [](Draft& draft) {
         std::string text = joined(draft.lines);
         for (int i = 0; i < 40; ++i) {
           text += static_cast<char>(draft.random.next() & 0xFF);
         }
         return text;
       }},
      {"carriage returns before line feeds", [](Draft& draft) { return joined(draft.lines, "\r\n"); }},
  };
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (auto&& some : {rules_of_values(), rules_of_names(), rules_of_structure(), rules_of_encodings()}) {
    rules.insert(rules.end(), some.begin(), some.end());
  }
  return rules;
}

TEST(GeneratedScenarios, OfAThousandEachIsRefusedInOneLineWithItsPlaceOrIsRight) {
  constexpr std::size_t kCount = 1'050;
  const std::vector<std::string> examples = example_texts();
  const std::vector<Rule> rules = all_rules();
  ASSERT_GE(examples.size(), 50U);
  SplitMix64 random(20);
  std::map<std::string, int> harmless;
  std::size_t right = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const Rule& rule = rules[i % rules.size()];
    Draft draft = draft_of(examples[random.next() % examples.size()], random);
    const std::string text = rule.spoil(draft);
    const ScenarioRequest request{.file = "wrong.toml", .case_name = {}, .settings = {}};
    const auto scenario = parse_scenario(text, request, test_catalogue());
    if (scenario) {
      ++right;
      ++harmless[rule.name];
      EXPECT_EQ(terminal_text(listing_text(*scenario), LineBreaks::kKept), listing_text(*scenario)) << rule.name;
      continue;
    }
    const std::string& message = scenario.error().message;
    EXPECT_THAT(message, testing::MatchesRegex("wrong\\.toml:[0-9]+:[0-9]+: .+")) << rule.name << '\n' << text;
    EXPECT_EQ(terminal_text(message), message) << rule.name;
    EXPECT_LT(message.size(), 2'000U) << rule.name;
  }
  // A name may be any text, an upper bound any number, and line ends of Windows are as good as others.
  EXPECT_LT(right, kCount / 8) << testing::PrintToString(harmless);
}

}  // namespace
}  // namespace weft::study::scenario
