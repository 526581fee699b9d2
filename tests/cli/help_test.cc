#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Cli, VersionIsNameAndNumber) {
  const Outcome outcome = run_weft("--version");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.out, StartsWith("weft "));
}

TEST(Cli, UsageErrorsExitWithTwoAndSayWhyOnStandardError) {
  for (const auto* arguments : {"", "--nonsense", "nonsense"}) {
    const Outcome outcome = run_weft(arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
    EXPECT_FALSE(outcome.err.empty()) << arguments;
  }
}

/// What is said of a wrong command line, without the list of the program's subcommands, which grows.
std::string complaint(const std::string& arguments) {
  const Outcome outcome = run_weft(arguments);
  EXPECT_EQ(outcome.exit_status, 2) << arguments;
  EXPECT_THAT(outcome.out, IsEmpty()) << arguments;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  return outcome.err;
}

TEST(Cli, AWrongCommandLineIsAnsweredInOneLineThatSaysWhatWouldBeRight) {
  EXPECT_THAT(complaint(""), StartsWith("weft: missing subcommand; one of help, pcap"));
  EXPECT_THAT(complaint("pcpa"), StartsWith("weft: unknown subcommand 'pcpa'; did you mean 'pcap'? one of help, pcap"));
  EXPECT_EQ(complaint("--foo"), "weft: unknown option '--foo'; see 'weft --help'\n");
  EXPECT_EQ(complaint("pcap"), "weft pcap: missing subcommand; one of check, list\n");
  EXPECT_EQ(complaint("pcap chek x"),
            "weft pcap: unknown subcommand 'chek'; did you mean 'check'? one of check, list\n");
  EXPECT_EQ(complaint("pcap check"), "weft pcap check: FILE is required; see 'weft pcap check --help'\n");
  EXPECT_EQ(complaint("pcap check --fast x"),
            "weft pcap check: unknown option '--fast'; see 'weft pcap check --help'\n");
  EXPECT_EQ(complaint("pcap list a b"), "weft pcap list: unexpected argument 'b'; see 'weft pcap list --help'\n");
  EXPECT_EQ(complaint("help --foo"), "weft help: unknown option '--foo'; see 'weft help --help'\n");
}

TEST(Cli, AReaderThatLeavesEarlyCausesNoMessage) {
  const Outcome outcome = run_weft("help | true");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Cli, OutputThatCannotBeWrittenIsAFault) {
  const Outcome outcome = run_weft("help >/dev/full");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("standard output"));
}

TEST(CliHelp, ListsTheTerms) {
  const Outcome outcome = run_weft("help");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("\n  PSN\n"));
}

TEST(CliHelp, ExplainsATermInAnyCaseAndInSeveralWords) {
  for (const auto* term : {"psn", "queue pair", "GO-BACK-N"}) {
    const Outcome outcome = run_weft(std::string("help ") + term);
    EXPECT_EQ(outcome.exit_status, 0) << term;
    EXPECT_THAT(outcome.out, HasSubstr("folder:")) << term;
    EXPECT_THAT(outcome.out, HasSubstr("example:")) << term;
  }
}

TEST(CliHelp, ListsThePagesOfTheManual) {
  EXPECT_THAT(run_weft("help").out, StartsWith("Manual pages that 'weft help NAME' prints:\n  run\n"));
}

TEST(CliHelp, AMistypedSubcommandSuggestsIt) {
  const Outcome outcome = run_weft("help colective");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean: collective"));
}

TEST(CliHelp, UnknownTermSuggestsTheNearest) {
  const Outcome outcome = run_weft("help sindrome");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("Syndrome"));
}

TEST(CliHelp, UnknownTermWithNothingNearPointsAtTheList) {
  const Outcome outcome = run_weft("help 0123456789");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'weft help' lists"));
}

TEST(CliHelp, ExplainsAKeyOfTheScenarioFile) {
  const Outcome outcome = run_weft("help link.rate");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("link.rate\n\n"));
  for (const char* label : {"value", "unit", "range", "default", "example", "document"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n    ") + label)) << label;
  }
  EXPECT_THAT(outcome.out, HasSubstr("--set link.rate="));
  EXPECT_THAT(outcome.out, HasSubstr("docs/scenario.md, [link], [link.X]"));
}

TEST(CliHelp, TheExampleOfAKeyIsWhatSetTakes) {
  for (const char* key : {"link.rate", "job.tp", "switch.buffer", "ethernet.priority.alpha"}) {
    const std::string out = run_weft(std::string("help ") + key).out;
    const std::size_t at = out.find("--set ");
    ASSERT_NE(at, std::string::npos) << out;
    const std::string option = out.substr(at, out.find('\n', at) - at);
    const Outcome shown =
        run_weft("show " + (project_root() / "examples" / "llama3-8b-128gpu.toml").string() + " " + option);
    EXPECT_THAT(shown.err, Not(HasSubstr("--set"))) << option;
    EXPECT_THAT(shown.err, Not(HasSubstr("cannot be read"))) << option;
  }
}

TEST(CliHelp, KeysMayBeNamedAloneOrWithTheirTable) {
  const std::string out = run_weft("help job.tp").out;
  EXPECT_THAT(out, StartsWith("job.tp\n\n"));
  EXPECT_EQ(run_weft("help 'job[0].tp'").out, out);
  EXPECT_EQ(run_weft("help '[[job]]' tp").out, out);
  EXPECT_THAT(run_weft("help rate").out, HasSubstr("\n  link.rate\n"));
}

TEST(CliHelp, ATableListsItsKeys) {
  const Outcome outcome = run_weft("help '[link]'");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("[link], [link.X]\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n    link.length\n"));
}

TEST(CliHelp, AMistypedKeySuggestsTheNearest) {
  const Outcome outcome = run_weft("help link.rat");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("weft help: no key 'link.rat'; did you mean: link.rate"));
}

TEST(CliHelp, AKeyThatCannotBeWrittenIsAFault) {
  EXPECT_EQ(run_weft("help link.rate >/dev/full").exit_status, 1);
  EXPECT_EQ(run_weft("help link.rate >&-").exit_status, 1);
}

TEST(CliHelp, WhatCannotBePrintedIsSaidOfStandardOutput) {
  for (const char* where : {">/dev/full", ">&-"}) {
    EXPECT_THAT(run_weft(std::string("help run ") + where).err, StartsWith("weft: cannot write to standard output"));
  }
}

}  // namespace
}  // namespace weft::test
