#include "transport/uc_queue_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/random.h"
#include "transport/congestion/notification_point.h"
#include "transport/loopback_pair.h"

namespace weft::transport {
namespace {

using verbs::WcStatus;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1024;
constexpr std::uint32_t kReceiveAt = 16'384;  // where receive buffers and WRITE targets of b begin

/// A connected pair; `a` sends, `b` receives.
struct UcWorld : LoopbackPair {
  explicit UcWorld(Carry what = Carry::kBytes) : LoopbackPair(what) {
    connect(verbs::QpType::kUc);
    fill();
  }

  void fill() {
    for (std::size_t i = 0; i < a.memory.size(); ++i)
      a.memory[i] = static_cast<std::byte>(i * 7 + i / 256);
  }
  [[nodiscard]] verbs::SendWr request(std::uint64_t wr_id, WrOpcode opcode) const {
    verbs::SendWr wr{.wr_id = wr_id, .opcode = opcode, .send_flags = verbs::kSendSignaled, .imm_data = 0xABCD};
    wr.rdma = {.remote_address = LoopbackSide::kBase + kReceiveAt, .rkey = b.key};
    return wr;
  }
  void post(const verbs::SendWr& request, std::uint32_t length) {
    const verbs::Sge element = a.sge(0, length);
    verbs::SendWr wr = request;
    wr.sg_list = {&element, 1};
    ASSERT_TRUE(a.device.post_send(a.qpn, wr).has_value());
  }
  void send(std::uint64_t wr_id, std::uint32_t length) { post(request(wr_id, WrOpcode::kSend), length); }
  void receive(std::uint64_t wr_id, std::uint32_t length = 8192) {
    ASSERT_TRUE(b.receive(wr_id, b.sge(kReceiveAt, length)).has_value());
  }
  /// The bytes of a message of `length` are at b's receive place, and nothing behind them.
  [[nodiscard]] bool arrived(std::uint32_t length) const {
    if (carry == Carry::kLengths)
      return true;
    const auto to = b.memory.begin() + kReceiveAt;
    return std::equal(to, to + length, a.memory.begin()) && to[length] == std::byte{0};
  }
  [[nodiscard]] bool untouched() const {
    return std::ranges::all_of(b.memory, [](std::byte byte) { return byte == std::byte{0}; });
  }
  [[nodiscard]] const UnreliableCounters& counters() const { return b.device.find_uc(b.qpn)->counters(); }
  /// Loses the packet with this index (0 = first that is sent).
  void lose(int index) {
    on_wire = [index, seen = 0](wire::Packet&) mutable { return seen++ != index; };
  }
};

std::vector<WcStatus> statuses(const std::vector<verbs::WorkCompletion>& completions) {
  std::vector<WcStatus> list;
  for (const verbs::WorkCompletion& completion : completions)
    list.push_back(completion.status);
  return list;
}

std::vector<std::uint64_t> ids(const std::vector<verbs::WorkCompletion>& completions) {
  std::vector<std::uint64_t> list;
  for (const verbs::WorkCompletion& completion : completions)
    list.push_back(completion.wr_id);
  return list;
}

class UcModes : public testing::TestWithParam<Carry> {};
INSTANTIATE_TEST_SUITE_P(Carry, UcModes, testing::Values(Carry::kBytes, Carry::kLengths),
                         [](const auto& mode) { return mode.param == Carry::kBytes ? "Bytes" : "Lengths"; });

TEST_P(UcModes, SendOfAnyLengthArrivesAndCompletesOnBothSides) {
  for (const std::uint32_t length : {0U, 1U, kMtu - 1, kMtu, kMtu + 1, 3 * kMtu + 5}) {
    UcWorld world(GetParam());
    world.receive(7);
    world.send(1, length);
    EXPECT_EQ(world.run(), std::max(1, static_cast<int>((length + kMtu - 1) / kMtu)));
    const auto sent = world.a.poll(world.a.send_cq);
    ASSERT_EQ(sent.size(), 1U) << length;
    EXPECT_EQ(sent[0].wr_id, 1U);
    EXPECT_EQ(sent[0].status, WcStatus::kSuccess);
    const auto received = world.b.poll(world.b.recv_cq);
    ASSERT_EQ(received.size(), 1U) << length;
    EXPECT_EQ(received[0].wr_id, 7U);
    EXPECT_EQ(received[0].byte_len, length);
    EXPECT_EQ(received[0].opcode, verbs::WcOpcode::kRecv);
    EXPECT_EQ(received[0].qp_num, world.b.qpn);
    EXPECT_TRUE(world.arrived(length)) << length;
  }
}

TEST_P(UcModes, SendWithImmediateDeliversTheImmediate) {
  UcWorld world(GetParam());
  world.receive(7);
  world.post(world.request(1, WrOpcode::kSendWithImm), 2 * kMtu);
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].imm_data, 0xABCDU);
  EXPECT_EQ(received[0].wc_flags, verbs::kWcWithImm);
}

