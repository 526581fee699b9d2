#include "cli/work_estimate.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::cli {
namespace {

using study::run::HopsEstimate;

TEST(WorkTime, IsARangeInWords) {
  EXPECT_EQ(work_time_text({.least = 1, .most = 5}), "a few seconds");
  EXPECT_EQ(work_time_text({.least = 22, .most = 88}), "about 22 to 88 seconds");
  EXPECT_EQ(work_time_text({.least = 130, .most = 433}), "about 2 to 7 minutes");
  EXPECT_EQ(work_time_text({.least = 700, .most = 1300}), "about 12 to 22 minutes");
  EXPECT_EQ(work_time_text({.least = 3000, .most = 12'000}), "about 1 to 3 hours");
  EXPECT_EQ(work_time_text({.least = 119, .most = 121}), "about 2 minutes");
}

TEST(WorkTime, IsSharedByCoresButNotShorterThanTheLongestRun) {
  const MachineSpeed speed{.setup = 0, .hops_per_second = 1e6};
  const std::vector<HopsEstimate> alike(8, HopsEstimate{.least = 10e6, .most = 20e6});
  const WorkTime one = work_time(alike, speed, {.at_once = 1, .cores = 4});
  const WorkTime four = work_time(alike, speed, {.at_once = 4, .cores = 4});
  EXPECT_NEAR(one.least / four.least, 4, 1e-9);
  EXPECT_NEAR(one.most / four.most, 4, 1e-9);
  EXPECT_LT(four.least, 20);
  EXPECT_GT(four.most, 40);
  EXPECT_EQ(work_time(alike, speed, {.at_once = 16, .cores = 4}).most, four.most);
  const std::vector<HopsEstimate> single = {HopsEstimate{.least = 10e6, .most = 20e6}};
  EXPECT_GT(work_time(single, speed, {.at_once = 4, .cores = 4}).most, 20);
}

TEST(WorkProgress, WeighsPiecesByTheirWork) {
  const std::vector<HopsEstimate> pieces = {{.least = 9e6, .most = 9e6}, {.least = 1e6, .most = 1e6}};
  WorkProgress progress(pieces, 100);
  EXPECT_EQ(progress.share(), 0);
  EXPECT_DOUBLE_EQ(progress.left(0), 100);
  progress.done(0);
  EXPECT_DOUBLE_EQ(progress.share(), 0.9);
  EXPECT_NEAR(progress.left(45), 5, 1e-9);  // as fast as it was, whatever was expected
  progress.done(1);
  EXPECT_DOUBLE_EQ(progress.share(), 1);
  EXPECT_DOUBLE_EQ(progress.left(50), 0);
}

TEST(WorkProgress, OfUnknownWorkCountsPieces) {
  const std::vector<HopsEstimate> pieces(4);
  WorkProgress progress(pieces, 0);
  progress.done(2);
  EXPECT_DOUBLE_EQ(progress.share(), 0.25);
  EXPECT_NEAR(progress.left(10), 30, 1e-9);
}

}  // namespace
}  // namespace weft::cli
