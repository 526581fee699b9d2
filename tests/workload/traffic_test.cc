// Traffic from program to program over real engines: each message once, in order, and the times that a network without
// a rate must give.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/workload/small_world.h"
#include "workload/all_to_all.h"
#include "workload/flow_list.h"
#include "workload/incast.h"
#include "workload/permutation.h"
#include "workload/poisson.h"

namespace weft::testing {
namespace {

using workload::FlowShape;
using workload::ListedFlow;
using workload::MessageRecord;
using workload::Operation;
using workload::RankId;

constexpr Operation kOperations[] = {Operation::kWrite, Operation::kWriteWithImm, Operation::kRead, Operation::kSend};

/// Each flow's messages are reported once, in order, and well.
std::map<workload::FlowId, std::uint64_t> expect_exactly_once(const std::vector<MessageRecord>& messages) {
  std::map<workload::FlowId, std::uint64_t> counts;
  for (const MessageRecord& message : messages) {
    EXPECT_EQ(message.status, verbs::WcStatus::kSuccess);
    EXPECT_EQ(message.number, counts[message.flow]++);
  }
  return counts;
}

workload::FlowList list_of(const SmallWorld& world, const std::vector<ListedFlow>& flows) {
  return workload::FlowList::make(world.job(), flows).value();
}

TEST(Traffic, EveryMessageOfEveryOperationFinishesOnceAndInOrder) {
  for (const Operation operation : kOperations) {
    SmallWorld world({.ranks = 3});
    FlowShape shape{.size = Bytes(10'000), .messages = 300, .operation = operation};
    world.run(list_of(world, {{RankId(0), RankId(1), shape},
                              {RankId(1), RankId(0), shape},
                              {RankId(0), RankId(2), shape},
                              {RankId(0), RankId(1), shape}}));
    EXPECT_TRUE(world.all_done());
    const auto counts = expect_exactly_once(world.recorded.messages);
    EXPECT_EQ(counts.size(), 4U);
    for (const auto& [flow, count] : counts)
      EXPECT_EQ(count, shape.messages) << workload::to_string(operation);
  }
}

TEST(Traffic, LostPacketsChangeNothingButTheTimes) {
  for (const Operation operation : kOperations) {
    SmallWorld world({.ranks = 2});
    RandomStream random(7, "loss");
    world.loses = [&](const wire::Packet&) {
      return random.bernoulli(Probability::from_ratio({.numerator = 2, .denominator = 100}));
    };
    const FlowShape shape{.size = Bytes(20'000), .messages = 100, .operation = operation};
    world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
    EXPECT_TRUE(world.all_done());
    EXPECT_EQ(expect_exactly_once(world.recorded.messages).begin()->second, shape.messages);
  }
}

TEST(Traffic, OneWayLatencyIsSeenByTheReceiverAndTwoWayByTheRequester) {
  for (const Operation operation : kOperations) {
    SmallWorld world({.ranks = 2});
    const FlowShape shape{.size = Bytes(64), .operation = operation, .start = Time::zero() + 3_us};
    world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
    ASSERT_EQ(world.recorded.messages.size(), 1U);
    const MessageRecord& message = world.recorded.messages[0];
    EXPECT_EQ(message.posted, shape.start);
    EXPECT_EQ(message.finished, shape.start + 2 * SmallWorld::kLatency);
    EXPECT_EQ(message.delivered, needs_receive(operation) ? shape.start + SmallWorld::kLatency : Time::never());
  }
}

TEST(Traffic, AWindowOfOneSendsOneMessagePerRoundTrip) {
  SmallWorld world({.ranks = 2});
  const FlowShape shape{.size = Bytes(64), .messages = 10, .window = 1};
  world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
  ASSERT_EQ(world.recorded.messages.size(), shape.messages);
  for (std::size_t i = 0; i < world.recorded.messages.size(); ++i)
    EXPECT_EQ(world.recorded.messages[i].posted,
              Time::zero() + 2 * SmallWorld::kLatency * static_cast<std::int64_t>(i));
}

TEST(Traffic, AClosedLoopRunsUntilItsStop) {
  SmallWorld world({.ranks = 2});
  const Time stop = Time::zero() + 100_us;
  const FlowShape shape{.size = Bytes(4096), .messages = FlowShape::kUntilStop, .window = 4, .stop = stop};
  world.run(list_of(world, {{RankId(0), RankId(1), shape}}));
  EXPECT_TRUE(world.all_done());
  const std::int64_t rounds = (stop - Time::zero()) / (2 * SmallWorld::kLatency);
  EXPECT_EQ(world.recorded.messages.size(), static_cast<std::size_t>(4 * rounds));
  for (const MessageRecord& message : world.recorded.messages)
    EXPECT_LT(message.posted, stop);
}

TEST(Traffic, IncastLandsOnOneRank) {
  SmallWorld world({.ranks = 9});
  const auto incast = workload::Incast::make(
      world.job(),
      {.flow = {.size = Bytes(100'000), .operation = Operation::kSend}, .destination = RankId(4), .jitter = 5_us});
  world.run(incast.value());
  EXPECT_TRUE(world.all_done());
  std::set<RankId> sources;
  for (const MessageRecord& message : world.recorded.messages) {
    EXPECT_EQ(message.flow.destination, RankId(4));
    EXPECT_LE(message.posted, Time::zero() + 5_us);
    sources.insert(message.flow.source);
  }
  EXPECT_EQ(sources.size(), 8U);
}

TEST(Traffic, AllToAllReachesEveryPairOnceWithAndWithoutALimit) {
  for (const std::uint32_t limit : {1U, workload::FlowProgramOptions::kNoLimit}) {
    SmallWorld world({.ranks = 6});
    world.run(workload::AllToAll::make(world.job(), {.flow = {.size = Bytes(5000)}}).value(),
              {.max_open_flows = limit});
    EXPECT_TRUE(world.all_done());
    EXPECT_EQ(expect_exactly_once(world.recorded.messages).size(), 30U);
    EXPECT_EQ(world.connections(), 15U);
  }
}

TEST(Traffic, ConnectionsExistBetweenPairsThatTalkOnly) {
  SmallWorld world({.ranks = 8});
  world.run(
      workload::Permutation::make(world.job(), {.flow = {.size = Bytes(1)}, .kind = workload::ShiftPermutation{1}})
          .value());
  EXPECT_EQ(world.connections(), 8U);
  for (std::uint32_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(world.device(rank).queue_pairs(), 2U);
}

TEST(Traffic, PoissonArrivalsDoNotWaitForOneAnother) {
  SmallWorld world({.ranks = 3});
  const workload::PoissonOptions options{
      .sizes = Constant<Bytes>(Bytes(1000)), .load = Probability::one(), .rate = 100_gbps, .messages = 3000};
  const auto pattern = workload::PoissonArrivals::make(world.job(), options).value();
  std::map<workload::FlowId, Time> starts;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const auto source = pattern.flows_of(RankId(rank));
    while (const auto flow = source->next())
      starts[flow->id] = flow->shape.start;
  }
  world.run(pattern);
  ASSERT_EQ(world.recorded.messages.size(), options.messages);
  for (const MessageRecord& message : world.recorded.messages)
    EXPECT_EQ(message.posted, starts.at(message.flow));
}

TEST(Traffic, ASeedGivesTheSameRecordsEveryTimeAndAnotherSeedOthers) {
  const auto records = [](std::uint64_t seed) {
    SmallWorld world({.ranks = 4, .seed = seed});
    const workload::PoissonOptions options{.sizes = Exponential<Bytes>::make(Bytes(5000)).value(),
                                           .load = Probability::one(),
                                           .rate = 10_gbps,
                                           .messages = 400};
    world.run(workload::PoissonArrivals::make(world.job(), options).value());
    return world.recorded.messages;
  };
  EXPECT_EQ(records(1), records(1));
  EXPECT_NE(records(1), records(2));
}

TEST(Traffic, MessagesOfOneFlowTakeTurnsOnItsQueuePairs) {
  SmallWorld world({.ranks = 2});
  const FlowShape shape{.size = Bytes(9000), .messages = 64, .operation = Operation::kSend};
  std::set<std::uint32_t> queue_pairs;
  std::set<std::uint16_t> ports;
  world.loses = [&](const wire::Packet& packet) {
    queue_pairs.insert(packet.ib.destination_qp);
    ports.insert(packet.common.entropy);
    return false;
  };
  world.run(list_of(world, {{RankId(0), RankId(1), shape}}), {.connection = {.queue_pairs = 4}});
  EXPECT_EQ(world.recorded.messages.size(), shape.messages);
  EXPECT_EQ(queue_pairs.size(), 8U);  // four, and the four that answer
  EXPECT_EQ(ports.size(), 8U);
  for (const MessageRecord& message : world.recorded.messages)
    EXPECT_FALSE(message.delivered.is_never());
}

TEST(Traffic, AMessageSplitOverQueuePairsIsOneMessageWithTheLastOfItsParts) {
  for (const Operation operation : {Operation::kWrite, Operation::kWriteWithImm, Operation::kSend, Operation::kRead}) {
    for (const std::int64_t size : {1, 200, 100'000}) {
      SmallWorld world({.ranks = 2});
      const FlowShape shape{.size = Bytes(size), .messages = 12, .window = 3, .operation = operation};
      std::uint32_t lost = 0;
      world.loses = [&](const wire::Packet&) { return ++lost % 40 == 0; };
      world.run(list_of(world, {{RankId(0), RankId(1), shape}}),
                {.connection = {.queue_pairs = 4, .max_send_wr = 2, .queue_pair_use = workload::QueuePairUse::kSplit}});
      EXPECT_TRUE(world.all_done());
      ASSERT_EQ(world.recorded.messages.size(), shape.messages);
      EXPECT_EQ(expect_exactly_once(world.recorded.messages).size(), 1U);
      for (const MessageRecord& message : world.recorded.messages) {
        EXPECT_EQ(message.size, shape.size);
        EXPECT_EQ(message.parts, 4U);  // one for each queue pair
        EXPECT_EQ(message.status, verbs::WcStatus::kSuccess);
        EXPECT_EQ(message.delivered.is_never(), !needs_receive(operation));
      }
    }
  }
}

TEST(Traffic, PartsOfAMessageArriveInTheirPlaces) {
  SmallWorld world({.ranks = 2, .memory_bytes = 100'001});
  for (std::size_t i = 0; i < world.memory(0).size(); ++i)
    world.memory(0)[i] = static_cast<std::byte>(i * 131 >> 3);
  world.run(list_of(world, {{RankId(0), RankId(1), {.size = Bytes(100'001)}}}),
            {.connection = {.queue_pairs = 7, .queue_pair_use = workload::QueuePairUse::kSplit}});
  ASSERT_EQ(world.recorded.messages.size(), 1U);
  EXPECT_EQ(world.memory(0), world.memory(1));
}

TEST(Traffic, ASplitMessageFailsOnceWhereItsPeerIsDead) {
  SmallWorld world({.ranks = 2});
  world.loses = [](const wire::Packet&) { return true; };
  world.run(list_of(world, {{RankId(0), RankId(1), {.size = Bytes(64'000)}}}),
            {.connection = {.queue_pairs = 4, .queue_pair_use = workload::QueuePairUse::kSplit}});
  EXPECT_TRUE(world.all_done());
  ASSERT_EQ(world.recorded.messages.size(), 1U);
  EXPECT_NE(world.recorded.messages[0].status, verbs::WcStatus::kSuccess);
}

// Both queue pairs hold one message; as only the second one's acknowledgements come, it takes all that follow.
TEST(Traffic, TheQueuePairWithLeastOutstandingTakesTheNextMessage) {
  SmallWorld world({.ranks = 2});
  std::map<std::uint32_t, std::uint32_t> packets;
  std::optional<std::uint32_t> stuck;
  world.loses = [&](const wire::Packet& packet) {
    if (!stuck)
      stuck = packet.ib.destination_qp;
    ++packets[packet.ib.destination_qp];
    return packet.ib.destination_qp == *stuck && packets[packet.ib.destination_qp] < 3;
  };
  const FlowShape shape{.size = Bytes(1000), .messages = 40, .window = 2};
  world.run(list_of(world, {{RankId(0), RankId(1), shape}}),
            {.connection = {.queue_pairs = 2, .queue_pair_use = workload::QueuePairUse::kLeastOutstanding}});
  ASSERT_EQ(world.recorded.messages.size(), shape.messages);
  std::uint32_t before_first = 0;
  for (const MessageRecord& message : world.recorded.messages) {
    if (message.number == 0)
      break;
    ++before_first;
  }
  EXPECT_EQ(before_first, shape.messages - 1);
}

TEST(Traffic, QueuePairsOfAConnectionCanShareItsSourcePort) {
  for (const auto ports : {workload::SourcePorts::kPerQueuePair, workload::SourcePorts::kPerConnection}) {
    SmallWorld world({.ranks = 2, .source_ports = ports});
    std::set<std::uint16_t> seen;
    world.loses = [&](const wire::Packet& packet) {
      if (!packet.has(wire::kControl))
        seen.insert(packet.common.entropy);
      return false;
    };
    world.run(list_of(world, {{RankId(0), RankId(1), {.size = Bytes(9000), .messages = 16}}}),
              {.connection = {.queue_pairs = 4}});
    EXPECT_EQ(seen.size(), ports == workload::SourcePorts::kPerConnection ? 1U : 4U);
  }
}

TEST(Traffic, ADeadPeerFailsTheFlowAndEndsTheRun) {
  SmallWorld world({.ranks = 2});
  world.loses = [](const wire::Packet&) { return true; };
  world.run(list_of(world, {{RankId(0), RankId(1), {.size = Bytes(64), .messages = 3}}}));
  EXPECT_TRUE(world.all_done());
  ASSERT_EQ(world.recorded.messages.size(), 3U);
  EXPECT_EQ(world.recorded.messages[0].status, verbs::WcStatus::kRetryExcErr);
}

TEST(Traffic, AnUnrelatedFlowChangesNoPortAndNoTimeOfAnother) {
  std::map<int, std::set<std::uint16_t>> ports;
  std::map<int, Time> finished;
  for (const int extra : {0, 1}) {
    SmallWorld world({.ranks = 4});
    std::vector<ListedFlow> flows = {{RankId(0), RankId(1), {.size = Bytes(50'000)}}};
    if (extra == 1)
      flows.insert(flows.begin(), {RankId(2), RankId(3), {.size = Bytes(70'000)}});
    world.loses = [&](const wire::Packet& packet) {
      if (packet.common.source == world.device(0).options().endpoint)
        ports[extra].insert(packet.common.entropy);
      return false;
    };
    world.run(list_of(world, flows));
    for (const MessageRecord& message : world.recorded.messages) {
      if (message.flow.source == RankId(0))
        finished[extra] = message.finished;
    }
  }
  EXPECT_EQ(ports[0].size(), 1U);
  EXPECT_EQ(ports[0], ports[1]);
  EXPECT_EQ(finished[0], finished[1]);
}

/// Opens a connection, closes the connector, and asks for that connection and another one.
class Opener final : public workload::Program {
 public:
  Opener(workload::Messenger& messenger, workload::LocalConnector& connector, bool opens)
      : messenger_(messenger), connector_(connector), opens_(opens) {}
  Result<void> start() override {
    if (!opens_)
      return {};
    EXPECT_TRUE(open(1));
    connector_.close();
    EXPECT_TRUE(open(1));
    const auto another = open(2);
    EXPECT_FALSE(another);
    EXPECT_NE(another.error().message.find("rank 0 connects to rank 2 during a run on several threads"),
              std::string::npos)
        << another.error().message;
    return {};
  }
  Result<void> on_event() override { return {}; }
  [[nodiscard]] bool done() const override { return true; }

 private:
  Result<workload::ChannelId> open(std::uint32_t to) {
    return messenger_.open({.from = RankId(0), .to = RankId(to)}, {});
  }
  workload::Messenger& messenger_;
  workload::LocalConnector& connector_;
  bool opens_;
};

TEST(Traffic, AClosedConnectorHasWhatIsOpenAndNothingElse) {
  SmallWorld world({.ranks = 3});
  world.run([&](workload::Messenger& messenger, workload::DeliveryMatcher&, RankId rank) {
    return std::make_unique<Opener>(messenger, world.connector(), rank == RankId(0));
  });
  EXPECT_EQ(world.connections(), 1U);
}

}  // namespace
}  // namespace weft::testing
