// Manual pages for man(1): of the same text as `weft help`.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

bool has_groff() { return std::system("command -v groff >/dev/null 2>&1") == 0; }

TEST(ManPages, EveryPageOfTheManualIsOneOfSectionOne) {
  for (const char* name : {"run", "show", "compare", "perf", "init", "catalogue", "help"}) {
    const Outcome outcome = run_weft(std::string("help --man ") + name);
    EXPECT_EQ(outcome.exit_status, 0) << name << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith(".TH WEFT-")) << name;
    for (const char* section :
         {"\n.SH NAME\n", "\n.SH \"SYNOPSIS\"\n", "\n.SH \"EXIT STATUS\"\n", "\n.SH \"SEE ALSO\"\n"}) {
      EXPECT_THAT(outcome.out, HasSubstr(section)) << name;
    }
    EXPECT_THAT(outcome.out, Not(HasSubstr("`"))) << name;
    EXPECT_THAT(outcome.out, Not(HasSubstr("]("))) << name;
  }
}

TEST(ManPages, TheScenarioFileHasOneOfSectionFive) {
  const Outcome outcome = run_weft("help --man scenario");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith(".TH WEFT-SCENARIO 5 "));
  EXPECT_THAT(outcome.out, HasSubstr(".TP\n\\fBbuffer\\fR\n"));
  EXPECT_THAT(outcome.out, HasSubstr("range: 1 Mbps to"));
  EXPECT_THAT(outcome.out, HasSubstr("\n.SS \"[fabric]\"\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\n.IP 1. 3\n"));  // the strongest source of a value
}

TEST(ManPages, TheOneOfWeftListsTheOthers) {
  const std::string out = run_weft("help --man").out;
  EXPECT_THAT(out, StartsWith(".TH WEFT 1 "));
  EXPECT_THAT(out, HasSubstr("\\fBweft\\-run\\fR(1)"));
}

TEST(ManPages, GroffHasNothingToComplainOf) {
  if (!has_groff()) {
    GTEST_SKIP() << "groff is not installed";
  }
  for (const char* name : {"", "run", "perf", "help", "compare", "import", "scenario"}) {
    const Outcome outcome = run_weft(std::string("help --man ") + name + " | groff -man -Tascii -ww");
    EXPECT_EQ(outcome.exit_status, 0) << name;
    EXPECT_THAT(outcome.err, IsEmpty()) << name;
  }
}

TEST(ManPages, UnknownNamesAreWrongInput) {
  const Outcome outcome = run_weft("help --man rum");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'run'?"));
}

}  // namespace
}  // namespace weft::test
