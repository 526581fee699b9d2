#include "transport/memory/memory_queue_pair.h"

#include <gtest/gtest.h>

#include <numeric>

#include "transport/loopback_pair.h"
#include "transport/rc_timing.h"

namespace weft::transport {
namespace {

using verbs::WcStatus;
using verbs::WrOpcode;
using wire::MemoryOperation;

constexpr std::uint32_t kUnit = 4096;

class MemoryQueuePairTest : public ::testing::TestWithParam<Carry> {
 protected:
  explicit MemoryQueuePairTest() : pair(GetParam()) { connect({}); }

  void connect(const MemoryOptions& options) {
    pair.a.qpn = pair.a.device.create_qp(pair.a.init(verbs::QpType::kRc), options).value();
    pair.b.qpn = pair.b.device.create_qp(pair.b.init(verbs::QpType::kRc), options).value();
    pair.bring_up();
    pair.on_wire = [this](wire::Packet& packet) {
      sent.push_back(packet);
      return !loses || !loses(packet);
    };
    std::iota(reinterpret_cast<std::uint8_t*>(pair.a.memory.data()),
              reinterpret_cast<std::uint8_t*>(pair.a.memory.data() + pair.a.memory.size()), std::uint8_t{1});
  }
  Result<void> post(WrOpcode opcode, std::uint32_t length, std::uint8_t flags = 0) {
    const verbs::Sge element = pair.a.sge(0, length);
    verbs::SendWr request{.wr_id = ++posted,
                          .sg_list = {&element, 1},
                          .opcode = opcode,
                          .send_flags = static_cast<std::uint8_t>(verbs::kSendSignaled | flags),
                          .imm_data = 77};
    request.rdma = {.remote_address = LoopbackSide::kBase, .rkey = remote_key.value_or(pair.b.key)};
    return pair.a.device.post_send(pair.a.qpn, request);
  }
  [[nodiscard]] std::vector<std::byte> first_of(const LoopbackSide& side, std::size_t count) const {
    const std::size_t held = std::min(count, side.memory.size());
    return {side.memory.begin(), side.memory.begin() + static_cast<std::ptrdiff_t>(held)};
  }
  [[nodiscard]] std::size_t count(MemoryOperation operation) const {
    return static_cast<std::size_t>(std::count_if(
        sent.begin(), sent.end(), [&](const wire::Packet& packet) { return packet.memory.operation == operation; }));
  }
  [[nodiscard]] WcStatus only_status(LoopbackSide& side, verbs::CqHandle cq) {
    const auto completions = side.poll(cq);
    EXPECT_EQ(completions.size(), 1U);
    return completions.empty() ? WcStatus::kGeneralErr : completions.front().status;
  }
  [[nodiscard]] const MemoryQueuePair& engine(const LoopbackSide& side) const {
    return *side.device.find_memory(side.qpn);
  }

  LoopbackPair pair;
  std::uint64_t posted = 0;
  std::optional<std::uint32_t> remote_key;
  std::vector<wire::Packet> sent;
  std::function<bool(const wire::Packet&)> loses;
};

INSTANTIATE_TEST_SUITE_P(Carries, MemoryQueuePairTest, ::testing::Values(Carry::kBytes, Carry::kLengths));

TEST_P(MemoryQueuePairTest, AStoreIsCutIntoUnitsAndAnsweredOnce) {
  const std::uint32_t length = 3 * kUnit + 100;
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, length));
  pair.run();
  EXPECT_EQ(count(MemoryOperation::kStore), 4U);
  EXPECT_EQ(count(MemoryOperation::kStoreAck), 1U);
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kSuccess);
  EXPECT_EQ(first_of(pair.a, length), first_of(pair.b, length));
  EXPECT_TRUE(pair.b.poll(pair.b.recv_cq).empty());
  const wire::MemoryFormat format;
  for (const wire::Packet& packet : sent) {
    const std::uint32_t expected = packet.memory.operation == MemoryOperation::kStore
                                       ? wire::data_wire_bytes(format, packet.common.payload_bytes)
                                       : wire::ack_wire_bytes(format);
    EXPECT_EQ(packet.common.wire_bytes, expected);
  }
}

