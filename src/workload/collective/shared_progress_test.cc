#include "workload/collective/shared_progress.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

constexpr Time at(std::int64_t us) { return Time::zero() + Duration::microseconds(us); }

/// Twice as slow beside anything of another job.
double halved(const SharedProgress::Operation& own, const SharedProgress::Counts& counts) {
  double slowdown = 1;
  for (const auto& [kind, count] : counts) {
    slowdown = kind.job == own.kind.job ? slowdown : 2;
  }
  return slowdown;
}

// Alone for 4 us, at half of its speed for 10 us, which are 5 us of its own, and 3 us alone again.
TEST(SharedProgress, AnOperationGoesOnAsFastAsOthersLeaveIt) {
  SharedProgress progress(halved);
  Time end;
  Time other_end;
  progress.begin({.kind = {.job = 0}}, Duration::microseconds(12), at(0), [&end](Time time) { end = time; });
  EXPECT_EQ(end, at(12));
  const auto other = progress.begin({.kind = {.job = 1}}, Duration::microseconds(5), at(4),
                                    [&other_end](Time time) { other_end = time; });
  EXPECT_EQ(end, at(20));
  EXPECT_EQ(other_end, at(14));
  progress.end(other, at(14));
  EXPECT_EQ(end, at(17));
}

TEST(SharedProgress, OperationsOfOneJobDoNotSlowOneAnother) {
  SharedProgress progress(halved);
  Time end;
  progress.begin({.kind = {.job = 0}}, Duration::microseconds(12), at(0), [&end](Time time) { end = time; });
  progress.begin({.kind = {.job = 0, .number = 1}}, Duration::microseconds(5), at(4), [](Time) {});
  EXPECT_EQ(end, at(12));
}

}  // namespace
}  // namespace weft::workload