TEST_P(UcModes, WriteNeedsNoReceiveRequestAndCompletesOnlyAtTheSender) {
  UcWorld world(GetParam());
  world.post(world.request(1, WrOpcode::kRdmaWrite), 2 * kMtu + 1);
  world.run();
  EXPECT_TRUE(world.arrived(2 * kMtu + 1));
  EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)), std::vector{WcStatus::kSuccess});
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().dropped_messages, 0U);
}

TEST_P(UcModes, WriteWithImmediateCompletesAReceiveRequest) {
  UcWorld world(GetParam());
  world.receive(7, 0);
  world.post(world.request(1, WrOpcode::kRdmaWriteWithImm), kMtu + 1);
  world.run();
  EXPECT_TRUE(world.arrived(kMtu + 1));
  const auto received = world.b.poll(world.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].opcode, verbs::WcOpcode::kRecvRdmaWithImm);
  EXPECT_EQ(received[0].byte_len, kMtu + 1);
  EXPECT_EQ(received[0].imm_data, 0xABCDU);
}

TEST_P(UcModes, InlineDataAreThoseOfTheMomentOfPosting) {
  UcWorld world(GetParam());
  world.receive(7);
  verbs::SendWr wr = world.request(1, WrOpcode::kSend);
  wr.send_flags |= verbs::kSendInline;
  world.post(wr, 100);
  const std::vector<std::byte> posted = world.a.memory;
  std::ranges::fill(world.a.memory, std::byte{0xFF});
  world.run();
  EXPECT_EQ(statuses(world.b.poll(world.b.recv_cq)), std::vector{WcStatus::kSuccess});
  world.a.memory = posted;
  EXPECT_TRUE(world.arrived(100));
}

//= ibta-1.7 9.2.1
TEST(Uc, RefusesOperationsThatUnreliableConnectionsLack) {
  UcWorld world;
  for (const WrOpcode opcode :
       {WrOpcode::kSendWithInv, WrOpcode::kRdmaRead, WrOpcode::kAtomicCmpAndSwp, WrOpcode::kAtomicFetchAndAdd}) {
    const Result<void> posted = world.a.device.post_send(world.a.qpn, world.request(1, opcode));
    ASSERT_FALSE(posted.has_value());
    EXPECT_NE(posted.error().message.find("UC"), std::string::npos);
  }
}

TEST(Uc, ASendCompletesWhenItsLastPacketHasBeenHandedOut) {
  UcWorld world;
  world.send(1, 2 * kMtu);
  EXPECT_TRUE(world.step(world.a, world.b));
  EXPECT_TRUE(world.a.poll(world.a.send_cq).empty());
  EXPECT_TRUE(world.step(world.a, world.b));
  EXPECT_EQ(ids(world.a.poll(world.a.send_cq)), std::vector<std::uint64_t>{1});
}

