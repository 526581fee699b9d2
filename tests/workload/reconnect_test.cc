// Queue pairs that have used up their retries and are connected anew: each message once and in order, at the times that
// timeouts, waits and the exchange give.
#include <gtest/gtest.h>

#include <map>

#include "tests/workload/small_world.h"
#include "wire/opcode.h"
#include "workload/flow_list.h"
#include "workload/reconnections.h"

namespace weft::testing {
namespace {

using workload::FlowShape;
using workload::ListedFlow;
using workload::MessageRecord;
using workload::Operation;
using workload::RankId;

constexpr std::uint8_t kAckTimeout = 6;  // 262 us
constexpr std::int64_t kTries = 8;       // the first and seven retries
constexpr Duration kTimeout = Duration::nanoseconds(4'096) * (1 << kAckTimeout);
constexpr workload::ReconnectPolicy kPolicy{.attempts = 3,
                                            .first_wait = Duration::milliseconds(5),
                                            .next_wait = Duration::milliseconds(1),
                                            .backoff = 2,
                                            .longest_wait = Duration::milliseconds(100),
                                            .exchange = Duration::microseconds(300)};
constexpr Operation kOperations[] = {Operation::kWrite, Operation::kWriteWithImm, Operation::kRead, Operation::kSend};

SmallWorld::Options options_of(std::uint32_t ranks) {
  return {.ranks = ranks, .ack_timeout = kAckTimeout, .reconnect = kPolicy};
}

workload::FlowList list_of(const SmallWorld& world, const std::vector<ListedFlow>& flows) {
  return workload::FlowList::make(world.job(), flows).value();
}

void expect_once_and_in_order(const std::vector<MessageRecord>& messages, std::size_t flows, std::uint64_t each) {
  std::map<workload::FlowId, std::uint64_t> counts;
  for (const MessageRecord& message : messages) {
    EXPECT_EQ(message.status, verbs::WcStatus::kSuccess);
    EXPECT_EQ(message.number, counts[message.flow]++);
    if (needs_receive(message.operation)) {
      EXPECT_LE(message.delivered, message.finished);
    }
  }
  EXPECT_EQ(counts.size(), flows);
  for (const auto& [flow, count] : counts)
    EXPECT_EQ(count, each);
}

/// The program of the sender goes on when the queue pair has been connected anew the given time.
Duration until_connected(std::int64_t attempt) {
  Duration total;
  for (std::int64_t n = 1; n <= attempt; ++n)
    total = total + kTries * kTimeout + kPolicy.wait_before(static_cast<std::uint32_t>(n)) + kPolicy.exchange;
  return total;
}

TEST(Reconnect, WaitsGrowByTheFactorUpToTheLongest) {
  const workload::ReconnectPolicy policy{.attempts = 9,
                                         .first_wait = Duration::seconds(7),
                                         .next_wait = Duration::seconds(1),
                                         .backoff = 3,
                                         .longest_wait = Duration::seconds(20),
                                         .exchange = Duration::zero()};
  EXPECT_EQ(policy.wait_before(1), Duration::seconds(7));
  EXPECT_EQ(policy.wait_before(2), Duration::seconds(1));
  EXPECT_EQ(policy.wait_before(3), Duration::seconds(3));
  EXPECT_EQ(policy.wait_before(4), Duration::seconds(9));
  EXPECT_EQ(policy.wait_before(5), Duration::seconds(20));
  EXPECT_EQ(policy.wait_before(9), Duration::seconds(20));
}

// Nothing gets through for longer than two attempts and less than three.
TEST(Reconnect, AMessageArrivesWhenTheThirdConnectionFindsTheNetworkThere) {
  SmallWorld world(options_of(2));
  const Time there = Time::zero() + until_connected(2) + kTries * kTimeout;
  world.loses = [&](const wire::Packet&) { return world.now() < there; };
  const FlowShape shape{.size = Bytes(64), .operation = Operation::kSend};
  world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
  ASSERT_EQ(world.recorded.messages.size(), 1U);
  const MessageRecord& message = world.recorded.messages[0];
  EXPECT_EQ(message.posted, Time::zero());
  EXPECT_EQ(message.delivered, Time::zero() + until_connected(3) + SmallWorld::kLatency);
  EXPECT_EQ(message.finished, message.delivered + SmallWorld::kLatency);
  const workload::Reconnections& anew = world.connector().reconnections();
  EXPECT_EQ(anew.count(), 3U);
  EXPECT_EQ(anew.disconnected(world.now()), message.delivered - (Time::zero() + kTries * kTimeout));
}

// Requests get through and answers do not: the receiver has consumed what the sender counts as lost.
TEST(Reconnect, ASendThatWasConsumedIsNotSentAgain) {
  for (const Operation operation : {Operation::kSend, Operation::kWriteWithImm}) {
    SmallWorld world(options_of(2));
    const EndpointId receiver = world.device(1).options().endpoint;
    const Time from = Time::zero() + 5_us;
    const Time there = Time::zero() + until_connected(1);
    std::uint64_t sent_again = 0;  // the last packets of messages, after the connection was made anew
    world.loses = [&](const wire::Packet& packet) {
      const bool ends = packet.common.source != receiver && wire::describe(packet.ib.opcode).last;
      sent_again += ends && world.now() >= there ? 1 : 0;
      return packet.common.source == receiver && world.now() >= from && world.now() < there;
    };
    const FlowShape shape{.size = Bytes(10'000), .messages = 300, .operation = operation};
    world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
    EXPECT_TRUE(world.all_done());
    expect_once_and_in_order(world.recorded.messages, 1, shape.messages);
    EXPECT_EQ(world.connector().reconnections().count(), 1U);
    std::uint64_t consumed = 0;
    for (const MessageRecord& message : world.recorded.messages)
      consumed += message.delivered < there && message.finished >= there ? 1 : 0;
    EXPECT_GT(consumed, 0U);
    std::uint64_t before = 0;
    for (const MessageRecord& message : world.recorded.messages)
      before += message.delivered < there ? 1 : 0;
    EXPECT_EQ(sent_again + before, shape.messages);
  }
}

// Outages at any time, of both directions or one, of every operation, with traffic in both directions over one
// connection.
TEST(Reconnect, EveryMessageEndsOnceAndInOrderWhateverIsLost) {
  std::uint64_t reconnections = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    for (const Operation operation : kOperations) {
      SmallWorld world(options_of(3));
      RandomStream random(seed, "outage");
      const EndpointId one = world.device(1).options().endpoint;
      const Time from = Time::zero() + Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(12'000)));
      const Time until = from + Duration::microseconds(static_cast<std::int64_t>(random.uniform(9'000)));
      const std::uint64_t direction = random.uniform(3);
      world.loses = [&](const wire::Packet& packet) {
        const bool concerns = direction == 0 || (direction == 1) == (packet.common.source == one);
        return concerns && world.now() >= from && world.now() < until;
      };
      const FlowShape shape{.size = Bytes(9'000), .messages = 400, .operation = operation};
      world.run(list_of(world, {{RankId(0), RankId(1), shape},
                                {RankId(1), RankId(0), shape},
                                {RankId(0), RankId(2), shape},
                                {RankId(1), RankId(2), shape}}));
      EXPECT_TRUE(world.all_done()) << seed;
      expect_once_and_in_order(world.recorded.messages, 4, shape.messages);
      reconnections += world.connector().reconnections().count();
    }
  }
  EXPECT_GT(reconnections, 40U);
}

}  // namespace
}  // namespace weft::testing