TEST_P(MemoryQueuePairTest, ALoadBringsTheBytesOfThePeer) {
  const std::uint32_t length = 2 * kUnit + 7;
  std::fill(pair.b.memory.begin(), pair.b.memory.end(), std::byte{0x5A});
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, length));
  pair.run();
  EXPECT_EQ(count(MemoryOperation::kLoad), 3U);
  EXPECT_EQ(count(MemoryOperation::kLoadData), 3U);
  const auto completions = pair.a.poll(pair.a.send_cq);
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions.front().status, WcStatus::kSuccess);
  EXPECT_EQ(completions.front().byte_len, length);
  EXPECT_EQ(first_of(pair.a, length), first_of(pair.b, length));
}

TEST_P(MemoryQueuePairTest, ASendIsAStoreWithAFlag) {
  ASSERT_TRUE(pair.b.receive(9, pair.b.sge(1000, 2 * kUnit)));
  ASSERT_TRUE(post(WrOpcode::kSendWithImm, kUnit + 1));
  pair.run();
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kSuccess);
  const auto received = pair.b.poll(pair.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received.front().wr_id, 9U);
  EXPECT_EQ(received.front().byte_len, kUnit + 1);
  EXPECT_EQ(received.front().imm_data, 77U);
  EXPECT_EQ(received.front().opcode, verbs::WcOpcode::kRecv);
}

TEST_P(MemoryQueuePairTest, ASendWithoutReceiveRequestWaitsAndAllBehindIt) {
  ASSERT_TRUE(post(WrOpcode::kSend, 2 * kUnit));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 10));
  pair.run();
  EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
  EXPECT_TRUE(engine(pair.b).waits_for_receive());
  // The peer is told, and so no deadline runs.
  EXPECT_EQ(count(MemoryOperation::kWait), 1U);
  EXPECT_TRUE(engine(pair.a).next_timeout().is_never());
  ASSERT_TRUE(pair.b.receive(1, pair.b.sge(0, 3 * kUnit)));
  pair.run();
  const auto completions = pair.a.poll(pair.a.send_cq);
  ASSERT_EQ(completions.size(), 2U);
  EXPECT_EQ(completions[0].wr_id, 1U);
  EXPECT_EQ(completions[1].wr_id, 2U);
  EXPECT_EQ(first_of(pair.a, 2 * kUnit), first_of(pair.b, 2 * kUnit));
  EXPECT_EQ(engine(pair.b).counters().waits, 1U);
}

TEST_P(MemoryQueuePairTest, AWriteWithImmediateTellsTheReceiver) {
  ASSERT_TRUE(post(WrOpcode::kRdmaWriteWithImm, 5000));
  pair.run();
  EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
  ASSERT_TRUE(pair.b.receive(3, pair.b.sge(0, 0)));
  pair.run();
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kSuccess);
  const auto received = pair.b.poll(pair.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received.front().opcode, verbs::WcOpcode::kRecvRdmaWithImm);
  EXPECT_EQ(received.front().byte_len, 5000U);
}

TEST_P(MemoryQueuePairTest, AnEmptyMessageIsOneUnit) {
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 0));
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 0));
  pair.run();
  EXPECT_EQ(pair.a.poll(pair.a.send_cq).size(), 2U);
  EXPECT_EQ(sent.size(), 4U);
}

TEST_P(MemoryQueuePairTest, CompletionsAreInTheOrderOfPostingThoughAnswersOvertakeData) {
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 3 * kUnit));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8));
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 8));
  while (pair.step(pair.a, pair.b)) {
  }
  ASSERT_TRUE(pair.step(pair.b, pair.a));
  EXPECT_EQ(sent.back().memory.operation, MemoryOperation::kStoreAck);
  EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
  pair.run();
  const auto completions = pair.a.poll(pair.a.send_cq);
  ASSERT_EQ(completions.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(completions[i].wr_id, i + 1);
}

TEST_P(MemoryQueuePairTest, AnswersToMessagesThatCameTogetherAreOne) {
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 64));
  while (pair.step(pair.a, pair.b)) {
  }
  pair.run();
  EXPECT_EQ(count(MemoryOperation::kStoreAck), 1U);
  EXPECT_EQ(pair.a.poll(pair.a.send_cq).size(), 5U);
}

TEST_P(MemoryQueuePairTest, LoadsStopAtTheirWindow) {
  connect({.load_window = Bytes(2 * kUnit)});
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 8 * kUnit));
  int asked = 0;
  while (pair.step(pair.a, pair.b))
    ++asked;
  EXPECT_EQ(asked, 2);
  ASSERT_TRUE(pair.step(pair.b, pair.a));
  EXPECT_TRUE(pair.step(pair.a, pair.b));
  pair.run();
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kSuccess);
}