TEST(Uc, CompletionsComeInTheOrderOfPostingAndOnlyForSignaledRequests) {
  UcWorld world;
  world.send(1, 2 * kMtu);
  verbs::SendWr quiet = world.request(2, WrOpcode::kRdmaWrite);
  quiet.send_flags = 0;
  world.post(quiet, kMtu);
  world.send(3, 1);
  world.run();
  EXPECT_EQ(ids(world.a.poll(world.a.send_cq)), (std::vector<std::uint64_t>{1, 3}));
}

//= ibta-1.7 9.8.2
TEST(Uc, LossOfAnyPacketDropsItsMessageAndItsReceiveRequestServesTheNext) {
  constexpr int kPackets = 3;
  for (int lost = 0; lost < kPackets; ++lost) {
    UcWorld world;
    world.receive(7);
    world.receive(8);
    world.send(1, kPackets * kMtu);
    world.send(2, 2 * kMtu);
    world.send(3, kMtu);
    world.lose(lost);
    world.run();
    EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)).size(), 3U);
    const auto received = world.b.poll(world.b.recv_cq);
    EXPECT_EQ(ids(received), (std::vector<std::uint64_t>{7, 8})) << "lost packet " << lost;
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].byte_len, 2 * kMtu);
    EXPECT_EQ(received[1].byte_len, kMtu);
    EXPECT_EQ(world.counters().out_of_sequence, 1U);
    EXPECT_EQ(world.counters().dropped_messages, lost == 0 ? 0U : 1U);
  }
}

TEST(Uc, LossOfAPacketOfAWriteWithImmediateYieldsNoCompletion) {
  for (int lost = 0; lost < 3; ++lost) {
    UcWorld world;
    world.receive(7);
    world.post(world.request(1, WrOpcode::kRdmaWriteWithImm), 3 * kMtu);
    world.post(world.request(2, WrOpcode::kRdmaWriteWithImm), kMtu);
    world.lose(lost);
    world.run();
    const auto received = world.b.poll(world.b.recv_cq);
    ASSERT_EQ(received.size(), 1U) << "lost packet " << lost;
    EXPECT_EQ(received[0].byte_len, kMtu);
  }
}

TEST(Uc, AMessageWhoseLastPacketIsLostNeverCompletes) {
  UcWorld world;
  world.receive(7);
  world.send(1, 2 * kMtu);
  world.lose(1);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().out_of_sequence, 0U);
}

TEST(Uc, UnderRandomLossAndDamageEveryMessageArrivesWholeOrNotAtAllAndInOrder) {
  constexpr std::uint32_t kMessages = 20;
  std::size_t delivered = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    UcWorld world;
    RandomStream random(seed, "uc loss");
    world.on_wire = [&](wire::Packet& packet) {
      if (random.uniform(12) == 0)
        packet.common.flags |= wire::kCorrupted;
      return random.uniform(12) != 0;
    };
    for (std::uint64_t id = 0; id < kMessages; ++id)
      world.receive(id);
    std::uint64_t next_receive = 0;
    std::uint32_t last_message = 0;
    for (std::uint32_t message = 1; message <= kMessages; ++message) {
      const auto length = static_cast<std::uint32_t>(random.uniform(5 * kMtu));
      verbs::SendWr wr = world.request(message, WrOpcode::kSendWithImm);
      wr.imm_data = message;
      world.post(wr, length);
      world.run();
      for (const verbs::WorkCompletion& completion : world.b.poll(world.b.recv_cq)) {
        EXPECT_EQ(completion.wr_id, next_receive++) << "seed " << seed;
        EXPECT_GT(completion.imm_data, last_message);
        last_message = completion.imm_data;
        EXPECT_EQ(last_message, message);
        EXPECT_EQ(completion.byte_len, length);
        const auto to = world.b.memory.begin() + kReceiveAt;
        EXPECT_TRUE(std::equal(to, to + length, world.a.memory.begin())) << "seed " << seed;
        ++delivered;
      }
      std::ranges::fill(world.b.memory, std::byte{0});
    }
    EXPECT_EQ(world.a.poll(world.a.send_cq).size(), kMessages);
  }
  EXPECT_GT(delivered, 0U);
  EXPECT_LT(delivered, 200U * kMessages);
}

