#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(ProgressLine, ShowsWhatIsFurtherPayloadOrTime) {
  study::run::Progress progress;
  EXPECT_EQ(fraction_done(progress), 0);
  progress.expected_bytes = 1000;
  progress.bytes = 250;
  EXPECT_DOUBLE_EQ(fraction_done(progress), 0.25);
  progress.limit = Time::zero() + 10_ms;
  progress.now = Time::zero() + 5_ms;
  EXPECT_DOUBLE_EQ(fraction_done(progress), 0.5);
}

TEST(ProgressLine, TimeLeftFollowsFromTheShareDone) {
  study::run::Progress progress;
  progress.now = Time::zero() + 2_ms;
  progress.limit = Time::zero() + 8_ms;
  progress.packet_hops = 90'000'000;
  EXPECT_EQ(progress_text("incast", progress, 30_s),
            "incast: 25%, 2 ms simulated, 3.00 million packet-hops/s, 1:30 left");
}

TEST(ProgressLine, FitsATerminalOf80Columns) { EXPECT_LT(progress_text(std::string(200, 'x'), {}, 1_s).size(), 80U); }

TEST(ProgressLine, IsSilentOffATerminal) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    ProgressLine line(file, "incast", ProgressLine::Show::kOnTerminal);
    line.update({});
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace weft::cli
