#include "workload/delivery_matcher.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::workload {
namespace {

struct Collected final : MessageSink {
  void on_message(const MessageRecord& record) override { records.push_back(record); }
  std::vector<MessageRecord> records;
};

MessageRecord message(std::uint64_t number, Operation operation = Operation::kSend) {
  return {.number = number, .operation = operation, .finished = Time::zero() + 10_us};
}

TEST(DeliveryMatcher, JoinsTheHalvesInEitherOrder) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  const StreamKey stream{.source = RankId(1), .destination = RankId(2)};
  matcher.on_delivered(stream, Time::zero() + 1_us);
  matcher.on_finished(stream, message(0));
  matcher.on_finished(stream, message(1));
  EXPECT_EQ(sink.records.size(), 1U);
  matcher.on_delivered(stream, Time::zero() + 2_us);
  ASSERT_EQ(sink.records.size(), 2U);
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sink.records[i].number, i);
    EXPECT_EQ(sink.records[i].delivered, Time::zero() + 1_us * static_cast<std::int64_t>(i + 1));
  }
}

TEST(DeliveryMatcher, StreamsDoNotMix) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  const StreamKey there{.source = RankId(1), .destination = RankId(2)};
  const StreamKey back{.source = RankId(2), .destination = RankId(1)};
  matcher.on_delivered(there, Time::zero());
  matcher.on_finished(back, message(0));
  EXPECT_TRUE(sink.records.empty());
  matcher.flush();
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_TRUE(sink.records[0].delivered.is_never());
}

TEST(DeliveryMatcher, CountsWhatItsReceiverHasNotSeenYet) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  matcher.on_finished({}, message(0));
  matcher.on_finished({}, message(1));
  matcher.on_finished({}, message(2, Operation::kWrite));
  EXPECT_EQ(matcher.awaiting_delivery(), 2U);
  matcher.on_delivered({}, Time::zero());
  EXPECT_EQ(matcher.awaiting_delivery(), 1U);
  matcher.on_delivered({}, Time::zero());
  matcher.on_delivered({}, Time::zero());
  EXPECT_EQ(matcher.awaiting_delivery(), 0U);
}

TEST(DeliveryMatcher, AMessageItsReceiverIsNotToldOfPassesAtOnce) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  matcher.on_finished({}, message(0, Operation::kWrite));
  matcher.on_finished({}, message(1, Operation::kRead));
  EXPECT_EQ(sink.records.size(), 2U);
}

TEST(DeliveryMatcher, AMessageInPartsIsReportedWithTheLastOfThem) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  const auto part = [](std::uint32_t queue_pair, Duration finished, verbs::WcStatus status) {
    MessageRecord record = message(0);
    record.size = Bytes(100 + queue_pair);
    record.finished = Time::zero() + finished;
    record.status = status;
    record.parts = 3;
    return std::pair{StreamKey{.queue_pair = queue_pair}, record};
  };
  const auto first = part(0, 5_us, verbs::WcStatus::kSuccess);
  const auto second = part(1, 9_us, verbs::WcStatus::kRetryExcErr);
  const auto third = part(2, 7_us, verbs::WcStatus::kSuccess);
  matcher.on_finished(first.first, first.second);
  matcher.on_finished(second.first, second.second);
  matcher.on_delivered(first.first, Time::zero() + 4_us);
  matcher.on_finished(third.first, third.second);
  EXPECT_TRUE(sink.records.empty());
  matcher.on_delivered(third.first, Time::zero() + 6_us);
  ASSERT_EQ(sink.records.size(), 1U);
  const MessageRecord& whole = sink.records[0];
  EXPECT_EQ(whole.size, Bytes(303));
  EXPECT_EQ(whole.finished, Time::zero() + 9_us);
  EXPECT_TRUE(whole.delivered.is_never());  // one part never was
  EXPECT_EQ(whole.status, verbs::WcStatus::kRetryExcErr);
  EXPECT_EQ(whole.parts, 3U);  // it has been over all queue pairs alike
}

TEST(DeliveryMatcher, AFailedMessageDoesNotWaitForADelivery) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  MessageRecord record = message(0);
  record.status = verbs::WcStatus::kRetryExcErr;
  matcher.on_finished({}, record);
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_TRUE(sink.records[0].delivered.is_never());
}

MessageRecord finished_at(std::uint64_t number, Time at, Operation operation = Operation::kSend) {
  MessageRecord record = message(number, operation);
  record.finished = at;
  return record;
}

TEST(DeliveryMatcher, KeepsHalvesUntilTheyAreSettled) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  matcher.keep_halves(1);
  matcher.on_finished({}, finished_at(0, Time::zero() + 3_us));
  matcher.on_delivered({}, Time::zero() + 2_us);
  matcher.on_finished({}, finished_at(1, Time::zero() + 9_us, Operation::kWrite));
  EXPECT_TRUE(sink.records.empty());
  matcher.settle(Time::zero() + 8_us);  // what comes after that is dropped
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].number, 0U);
  EXPECT_EQ(sink.records[0].delivered, Time::zero() + 2_us);
  matcher.settle();
  EXPECT_EQ(sink.records.size(), 1U);
}

// Its acknowledgement was lost with the link: the receiver has it all the same, whichever worker is asked first.
TEST(DeliveryMatcher, AMessageThatFailedAfterItsDeliveryWasDelivered) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  matcher.keep_halves(2);
  MessageRecord record = finished_at(0, Time::zero() + 9_us);
  record.status = verbs::WcStatus::kRetryExcErr;
  matcher.on_finished({}, record);
  this_worker = 1;
  matcher.on_delivered({}, Time::zero() + 4_us);
  this_worker = 0;
  matcher.settle();
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(sink.records[0].delivered, Time::zero() + 4_us);
}

// The last message was sent by 5 us and is seen at 7: what was finished until then belongs to the run, and nothing
// else.
TEST(DeliveryMatcher, EndsWithTheLastDelivery) {
  Collected sink;
  DeliveryMatcher matcher(sink);
  matcher.keep_halves(1);
  const StreamKey other{.source = RankId(3), .destination = RankId(4)};
  matcher.on_finished({}, finished_at(0, Time::zero() + 5_us));
  matcher.on_finished(other, finished_at(1, Time::zero() + 8_us, Operation::kWrite));
  matcher.on_finished(other, finished_at(2, Time::zero() + 6_us, Operation::kWrite));
  matcher.settle_to_end(Time::zero() + 5_us);
  EXPECT_EQ(matcher.awaiting_delivery(), 1U);  // whose receiver looks in a later window
  matcher.on_delivered({}, Time::zero() + 7_us);
  matcher.on_finished(other, finished_at(3, Time::zero() + 9_us, Operation::kWrite));
  matcher.settle_to_end(Time::zero() + 5_us);
  EXPECT_EQ(matcher.awaiting_delivery(), 0U);
  EXPECT_EQ(matcher.last_delivery(), Time::zero() + 7_us);
  std::vector<std::uint64_t> numbers;
  for (const MessageRecord& record : sink.records) {
    numbers.push_back(record.number);
  }
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 1, 0}));
  matcher.on_finished(other, finished_at(4, Time::zero() + 7_us, Operation::kWrite));
  matcher.flush();
  EXPECT_EQ(sink.records.size(), 3U);
}

}  // namespace
}  // namespace weft::workload