TEST(Uc, AnyPsnMayStartAMessage) {
  UcWorld world;
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    packet.ib.psn += 1'000'000;
    return true;
  };
  world.send(1, 3 * kMtu);
  world.run();
  EXPECT_EQ(ids(world.b.poll(world.b.recv_cq)), std::vector<std::uint64_t>{7});
  EXPECT_EQ(world.counters().out_of_sequence, 1U);
}

TEST(Uc, ARepeatedPacketDropsTheMessageItIsIn) {
  UcWorld world;
  world.receive(7);
  world.on_wire = [seen = 0](wire::Packet& packet) mutable {
    if (seen++ == 2)
      packet.ib.psn -= 1;
    return true;
  };
  world.send(1, 4 * kMtu);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().dropped_messages, 1U);
}

TEST(Uc, AnOperationOutOfSequenceDropsTheMessage) {
  UcWorld world;
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    if (wire::operation_of(packet.ib.opcode) == wire::Operation::kSendMiddle)
      packet.ib.opcode = wire::make_opcode(wire::Service::kUc, wire::Operation::kWriteMiddle);
    return true;
  };
  world.send(1, 3 * kMtu);
  world.send(2, kMtu);
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].byte_len, kMtu);
  EXPECT_EQ(world.counters().dropped_messages, 1U);
}

TEST(Uc, AFirstPacketInsideAMessageDropsThatMessageAndStartsAnother) {
  UcWorld world;
  world.receive(7);
  world.send(1, 3 * kMtu);
  world.send(2, 2 * kMtu);
  // The first message loses its last packet, and the numbers close the gap.
  world.on_wire = [seen = 0](wire::Packet& packet) mutable {
    if (seen > 2)
      packet.ib.psn -= 1;
    return seen++ != 2;
  };
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].byte_len, 2 * kMtu);
  EXPECT_EQ(world.counters().out_of_sequence, 0U);
  EXPECT_EQ(world.counters().dropped_messages, 1U);
}

TEST(Uc, AMiddlePacketThatIsNotFullDropsTheMessage) {
  UcWorld world(Carry::kLengths);
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    if (wire::operation_of(packet.ib.opcode) == wire::Operation::kSendMiddle)
      packet.common.payload_bytes = 1;
    return true;
  };
  world.send(1, 3 * kMtu);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().dropped_messages, 1U);
}

void expect_write_refused(UcWorld& world, const verbs::SendWr& request) {
  world.receive(7);
  world.post(request, 2 * kMtu);
  world.run();
  EXPECT_TRUE(world.untouched());
  EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)), std::vector{WcStatus::kSuccess});
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().access_violations, 1U);
  EXPECT_EQ(world.counters().dropped_messages, 1U);
  EXPECT_EQ(world.b.state(), verbs::QpState::kRts);
}

TEST(Uc, AWriteWithAWrongKeyVanishes) {
  UcWorld world;
  verbs::SendWr wr = world.request(1, WrOpcode::kRdmaWriteWithImm);
  wr.rdma.rkey ^= 1;
  expect_write_refused(world, wr);
}

TEST(Uc, AWriteThatPassesTheEndOfTheRegionVanishesWhole) {
  UcWorld world;
  verbs::SendWr wr = world.request(1, WrOpcode::kRdmaWrite);
  wr.rdma.remote_address = LoopbackSide::kBase + LoopbackSide::kSize - 2 * kMtu + 1;
  expect_write_refused(world, wr);
}

