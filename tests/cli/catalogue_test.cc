// `weft catalogue` from outside: lists, entries, JSON, wrong names, a folder of the user's.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CliCatalogue, ListsKindsAndEntries) {
  const Outcome outcome = run_weft("catalogue");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* kind : {"switch: ", "nic: ", "family: ", "model: ", "gpu: "}) {
    EXPECT_THAT(outcome.out, HasSubstr(kind));
  }
  EXPECT_THAT(outcome.out, HasSubstr("tomahawk-5"));
}

TEST(CliCatalogue, AKindListsWhatItsEntriesAre) {
  const Outcome outcome = run_weft("catalogue switch");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("NVIDIA Quantum-2"));
}

TEST(CliCatalogue, AnEntryHasEveryValueWithMarkAndSource) {
  const Outcome outcome = run_weft("catalogue quantum-2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("switch.ports"));
  EXPECT_THAT(outcome.out, HasSubstr("specified"));
  EXPECT_THAT(outcome.out, HasSubstr("guess"));
  EXPECT_THAT(outcome.out, HasSubstr("resellers disagree"));
  EXPECT_THAT(outcome.out, HasSubstr("switches.toml:"));
  // The name is that of an entry of adaptive routing as well.
  const Outcome one = run_weft("catalogue switch quantum-2");
  EXPECT_THAT(outcome.out, HasSubstr(one.out));
  EXPECT_THAT(one.out, Not(HasSubstr("adaptive_routing")));
  EXPECT_EQ(run_weft("catalogue switch/quantum-2").out, one.out);
}

TEST(CliCatalogue, JsonHasTheSame) {
  const Outcome outcome = run_weft("catalogue gpu/h100-sxm --json");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& entry = json.at("entries").at(0);
  EXPECT_EQ(entry.at("kind"), "gpu");
  const auto& values = entry.at("values");
  const auto memory = std::ranges::find_if(values, [](const auto& value) { return value.at("key") == "memory"; });
  ASSERT_NE(memory, values.end());
  EXPECT_EQ(memory->at("value"), "\"80 GB\"");
  EXPECT_EQ(memory->at("mark"), "specified");
}

TEST(CliCatalogue, UnknownNamesAreWrongInput) {
  const Outcome outcome = run_weft("catalogue tomahwak-5");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'tomahawk-5'?"));
  EXPECT_EQ(run_weft("catalogue a b c").exit_status, 2);
}

TEST(CliCatalogue, OutputThatCannotBeWrittenIsAFault) {
  EXPECT_EQ(run_weft("catalogue >/dev/full").exit_status, 1);
  EXPECT_EQ(run_weft("catalogue quantum-2 >&-").exit_status, 1);
}

class OwnCatalogue : public ::testing::Test {
 protected:
  OwnCatalogue() { std::filesystem::create_directories(path_); }
  ~OwnCatalogue() override { std::filesystem::remove_all(path_); }
  void write(const std::string& text) const { std::ofstream(path_ + "/own.toml") << text; }

  std::string path_ =
      ::testing::TempDir() + "weft_catalogue_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(OwnCatalogue, AddsEntriesAndTakesThePlaceOfOthers) {
  write(
      "[switch.ours]\nswitch.ports = { value = 48, mark = \"measured\", source = \"we counted\" }\n"
      "[switch.quantum-2]\nabout = \"not what it was\"\n");
  EXPECT_THAT(run_weft("catalogue switch").out, Not(HasSubstr("ours")));
  const std::string option = " --catalogue " + path_;
  EXPECT_THAT(run_weft("catalogue switch" + option).out, HasSubstr("ours"));
  EXPECT_THAT(run_weft("catalogue ours" + option).out, HasSubstr("we counted"));
  EXPECT_THAT(run_weft("catalogue ours" + option).out, HasSubstr("own.toml:1:"));
  EXPECT_THAT(run_weft("catalogue quantum-2" + option).out, HasSubstr("not what it was"));
}

TEST_F(OwnCatalogue, ErrorsInItHaveTheirPlace) {
  write("[switch.ours]\nswitch.ports = 48\n");
  const Outcome outcome = run_weft("catalogue ours --catalogue " + path_);
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("own.toml:2:"));
  EXPECT_EQ(run_weft("catalogue --catalogue " + path_ + "/nowhere").exit_status, 2);
}

TEST_F(OwnCatalogue, WhatAFileHoldsDoesNotReachTheTerminalAsControl) {
  write("[switch.ours]\nabout = \"red \\u001b[31m\"\n");
  EXPECT_THAT(run_weft("catalogue ours --catalogue " + path_).out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace weft::test
