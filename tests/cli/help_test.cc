#include <gmock/gmock.h>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

}  // namespace
}  // namespace weft::test