TEST(Uc, AWriteToAQueuePairWithoutRemoteWriteVanishes) {
  UcWorld world;
  ASSERT_TRUE(world.b.device.modify_qp(world.b.qpn, {.access_flags = 0}, verbs::kQpAccessFlags).has_value());
  expect_write_refused(world, world.request(1, WrOpcode::kRdmaWrite));
}

TEST(Uc, AWriteWhoseLengthDisagreesWithItsPacketsVanishes) {
  UcWorld world(Carry::kLengths);
  world.on_wire = [](wire::Packet& packet) {
    if (wire::describe(packet.ib.opcode).first)
      packet.ib.reth.dma_length += 1;
    return true;
  };
  world.receive(7);
  world.post(world.request(1, WrOpcode::kRdmaWriteWithImm), 2 * kMtu);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().dropped_messages, 1U);
}

TEST(Uc, ASendLongerThanItsBufferFailsTheReceiveRequestAlone) {
  UcWorld world;
  world.receive(7, 2 * kMtu);
  world.receive(8);
  world.send(1, 2 * kMtu + 1);
  world.send(2, kMtu);
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  EXPECT_EQ(ids(received), (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(statuses(received), (std::vector{WcStatus::kLocLenErr, WcStatus::kSuccess}));
  EXPECT_EQ(world.b.state(), verbs::QpState::kRts);
}

TEST(Uc, ASendThatFindsNoReceiveRequestVanishes) {
  UcWorld world;
  world.send(1, 2 * kMtu);
  world.run();
  world.receive(7);
  world.send(2, kMtu);
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].byte_len, kMtu);
  EXPECT_EQ(world.counters().no_receive, 1U);
}

TEST(Uc, AReceiveBufferThatMayNotBeWrittenLeadsToErr) {
  UcWorld world;
  verbs::Sge element = world.b.sge(0, 100);
  element.lkey ^= 1;
  ASSERT_TRUE(world.b.receive(7, element).has_value());
  world.receive(8);
  world.send(1, 10);
  world.run();
  const auto received = world.b.poll(world.b.recv_cq);
  EXPECT_EQ(statuses(received), (std::vector{WcStatus::kLocProtErr, WcStatus::kWrFlushErr}));
  EXPECT_EQ(world.b.state(), verbs::QpState::kErr);
}

/// Posts a request whose memory may not be read, between good ones.
void break_send_queue(UcWorld& world) {
  verbs::Sge bad = world.a.sge(0, 10);
  bad.lkey ^= 1;
  verbs::SendWr wr = world.request(2, WrOpcode::kSend);
  wr.send_flags = 0;
  wr.sg_list = {&bad, 1};
  world.send(1, kMtu);
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, wr).has_value());
  world.send(3, kMtu);
  world.run();
}

//= ibta-1.7 10.3.1
TEST(Uc, AFailedSendStopsTheSendQueueAndFlushesWhatFollows) {
  UcWorld world;
  world.receive(7);
  world.receive(8);
  break_send_queue(world);
  EXPECT_EQ(world.a.state(), verbs::QpState::kSqe);
  const auto sent = world.a.poll(world.a.send_cq);
  EXPECT_EQ(ids(sent), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(statuses(sent), (std::vector{WcStatus::kSuccess, WcStatus::kLocProtErr, WcStatus::kWrFlushErr}));
  EXPECT_EQ(world.b.poll(world.b.recv_cq).size(), 1U);
}

TEST(Uc, InSqeRequestsAreFlushedAndReceivingGoesOn) {
  UcWorld world;
  break_send_queue(world);
  (void)world.a.poll(world.a.send_cq);
  world.send(4, 1);
  EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)), std::vector{WcStatus::kWrFlushErr});
  ASSERT_TRUE(world.a.receive(9, world.a.sge(0, 100)).has_value());
  const verbs::Sge element = world.b.sge(0, 50);
  ASSERT_TRUE(world.b.device.post_send(world.b.qpn, {.sg_list = {&element, 1}}).has_value());
  world.run();
  EXPECT_EQ(statuses(world.a.poll(world.a.recv_cq)), std::vector{WcStatus::kSuccess});
}

