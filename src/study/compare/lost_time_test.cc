#include "study/compare/lost_time.h"

#include <gtest/gtest.h>

#include <numeric>

namespace weft::study::compare {
namespace {

double sum_of(const std::vector<LostTime>& causes) {
  return std::accumulate(causes.begin(), causes.end(), 0.0,
                         [](double sum, const LostTime& own) { return sum + own.seconds; });
}

double of(const std::vector<LostTime>& causes, const std::string& cause) {
  for (const LostTime& own : causes) {
    if (own.cause == cause) {
      return own.seconds;
    }
  }
  return -1;
}

TEST(LostTime, AddsUpToTheStepWithComputing) {
  const StepShares shares{.step = 10, .compute = 6, .waiting = 1, .header_share = 0.02, .network_share = 0.5};
  const auto causes = lost_time(shares, {.slice = 10, .after = {{"losses", 9.5}, {"hosts", 9}}});
  EXPECT_DOUBLE_EQ(sum_of(causes) + shares.compute, shares.step);
  EXPECT_DOUBLE_EQ(of(causes, "losses"), 0.5);
  EXPECT_DOUBLE_EQ(of(causes, "hosts"), 0.5);
  EXPECT_DOUBLE_EQ(of(causes, "waiting for other ranks"), 1);
  // 2 s move data, half of them through the network, 2 % of those for headers.
  EXPECT_DOUBLE_EQ(of(causes, "headers"), 0.02);
  EXPECT_DOUBLE_EQ(of(causes, "moving the data"), 1.98);
}

/// The defect: all that no removal gains was called serialisation, and differed between lines of one rate.
TEST(LostTime, SerialisationIsWhatTheBytesNeedAndTheRestIsNot) {
  StepShares shares{.step = 10, .compute = 6, .waiting = 1, .header_share = 0.02};
  shares.network_payload = 0.98;
  shares.inside_payload = 0.4;
  shares.hidden = 0.1;
  const AblationLadder ladder{.slice = 10, .after = {{"losses", 9.5}, {"hosts", 9}}};
  const auto causes = lost_time(shares, ladder);
  EXPECT_NEAR(of(causes, "headers"), 0.02, 1e-12);
  EXPECT_NEAR(of(causes, "serialisation at line rate"), 1.28, 1e-12);
  EXPECT_NEAR(of(causes, "turns and acknowledgements"), 2 - 1.3, 1e-12);
  EXPECT_NEAR(sum_of(causes) + shares.compute, shares.step, 1e-12);
  shares.network_payload = 9.8;  // more than what is exposed
  const auto full = lost_time(shares, ladder);
  EXPECT_NEAR(of(full, "turns and acknowledgements"), 0, 1e-12);
  EXPECT_NEAR(sum_of(full) + shares.compute, shares.step, 1e-12);
}

TEST(LostTime, ACauseWhoseRemovalGainsNothingCostsNothing) {
  const auto causes = lost_time({.step = 10, .compute = 6}, {.slice = 10, .after = {{"routing", 10.4}, {"hosts", 9}}});
  EXPECT_DOUBLE_EQ(of(causes, "routing"), 0);
  EXPECT_DOUBLE_EQ(of(causes, "hosts"), 1);
  EXPECT_DOUBLE_EQ(sum_of(causes), 4);
}

TEST(LostTime, CausesNeverExplainMoreThanThereIs) {
  const auto causes = lost_time({.step = 8, .compute = 6}, {.slice = 10, .after = {{"losses", 9}, {"hosts", 6}}});
  EXPECT_DOUBLE_EQ(sum_of(causes), 2);
  EXPECT_DOUBLE_EQ(of(causes, "losses"), 0.5);
  EXPECT_DOUBLE_EQ(of(causes, "hosts"), 1.5);
}

TEST(LostTime, SharesOfASliceAreCarriedOverToTheWholeStep) {
  // Half of what the slice takes beyond computing is the hosts'; the step takes twice as much beyond it.
  const auto causes = lost_time({.step = 14, .compute = 6}, {.slice = 10, .after = {{"hosts", 8}}});
  EXPECT_DOUBLE_EQ(of(causes, "hosts"), 4);
  EXPECT_DOUBLE_EQ(sum_of(causes), 8);
}

TEST(LostTime, AStepThatIsShorterThanItsSliceHasAsMuchDataToMove) {
  const auto causes = lost_time({.step = 9, .compute = 6}, {.slice = 12, .after = {{"congestion control", 8}}});
  EXPECT_DOUBLE_EQ(of(causes, "moving the data"), 2);
  EXPECT_DOUBLE_EQ(of(causes, "congestion control"), 1);
}

TEST(LostTime, WaitingThatTheCausesMadeDoesNotHideTheData) {
  // Half a second of waiting, most of it gone with the hosts: what is left beyond computing is 0.1 s.
  const auto causes = lost_time({.step = 4, .compute = 1, .waiting = 0.5}, {.slice = 4, .after = {{"hosts", 1.1}}});
  EXPECT_NEAR(of(causes, "moving the data"), 0.1 * (1 - 0.5 / 3), 1e-12);
  EXPECT_NEAR(sum_of(causes), 3, 1e-12);
}

}  // namespace
}  // namespace weft::study::compare
