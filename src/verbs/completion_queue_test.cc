#include "verbs/completion_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace weft::verbs {
namespace {

using Notify = CompletionQueue::Notify;

WorkCompletion numbered(std::uint64_t wr_id) { return WorkCompletion{.wr_id = wr_id}; }

std::vector<std::uint64_t> drain(CompletionQueue& queue) {
  std::vector<std::uint64_t> ids;
  std::array<WorkCompletion, 3> some;
  while (const std::size_t count = queue.poll(some)) {
    for (std::size_t i = 0; i < count; ++i) {
      ids.push_back(some[i].wr_id);
    }
  }
  return ids;
}

TEST(CompletionQueue, GivesCompletionsInTheOrderOfTheirArrival) {
  CompletionQueue queue(8);
  for (std::uint64_t id = 1; id <= 8; ++id) {
    ASSERT_TRUE(queue.push(numbered(id)));
  }
  EXPECT_EQ(queue.size(), queue.capacity());
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(queue.in_error());
}

TEST(CompletionQueue, PollMovesNoMoreThanThereIsRoomFor) {
  CompletionQueue queue(4);
  ASSERT_TRUE(queue.push(numbered(1)));
  ASSERT_TRUE(queue.push(numbered(2)));
  std::array<WorkCompletion, 1> one;
  EXPECT_EQ(queue.poll(one), 1U);
  EXPECT_EQ(one[0].wr_id, 1U);
  EXPECT_EQ(queue.poll({}), 0U);
  EXPECT_EQ(queue.size(), 1U);
}

//= ibta-1.7 10.2.6.1
TEST(CompletionQueue, OverflowIsAnErrorThatKeepsWhatWasThere) {
  CompletionQueue queue(2);
  ASSERT_TRUE(queue.push(numbered(1)));
  ASSERT_TRUE(queue.push(numbered(2)));
  EXPECT_FALSE(queue.push(numbered(3)));
  EXPECT_TRUE(queue.in_error());
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{1, 2}));
}

TEST(CompletionQueue, RefusesEverythingAfterAnOverflowEvenWithRoom) {
  CompletionQueue queue(1);
  ASSERT_TRUE(queue.push(numbered(1)));
  EXPECT_FALSE(queue.push(numbered(2)));
  EXPECT_EQ(drain(queue), (std::vector<std::uint64_t>{1}));
  EXPECT_FALSE(queue.push(numbered(3)));
  EXPECT_TRUE(drain(queue).empty());
}

//= ibta-1.7 11.4.2.2
TEST(CompletionQueue, RaisesOneEventForTheNextCompletionWhenArmed) {
  CompletionQueue queue(8);
  ASSERT_TRUE(queue.push(numbered(1)));
  EXPECT_FALSE(queue.take_event()) << "not armed";
  queue.request_notify(Notify::kNext);
  EXPECT_FALSE(queue.take_event()) << "completions from before do not count";
  ASSERT_TRUE(queue.push(numbered(2)));
  ASSERT_TRUE(queue.push(numbered(3)));
  EXPECT_TRUE(queue.take_event());
  EXPECT_FALSE(queue.take_event());
  ASSERT_TRUE(queue.push(numbered(4)));
  EXPECT_FALSE(queue.take_event()) << "must be armed again";
}

TEST(CompletionQueue, SolicitedEventWaitsForASolicitedCompletion) {
  CompletionQueue queue(8);
  queue.request_notify(Notify::kSolicited);
  ASSERT_TRUE(queue.push(numbered(1)));
  EXPECT_FALSE(queue.take_event());
  ASSERT_TRUE(queue.push(WorkCompletion{.wr_id = 2, .wc_flags = kWcSolicited}));
  EXPECT_TRUE(queue.take_event());
}

TEST(CompletionQueue, SolicitedEventAlsoFiresOnACompletionInError) {
  CompletionQueue queue(8);
  queue.request_notify(Notify::kSolicited);
  ASSERT_TRUE(queue.push(WorkCompletion{.wr_id = 1, .status = WcStatus::kWrFlushErr}));
  EXPECT_TRUE(queue.take_event());
}

TEST(CompletionQueue, ARequestForAnyCompletionIsNotNarrowed) {
  CompletionQueue queue(8);
  queue.request_notify(Notify::kNext);
  queue.request_notify(Notify::kSolicited);
  ASSERT_TRUE(queue.push(numbered(1)));
  EXPECT_TRUE(queue.take_event());
}

TEST(CompletionQueue, CanBeDisarmed) {
  CompletionQueue queue(8);
  queue.request_notify(Notify::kNext);
  queue.request_notify(Notify::kNone);
  ASSERT_TRUE(queue.push(numbered(1)));
  EXPECT_FALSE(queue.take_event());
}

TEST(CompletionQueueDeathTest, MustHoldAtLeastOneCompletion) {
  EXPECT_DEATH(CompletionQueue(0), "assertion failed: capacity >= 1");
}

}  // namespace
}  // namespace weft::verbs