TEST(Uc, FromSqeTheSendQueueCanStartAgain) {
  UcWorld world;
  break_send_queue(world);
  (void)world.a.poll(world.a.send_cq);
  ASSERT_TRUE(world.a.move_to(verbs::QpState::kRts).has_value());
  world.receive(7);
  world.send(5, kMtu);
  world.run();
  EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)), std::vector{WcStatus::kSuccess});
  EXPECT_EQ(ids(world.b.poll(world.b.recv_cq)), std::vector<std::uint64_t>{7});
  EXPECT_EQ(world.a.state(), verbs::QpState::kRts);
}

TEST(Uc, ARegionClosedInTheMiddleOfAMessageFailsTheRequest) {
  UcWorld world;
  world.receive(7);
  world.send(1, 3 * kMtu);
  EXPECT_TRUE(world.step(world.a, world.b));
  ASSERT_TRUE(world.a.device.dereg_mr(world.a.key).has_value());
  EXPECT_EQ(world.run(), 0);
  EXPECT_EQ(statuses(world.a.poll(world.a.send_cq)), std::vector{WcStatus::kLocProtErr});
  EXPECT_EQ(world.a.state(), verbs::QpState::kSqe);
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
}

TEST(Uc, InlineDataOutsideARegionAreRefusedWhenPosted) {
  UcWorld world;
  verbs::Sge bad = world.a.sge(0, 10);
  bad.lkey ^= 1;
  const Result<void> posted = world.a.device.post_send(
      world.a.qpn, {.sg_list = {&bad, 1}, .opcode = WrOpcode::kSend, .send_flags = verbs::kSendInline});
  ASSERT_FALSE(posted.has_value());
  EXPECT_NE(posted.error().message.find("inline"), std::string::npos);
}

TEST(Uc, ErrFlushesBothQueuesInOrder) {
  UcWorld world;
  world.send(1, 2 * kMtu);
  world.send(2, 1);
  EXPECT_TRUE(world.step(world.a, world.b));
  ASSERT_TRUE(world.a.receive(3, world.a.sge(0, 1)).has_value());
  ASSERT_TRUE(world.a.receive(4, world.a.sge(0, 1)).has_value());
  ASSERT_TRUE(world.a.move_to(verbs::QpState::kErr).has_value());
  world.send(5, 1);
  ASSERT_TRUE(world.a.receive(6, world.a.sge(0, 1)).has_value());
  const auto sent = world.a.poll(world.a.send_cq);
  const auto received = world.a.poll(world.a.recv_cq);
  EXPECT_EQ(ids(sent), (std::vector<std::uint64_t>{1, 2, 5}));
  EXPECT_EQ(ids(received), (std::vector<std::uint64_t>{3, 4, 6}));
  EXPECT_EQ(statuses(sent), std::vector(3, WcStatus::kWrFlushErr));
  EXPECT_EQ(statuses(received), std::vector(3, WcStatus::kWrFlushErr));
  EXPECT_EQ(world.run(), 0);
}

TEST(Uc, ErrFlushesTheReceiveRequestOfAHalfReceivedMessageFirst) {
  UcWorld world;
  world.receive(7);
  world.receive(8);
  world.send(1, 2 * kMtu);
  EXPECT_TRUE(world.step(world.a, world.b));
  ASSERT_TRUE(world.b.move_to(verbs::QpState::kErr).has_value());
  EXPECT_EQ(ids(world.b.poll(world.b.recv_cq)), (std::vector<std::uint64_t>{7, 8}));
}