TEST_P(MemoryQueuePairTest, AFencedRequestWaitsForTheLoadsBeforeIt) {
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 8));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8, verbs::kSendFence));
  while (pair.step(pair.a, pair.b)) {
  }
  EXPECT_EQ(count(MemoryOperation::kStore), 0U);
  pair.run();
  EXPECT_EQ(count(MemoryOperation::kStore), 1U);
}

TEST_P(MemoryQueuePairTest, WhatMayNotBeTouchedIsRefusedAndNothingAfterItIsDone) {
  ASSERT_TRUE(post(WrOpcode::kRdmaRead, 2 * kUnit));
  remote_key = pair.b.key ^ 1;
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 3 * kUnit));
  remote_key.reset();
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8));
  pair.run();
  const auto completions = pair.a.poll(pair.a.send_cq);
  ASSERT_EQ(completions.size(), 3U);
  EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
  EXPECT_EQ(completions[1].status, WcStatus::kRemAccessErr);
  EXPECT_EQ(completions[2].status, WcStatus::kWrFlushErr);
  EXPECT_EQ(pair.a.state(), verbs::QpState::kErr);
  EXPECT_TRUE(pair.b.saw(verbs::AsyncEventType::kQpAccessErr));
  EXPECT_EQ(engine(pair.b).counters().access_violations, 1U);
}

TEST_P(MemoryQueuePairTest, AMessageLongerThanItsReceiveRequestFailsOnBothSides) {
  ASSERT_TRUE(pair.b.receive(1, pair.b.sge(0, 100)));
  ASSERT_TRUE(post(WrOpcode::kSend, 101));
  pair.run();
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kRemInvReqErr);
  EXPECT_EQ(only_status(pair.b, pair.b.recv_cq), WcStatus::kLocLenErr);
}

TEST_P(MemoryQueuePairTest, ALostUnitEndsInAnErrorByTimeoutWhereverItIsLost) {
  for (const MemoryOperation lost :
       {MemoryOperation::kStore, MemoryOperation::kStoreAck, MemoryOperation::kLoad, MemoryOperation::kLoadData}) {
    for (const std::uint32_t place : {0U, 1U, 2U}) {
      connect({});
      (void)pair.a.poll(pair.a.send_cq);
      std::uint32_t seen = 0;
      loses = [&](const wire::Packet& packet) { return packet.memory.operation == lost && seen++ == place; };
      const bool loads = lost == MemoryOperation::kLoad || lost == MemoryOperation::kLoadData;
      ASSERT_TRUE(post(loads ? WrOpcode::kRdmaRead : WrOpcode::kRdmaWrite, 3 * kUnit));
      pair.run();
      const bool harmless = lost == MemoryOperation::kStoreAck && place > 0;
      const Time deadline = engine(pair.a).next_timeout();
      if (harmless) {
        EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kSuccess);
        EXPECT_TRUE(deadline.is_never());
        continue;
      }
      EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
      EXPECT_EQ(deadline, pair.now + ack_timeout(verbs::QpAttributes{}.timeout));
      pair.a.device.on_timeout(pair.a.qpn, deadline - Duration::picoseconds(1));
      EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
      pair.a.device.on_timeout(pair.a.qpn, deadline);
      EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kRetryExcErr);
      pair.now = deadline;
    }
  }
}

TEST_P(MemoryQueuePairTest, NothingIsExecutedBehindALostUnit) {
  bool lost = false;
  loses = [&](const wire::Packet&) { return !std::exchange(lost, true); };
  const auto before = first_of(pair.b, kUnit);
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, kUnit));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, kUnit));
  pair.run();
  EXPECT_EQ(first_of(pair.b, kUnit), before);
  EXPECT_TRUE(pair.a.poll(pair.a.send_cq).empty());
}

TEST_P(MemoryQueuePairTest, WhatTheLinkDoesNotHaveIsRefusedWhenPosted) {
  for (const WrOpcode opcode : {WrOpcode::kAtomicCmpAndSwp, WrOpcode::kAtomicFetchAndAdd, WrOpcode::kSendWithInv}) {
    const Result<void> posted_it = post(opcode, 8);
    ASSERT_FALSE(posted_it);
    EXPECT_NE(posted_it.error().message.find("scale-up"), std::string::npos);
  }
}

