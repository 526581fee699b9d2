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

/// Each takes as many times as long as there are under way.
class Alike final : public SharedProgress::Overlap {
 public:
  std::vector<Change> begin(SharedProgress::Id id, const SharedProgress::Operation&, Duration) override {
    active_.push_back(id);
    return all();
  }
  std::vector<Change> end(SharedProgress::Id id) override {
    std::erase(active_, id);
    return all();
  }

 private:
  [[nodiscard]] std::vector<Change> all() const {
    std::vector<Change> made;
    for (const SharedProgress::Id id : active_)
      made.push_back({.id = id, .factor = static_cast<double>(active_.size())});
    return made;
  }
  std::vector<SharedProgress::Id> active_;
};

// Alone for 4 us, at half of its speed for 10 us, and 3 us alone again.
TEST(SharedProgress, AnOverlapChangesTheSpeedOfOperationsOfItsJob) {
  SharedProgress progress;
  Alike overlap;
  progress.set_overlap(0, overlap);
  Time end;
  Time other_end;
  progress.begin({.kind = {.job = 0}}, Duration::microseconds(12), at(0), [&end](Time time) { end = time; });
  EXPECT_EQ(end, at(12));
  const auto other = progress.begin({.kind = {.job = 0, .number = 1}}, Duration::microseconds(5), at(4),
                                    [&other_end](Time time) { other_end = time; });
  EXPECT_EQ(end, at(20));
  EXPECT_EQ(other_end, at(14));
  progress.end(other, at(14));
  EXPECT_EQ(end, at(17));
}

TEST(SharedProgress, WithoutAnOverlapOperationsOfOneJobDoNotSlowOneAnother) {
  SharedProgress progress(halved);
  Time end;
  progress.begin({.kind = {.job = 0}}, Duration::microseconds(12), at(0), [&end](Time time) { end = time; });
  progress.begin({.kind = {.job = 0, .number = 1}}, Duration::microseconds(5), at(4), [](Time) {});
  EXPECT_EQ(end, at(12));
}

}  // namespace
}  // namespace weft::workload
