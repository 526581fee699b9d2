// Wrong scenarios, one per file of tests/data/scenarios/wrong/: each is refused with the message it is there for.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "base/test_paths.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kFolder = std::filesystem::path(test_data_dir()) / "scenarios" / "wrong";

std::vector<std::string> wrong_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().extension() == ".toml") {
      names.push_back(file.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

// A file whose first line cannot be a comment has its expectation beside it.
std::string expectation(const std::string& name, const std::string& text) {
  constexpr std::string_view kMark = "# expect ";
  if (text.starts_with(kMark)) {
    return text.substr(kMark.size(), text.find('\n') - kMark.size());
  }
  auto beside = read_file((kFolder / (name + ".expect")).string());
  return beside ? beside->substr(0, beside->find('\n')) : "no expectation beside the file";
}

class WrongScenario : public testing::TestWithParam<std::string> {};

TEST_P(WrongScenario, IsRefusedWithPlaceAndReason) {
  const auto text = read_file((kFolder / (GetParam() + ".toml")).string());
  ASSERT_TRUE(text.has_value());
  const auto scenario =
      parse_scenario(*text, {.file = "wrong.toml", .case_name = {}, .settings = {}}, test_catalogue());
  ASSERT_FALSE(scenario.has_value());
  EXPECT_THAT(scenario.error().message, StartsWith("wrong.toml:"));
  EXPECT_THAT(scenario.error().message, HasSubstr(expectation(GetParam(), *text)));
  EXPECT_THAT(scenario.error().message, testing::Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(Corpus, WrongScenario, testing::ValuesIn(wrong_names()),
                         [](const testing::TestParamInfo<std::string>& name) {
                           auto word = name.param;
                           std::ranges::replace(word, '-', '_');
                           return word;
                         });

TEST(WrongScenarios, AreAtLeastSixty) { EXPECT_GE(wrong_names().size(), 60U); }

// The corpus is wrong in one place each: without that the same skeleton loads.
TEST(WrongScenarios, StandBesideARightOne) { EXPECT_EQ(message_of(scenario_with("")), "no error"); }

std::string whole_scenario() {
  return fmt::format(
      "{}[[traffic]]\nkind = \"incast\"\nsize = \"1 MB\"\n[[case]]\nname = \"big\"\nswitch.buffer = \"4 MB\"\n",
      kSmallScenario);
}

// Right or refused in one line with a place: nothing else happens to a text, however it is spoilt.
void expect_told(const std::string& text) {
  const auto scenario = parse_scenario(text, {.file = "wrong.toml", .case_name = {}, .settings = {}}, test_catalogue());
  if (!scenario) {
    EXPECT_THAT(scenario.error().message, testing::MatchesRegex("wrong\\.toml:[0-9]+:[0-9]+: .+")) << text;
  }
}

TEST(WrongScenario, CutOffAnywhereIsToldWithItsPlace) {
  const auto whole = whole_scenario();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    expect_told(whole.substr(0, length));
  }
}

TEST(WrongScenario, WithAnyByteSpoiltIsToldWithItsPlace) {
  const auto whole = whole_scenario();
  SplitMix64 random(1);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto spoilt = whole;
    spoilt[at] = static_cast<char>(random.next() & 0xFF);
    expect_told(spoilt);
  }
}

TEST(WrongScenario, OfJunkIsToldWithItsPlace) {
  SplitMix64 random(2);
  for (int i = 0; i < 200; ++i) {
    std::string junk(random.next() % 300, '\0');
    std::ranges::generate(junk, [&] { return static_cast<char>(random.next() & 0xFF); });
    expect_told(junk);
  }
}

TEST(WrongScenario, ReportsAFileThatCannotBeRead) {
  const auto missing = load_scenario({.file = "no-such-file.toml", .case_name = {}, .settings = {}}, test_catalogue());
  EXPECT_EQ(message_of(missing), "no-such-file.toml: No such file or directory");
  const auto folder = load_scenario({.file = kFolder.string(), .case_name = {}, .settings = {}}, test_catalogue());
  EXPECT_THAT(message_of(folder), HasSubstr("is a folder"));
}

TEST(WrongScenario, NamesTheNearestCase) {
  ScenarioRequest request;
  request.case_name = "bg";
  const auto scenario = scenario_with("[[case]]\nname = \"big\"\n", request);
  EXPECT_EQ(message_of(scenario), "test.toml: unknown case 'bg'; did you mean 'big'? one of big");
  EXPECT_THAT(message_of(scenario_with("", request)), HasSubstr("the scenario has no [[case]]"));
}

TEST(WrongScenario, PointsAtTheSettingOfTheCommandLine) {
  const auto with = [](const std::string& setting) {
    return message_of(
        scenario_with("[[traffic]]\nkind = \"incast\"\n", {.file = "", .case_name = {}, .settings = {setting}}));
  };
  EXPECT_THAT(with("switch.bufer=1MB"),
              StartsWith("--set switch.bufer: unknown key of [switch] 'bufer'; did you mean"));
  EXPECT_THAT(with("swich.buffer=1MB"), HasSubstr("unknown table 'swich'; did you mean 'switch'?"));
  EXPECT_THAT(with("switch.buffer=1"), StartsWith("--set switch.buffer: found the integer 1"));
  EXPECT_THAT(with("switch.buffer"), HasSubstr("expected key=value"));
  EXPECT_THAT(with("traffic.size=1MB"), HasSubstr("'traffic' is a list"));
  EXPECT_THAT(with("traffic[1].size=1MB"), HasSubstr("there are 1 [[traffic]], counted from 0"));
  EXPECT_THAT(with("topology.radix=4"), HasSubstr("topology.radix: has no effect with kind = \"single-switch\""));
}

TEST(WrongScenario, RefusesKeysOfPathsThatTheRuleInForceDoesNotLookAt) {
  const auto with = [](std::vector<std::string> settings) {
    return message_of(scenario_with("[[traffic]]\nkind = \"incast\"\n",
                                    {.file = "", .case_name = {}, .settings = std::move(settings)}));
  };
  EXPECT_THAT(with({"transport.paths=8"}),
              StartsWith("--set transport.paths: has no effect with family = \"rocev2\" and "
                         "path_selector = \"single\"; only with a path_selector"));
  EXPECT_THAT(with({"transport.path_burst=4", "transport.path_selector=per-message"}),
              HasSubstr("transport.path_burst: has no effect"));
  EXPECT_THAT(with({"transport.plb_rounds=4", "transport.path_selector=random"}),
              HasSubstr("transport.plb_rounds: has no effect"));
  EXPECT_THAT(with({"transport.paths=8", "transport.path_selector=in-turn", "fabric.family=infiniband"}),
              HasSubstr("transport.path"));
  EXPECT_EQ(with({"transport.paths=8", "transport.path_burst=4", "transport.path_selector=random"}), "no error");
}

TEST(WrongScenario, LeavesKeysOfPathsAloneThatWereMeantForAnotherRule) {
  const std::string own = "[transport]\npath_selector = \"random\"\npaths = 8\n[[traffic]]\nkind = \"incast\"\n";
  for (const std::string setting :
       {"transport.path_selector=single", "fabric.family=infiniband", "routing.scheme=ecmp"}) {
    EXPECT_EQ(message_of(scenario_with(own, {.file = "", .case_name = {}, .settings = {setting}})), "no error")
        << setting;
  }
}

}  // namespace
}  // namespace weft::study::scenario