TEST(Uc, ResetForgetsEverything) {
  UcWorld world;
  world.receive(7);
  world.send(1, 2 * kMtu);
  EXPECT_TRUE(world.step(world.a, world.b));
  for (LoopbackSide* side : {&world.a, &world.b})
    ASSERT_TRUE(side->move_to(verbs::QpState::kReset).has_value());
  EXPECT_EQ(world.run(), 0);
  world.bring_up();
  world.receive(8);
  world.send(2, 1);
  world.run();
  EXPECT_EQ(ids(world.a.poll(world.a.send_cq)), std::vector<std::uint64_t>{2});
  EXPECT_EQ(ids(world.b.poll(world.b.recv_cq)), std::vector<std::uint64_t>{8});
  EXPECT_EQ(world.counters().out_of_sequence, 0U);
}

TEST(Uc, SqdFinishesTheMessageThatHasBegunAndReportsIt) {
  UcWorld world;
  world.send(1, 2 * kMtu);
  world.send(2, 1);
  EXPECT_TRUE(world.step(world.a, world.b));
  ASSERT_TRUE(world.a.move_to(verbs::QpState::kSqd).has_value());
  EXPECT_FALSE(world.a.saw(verbs::AsyncEventType::kSqDrained));
  EXPECT_EQ(world.run(), 1);
  EXPECT_TRUE(world.a.saw(verbs::AsyncEventType::kSqDrained));
  EXPECT_EQ(ids(world.a.poll(world.a.send_cq)), std::vector<std::uint64_t>{1});
  ASSERT_TRUE(world.a.move_to(verbs::QpState::kRts).has_value());
  EXPECT_EQ(world.run(), 1);
  EXPECT_EQ(ids(world.a.poll(world.a.send_cq)), std::vector<std::uint64_t>{2});
}

TEST(Uc, TheFirstPacketInRtrReportsTheConnection) {
  UcWorld world;
  EXPECT_FALSE(world.b.saw(verbs::AsyncEventType::kCommEst));
  ASSERT_TRUE(world.b.move_to(verbs::QpState::kReset).has_value());
  using namespace verbs;
  QpAttributes attributes{.state = QpState::kInit, .address = {.destination = EndpointId(1)}, .rq_psn = Psn(100)};
  attributes.destination_qpn = world.a.qpn;
  ASSERT_TRUE(world.b.device.modify_qp(world.b.qpn, attributes, kQpState | kQpPkeyIndex | kQpPort | kQpAccessFlags)
                  .has_value());
  attributes.state = QpState::kRtr;
  ASSERT_TRUE(world.b.device.modify_qp(world.b.qpn, attributes, kQpState | kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn)
                  .has_value());
  world.send(1, 1);
  world.run();
  EXPECT_TRUE(world.b.saw(AsyncEventType::kCommEst));
}

TEST(Uc, APacketOfAnotherPartitionVanishes) {
  UcWorld world;
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    packet.ib.partition_key = 0x8001;
    return true;
  };
  world.send(1, 1);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().pkey_violations, 1U);
}

TEST(Uc, PacketsOfOtherServicesAndDamagedOnesVanish) {
  UcWorld world;
  world.receive(7);
  world.on_wire = [seen = 0](wire::Packet& packet) mutable {
    if (seen++ == 0)
      packet.common.flags |= wire::kCorrupted;
    else
      packet.ib.opcode = wire::make_opcode(wire::Service::kRc, wire::Operation::kSendOnly);
    return true;
  };
  world.send(1, 1);
  world.send(2, 1);
  world.run();
  EXPECT_TRUE(world.b.poll(world.b.recv_cq).empty());
  EXPECT_EQ(world.counters().discarded, 2U);
}

