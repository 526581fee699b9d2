#include "cli/progress_bar.h"

#include <gmock/gmock.h>

#include "base/text_lines.h"

namespace weft::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ProgressBar, ShowsWhatIsFurtherPayloadOrTime) {
  study::run::Progress progress;
  EXPECT_EQ(fraction_done(progress), 0);
  progress.expected_bytes = 1000;
  progress.bytes = 250;
  EXPECT_DOUBLE_EQ(fraction_done(progress), 0.25);
  progress.limit = Time::zero() + 10_ms;
  progress.now = Time::zero() + 5_ms;
  EXPECT_DOUBLE_EQ(fraction_done(progress), 0.5);
}

TEST(ProgressBar, TimeLeftFollowsFromTheShareDone) {
  study::run::Progress progress;
  progress.now = Time::zero() + 2_ms;
  progress.limit = Time::zero() + 8_ms;
  progress.packet_hops = 90'000'000;
  EXPECT_EQ(progress_text(facts_of("incast", progress, 30_s), 100),
            "[#####---------------]  25 %, 1:30 left; incast, 2 ms simulated, 3.00 million packet-hops/s");
}

TEST(ProgressBar, FitsALineOfAnyWidth) {
  study::run::Progress progress;
  progress.now = Time::zero() + 2_ms;
  progress.limit = Time::zero() + 8_ms;
  for (const std::string& name : {std::string("incast"), std::string(200, 'x'), std::string("\u00b5")}) {
    for (std::size_t columns = 1; columns < 200; ++columns) {
      EXPECT_LE(columns_of(progress_text(facts_of(name, progress, 30_s), columns)), columns);
      EXPECT_LE(columns_of(progress_text(facts_of(name, {}, 1_s), columns)), columns);
    }
  }
}

TEST(ProgressBar, LeavesOutTheLastPartsFirst) {
  const ProgressFacts facts{.share = 0.5, .left = 90, .parts = {"3 of 8 runs done", "2 running", "last rocev2"}};
  EXPECT_THAT(progress_text(facts, 100), HasSubstr("last rocev2"));
  EXPECT_EQ(progress_text(facts, 60), "[######------]  50 %, 1:30 left; 3 of 8 runs done, 2 running");
  EXPECT_EQ(progress_text(facts, 39), " 50 %, 1:30 left; 3 of 8 runs done");
  EXPECT_EQ(progress_text(facts, 20), " 50 %, 1:30 left");
  EXPECT_EQ(progress_text(facts, 6), " 50 %");
}

TEST(ProgressBar, WithoutAShareItSaysWhatIsKnown) {
  EXPECT_EQ(progress_text({.share = {}, .left = {}, .parts = {"incast", "2 ms simulated"}}, 80),
            "incast, 2 ms simulated");
}

TEST(ProgressBar, NoNameMovesTheCursor) {
  EXPECT_THAT(progress_text({.share = 0.5, .left = {}, .parts = {"a\rb\033[2J"}}, 80), Not(HasSubstr("\033")));
}

TEST(ProgressBar, RunsCountByTheirWork) {
  const study::run::HopsEstimate pieces[] = {{.least = 1e6, .most = 1e6}, {.least = 3e6, .most = 3e6}};
  RunTally tally({.all = 3, .kept = 1}, WorkProgress(pieces, 0));
  tally.done(1, "rocev2");
  const ProgressFacts facts = tally.facts(1, 30_s);
  EXPECT_DOUBLE_EQ(*facts.share, 0.75);
  EXPECT_DOUBLE_EQ(*facts.left, 10);
  EXPECT_THAT(facts.parts, testing::ElementsAre("2 of 3 runs done", "1 running", "last rocev2"));
}

TEST(ProgressBar, ARunCountsInPartBeforeItHasEnded) {
  const study::run::HopsEstimate pieces[] = {{.least = 1e6, .most = 1e6}, {.least = 3e6, .most = 3e6}};
  RunTally tally({.all = 2, .kept = 0}, WorkProgress(pieces, 0));
  tally.under_way([](std::size_t piece) { return piece == 1 ? 0.5 : 0; });
  EXPECT_DOUBLE_EQ(*tally.facts(1, 30_s).share, 0.375);
  EXPECT_DOUBLE_EQ(*tally.facts(1, 30_s).left, 50);
  EXPECT_EQ(tally.facts(1, 30_s).parts.front(), "0 of 2 runs done");
  tally.done(1, "rocev2");
  tally.under_way([](std::size_t) { return 0.5; });  // what is over stays so
  EXPECT_DOUBLE_EQ(*tally.facts(1, 30_s).share, 0.875);
}

TEST(ProgressBar, APieceOfSeveralRunsCountsTheHopsOfAllAndIsNeverDoneBeforeItsEnd) {
  PieceMeter meter({.least = 1000, .most = 1000});
  const auto after = [](std::uint64_t hops) { return study::run::Progress{.now = {}, .packet_hops = hops}; };
  EXPECT_DOUBLE_EQ(meter.share(after(400)), 0.4);
  EXPECT_DOUBLE_EQ(meter.share(after(100)), 0.5);  // the second run
  EXPECT_DOUBLE_EQ(meter.share(after(500)), 0.9);
  EXPECT_LT(meter.share(after(600)), 1.0);
  EXPECT_LT(meter.share(after(1'000'000)), 1.0);
  EXPECT_GT(meter.share(after(1'000'000)), 0.99);
}

TEST(ProgressBar, NoTimeIsLeftOfWorkThatNobodyHasEstimated) {
  const study::run::HopsEstimate pieces[] = {{.least = 1e6, .most = 1e6}};
  const RunTally tally({.all = 1, .kept = 0}, WorkProgress(pieces, 0));
  EXPECT_FALSE(tally.facts(1, 30_s).left.has_value());
}

TEST(ProgressBar, IsSilentOffATerminal) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    ProgressBar bar(file, ProgressBar::Show::kOnTerminal);
    bar.update([](Duration elapsed) { return facts_of("incast", {}, elapsed); });
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace weft::cli