TEST_P(MemoryQueuePairTest, AnInlineLoadIsRefusedWhenPosted) {
  EXPECT_FALSE(post(WrOpcode::kRdmaRead, 8, verbs::kSendInline));
  EXPECT_TRUE(post(WrOpcode::kRdmaWrite, 8, verbs::kSendInline));
}

// Units that no engine of this kind sends: nothing is executed, and nothing read or written beyond what was asked.
TEST_P(MemoryQueuePairTest, UnitsThatDoNotBelongTogetherBreakTheConnection) {
  const auto outcome_of = [this](std::uint32_t length, WrOpcode opcode,
                                 const std::function<void(wire::Packet&)>& alter) {
    connect({});
    (void)pair.a.poll(pair.a.send_cq);
    (void)pair.b.poll(pair.b.recv_cq);
    EXPECT_TRUE(pair.b.receive(1, pair.b.sge(0, 4 * kUnit)));
    pair.on_wire = [&alter](wire::Packet& packet) {
      alter(packet);
      return true;
    };
    EXPECT_TRUE(post(opcode, length));
    pair.run();
    pair.now = pair.now + Duration::seconds(1);
    pair.a.device.on_timeouts(pair.now);
    EXPECT_TRUE(pair.b.poll(pair.b.recv_cq).empty());
    return only_status(pair.a, pair.a.send_cq);
  };
  // The first of a SEND without its mark: no receive request was taken for it.
  EXPECT_EQ(
      outcome_of(2 * kUnit, WrOpcode::kSend,
                 [](wire::Packet& packet) { packet.memory.flags &= static_cast<std::uint8_t>(~wire::kMemoryFirst); }),
      WcStatus::kRetryExcErr);
  // A SEND that goes on as a store.
  EXPECT_EQ(outcome_of(2 * kUnit, WrOpcode::kSend,
                       [](wire::Packet& packet) {
                         if (packet.memory.offset > 0)
                           packet.memory.operation = MemoryOperation::kStore;
                       }),
            WcStatus::kRetryExcErr);
  // A load of more than a packet holds.
  EXPECT_EQ(outcome_of(kUnit, WrOpcode::kRdmaRead,
                       [](wire::Packet& packet) {
                         if (packet.memory.operation == MemoryOperation::kLoad)
                           packet.memory.argument = kUnit + 1;
                       }),
            WcStatus::kRemInvReqErr);
  // An answer to what was never sent.
  EXPECT_EQ(outcome_of(kUnit, WrOpcode::kRdmaWrite,
                       [](wire::Packet& packet) {
                         if (packet.memory.operation == MemoryOperation::kStoreAck)
                           packet.memory.message += 1;
                       }),
            WcStatus::kRetryExcErr);
}

TEST_P(MemoryQueuePairTest, ADrainedSendQueueIsReported) {
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 3 * kUnit));
  ASSERT_TRUE(pair.step(pair.a, pair.b));
  ASSERT_TRUE(pair.a.move_to(verbs::QpState::kSqd));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8));
  EXPECT_FALSE(pair.a.saw(verbs::AsyncEventType::kSqDrained));
  pair.run();
  EXPECT_TRUE(pair.a.saw(verbs::AsyncEventType::kSqDrained));
  EXPECT_EQ(pair.a.poll(pair.a.send_cq).size(), 1U);
}

TEST_P(MemoryQueuePairTest, ErrorFlushesBothQueues) {
  ASSERT_TRUE(pair.a.receive(1, pair.a.sge(0, 8)));
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8));
  ASSERT_TRUE(pair.a.move_to(verbs::QpState::kErr));
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kWrFlushErr);
  EXPECT_EQ(only_status(pair.a, pair.a.recv_cq), WcStatus::kWrFlushErr);
  ASSERT_TRUE(post(WrOpcode::kRdmaWrite, 8));
  EXPECT_EQ(only_status(pair.a, pair.a.send_cq), WcStatus::kWrFlushErr);
}

TEST_P(MemoryQueuePairTest, APacketOfAnotherTransportIsForNobody) {
  wire::Packet packet;
  packet.ib.destination_qp = pair.b.qpn.value();
  EXPECT_FALSE(pair.b.device.on_packet({packet, {}, {}}, pair.now).is_valid());
  EXPECT_EQ(pair.b.device.unknown_qp_packets(), 1U);
}

}  // namespace
}  // namespace weft::transport