//= ibta-1.7 10.2.6.1
TEST(Uc, AnOverflowingCompletionQueueLeadsToErrAndAnEvent) {
  LoopbackPair world(Carry::kBytes);
  const verbs::CqHandle small = world.b.device.create_cq(1).value();
  verbs::QpInitAttributes init = world.b.init(verbs::QpType::kUc);
  init.recv_cq = small;
  world.b.qpn = world.b.device.create_qp(init).value();
  world.a.qpn = world.a.device.create_qp(world.a.init(verbs::QpType::kUc)).value();
  world.bring_up();
  for (const std::uint64_t id : {1, 2}) {
    ASSERT_TRUE(world.b.receive(id, world.b.sge(0, 10)).has_value());
    ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {.wr_id = id}).has_value());
  }
  world.run();
  EXPECT_EQ(world.b.state(), verbs::QpState::kErr);
  EXPECT_TRUE(world.b.saw(verbs::AsyncEventType::kCqErr));
  EXPECT_EQ(ids(world.b.poll(small)), std::vector<std::uint64_t>{1});
  EXPECT_FALSE(world.b.device.poll_cq(small, {}).has_value());
}

TEST(Uc, AnOverflowAtTheSenderLeadsToErr) {
  LoopbackPair world(Carry::kLengths);
  verbs::QpInitAttributes init = world.a.init(verbs::QpType::kUc);
  init.send_cq = world.a.device.create_cq(1).value();
  init.sq_sig_all = true;
  world.a.qpn = world.a.device.create_qp(init).value();
  world.b.qpn = world.b.device.create_qp(world.b.init(verbs::QpType::kUc)).value();
  world.bring_up();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {}).has_value());
  EXPECT_EQ(world.run(), 2);
  EXPECT_EQ(world.a.state(), verbs::QpState::kErr);
  EXPECT_TRUE(world.a.saw(verbs::AsyncEventType::kCqErr));
}

/// Counts what it is told, and paces at 8 Gbit/s.
class Recorder final : public CongestionControl {
 public:
  void on_ack(const AckSample&, Time) override {}
  void on_congestion(Time) override { ++congestions; }
  void on_transmit(Bytes size, Time) override { sent += size; }
  [[nodiscard]] Bytes window(Time) override { return Bytes(1); }
  [[nodiscard]] Rate pacing_rate(Time) override { return kRate; }

  static constexpr Rate kRate = Rate::bits_per_second(8'000'000'000);
  int congestions = 0;
  Bytes sent;
};

TEST(Uc, PacingSpacesPacketsByTheirTimeAtTheRateAndNoWindowHoldsThem) {
  UcWorld world(Carry::kLengths);
  Recorder control;
  world.a.qpn = world.a.device.create_qp(world.a.init(verbs::QpType::kUc), UcOptions{.flow = {&control}}).value();
  world.b.qpn = world.b.device.create_qp(world.b.init(verbs::QpType::kUc)).value();
  world.bring_up();
  world.send(1, 3 * kMtu);
  Time expected;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(world.a.device.next_transmit(world.a.qpn), expected);
    world.now = expected;
    const Bytes before = control.sent;
    EXPECT_EQ(world.run(), 1);
    expected = expected + Recorder::kRate.transmit_time(control.sent - before);
  }
}

TEST(Uc, AMarkedPacketBringsBackACnpThatReachesCongestionControl) {
  UcWorld world;
  Recorder control;
  NotificationPoint point(Duration::zero());
  world.a.qpn = world.a.device.create_qp(world.a.init(verbs::QpType::kUc), UcOptions{.flow = {&control}}).value();
  world.b.qpn =
      world.b.device.create_qp(world.b.init(verbs::QpType::kUc), UcOptions{.flow = {.congestion_receiver = &point}})
          .value();
  world.bring_up();
  world.on_wire = [](wire::Packet& packet) {
    if (packet.common.ecn == wire::Ecn::kEct0)
      packet.common.ecn = wire::Ecn::kCe;
    return true;
  };
  world.send(1, 10);
  EXPECT_EQ(world.run(), 2);
  EXPECT_EQ(control.congestions, 1);
  EXPECT_EQ(world.counters().cnp_sent, 1U);
  EXPECT_EQ(world.a.device.find_uc(world.a.qpn)->counters().cnp_handled, 1U);
}

}  // namespace
}  // namespace weft::transport
