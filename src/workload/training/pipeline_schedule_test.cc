#include "workload/training/pipeline_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace weft::workload {
namespace {

std::vector<Pass> all_of(const PipelineShape& shape) {
  const PipelineSchedule schedule(shape);
  std::vector<Pass> passes;
  for (std::int64_t i = 0; i < schedule.size(); ++i) {
    passes.push_back(schedule.at(i));
  }
  return passes;
}

TEST(PipelineSchedule, EveryMicroBatchPassesEveryChunkOnceEachWay) {
  for (const std::int64_t chunks : {1, 2, 3}) {
    for (std::int64_t stage = 0; stage < 4; ++stage) {
      std::map<std::pair<std::int64_t, std::int64_t>, int> forward;
      for (const auto& pass : all_of({.stages = 4, .stage = stage, .chunks = chunks, .micro_batches = 8})) {
        int& state = forward[{pass.micro_batch, pass.chunk}];
        EXPECT_EQ(state, pass.direction == PassDirection::kForward ? 0 : 1);
        ++state;
      }
      EXPECT_EQ(forward.size(), static_cast<std::size_t>(8 * chunks));
    }
  }
}

TEST(PipelineSchedule, TheLastStageAlternatesFromTheBeginning) {
  const auto passes = all_of({.stages = 4, .stage = 3, .chunks = 1, .micro_batches = 5});
  for (std::size_t i = 0; i < passes.size(); ++i) {
    EXPECT_EQ(passes[i].micro_batch, static_cast<std::int64_t>(i / 2));
    EXPECT_EQ(passes[i].direction, i % 2 == 0 ? PassDirection::kForward : PassDirection::kBackward);
  }
}

TEST(PipelineSchedule, AStageRunsAheadByTheStagesBehindIt) {
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(PipelineSchedule({.stages = 4, .stage = stage, .micro_batches = 8}).warm_up(), 3 - stage);
    EXPECT_EQ(PipelineSchedule({.stages = 4, .stage = stage, .chunks = 2, .micro_batches = 8}).warm_up(),
              2 * (3 - stage) + 4);
  }
  EXPECT_EQ(PipelineSchedule({.stages = 8, .stage = 0, .micro_batches = 3}).warm_up(), 3);
}

TEST(PipelineSchedule, MostInFlightIsTheHighestLevelOfTheSequence) {
  for (const std::int64_t chunks : {1, 2}) {
    for (std::int64_t stage = 0; stage < 4; ++stage) {
      const PipelineShape shape{.stages = 4, .stage = stage, .chunks = chunks, .micro_batches = 8};
      std::int64_t level = 0;
      std::int64_t most = 0;
      for (const auto& pass : all_of(shape)) {
        level += pass.direction == PassDirection::kForward ? 1 : -1;
        most = std::max(most, level);
      }
      EXPECT_EQ(PipelineSchedule(shape).max_in_flight(), most);
      EXPECT_EQ(level, 0);
    }
  }
}

TEST(PipelineSchedule, BothEndsOfABoundarySeeTheSameOrder) {
  // What stage 2 sends backward and forward is what its neighbours take, in that order.
  const auto order = [](std::int64_t stage, PassDirection direction) {
    std::vector<std::pair<std::int64_t, std::int64_t>> list;
    for (const auto& pass : all_of({.stages = 4, .stage = stage, .chunks = 2, .micro_batches = 8})) {
      if (pass.direction == direction) {
        list.emplace_back(pass.micro_batch, pass.chunk);
      }
    }
    return list;
  };
  for (const auto direction : {PassDirection::kForward, PassDirection::kBackward}) {
    EXPECT_EQ(order(0, direction), order(3, direction));
    EXPECT_EQ(order(1, direction), order(2, direction));
  }
}

}  // namespace
}  // namespace weft::workload
