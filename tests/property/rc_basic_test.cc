// Reliable connections without faults: every operation, every encapsulation, and how many packets it takes.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/rc_pair.h"

namespace weft::testing {
namespace {

using verbs::WcStatus;
using verbs::WrOpcode;

void fill(std::span<std::byte> bytes, unsigned start) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(start + i * 7 + i / 251);
  }
}

verbs::SendWr request(WrOpcode opcode, const verbs::Sge& element, std::uint64_t wr_id) {
  verbs::SendWr wr;
  wr.wr_id = wr_id;
  wr.opcode = opcode;
  wr.send_flags = verbs::kSendSignaled;
  wr.sg_list = std::span(&element, 1);
  return wr;
}

TEST(Rc, WriteMovesEveryByteInEveryEncapsulation) {
  for (const auto encapsulation :
       {wire::Encapsulation::kIbLocal, wire::Encapsulation::kIbGlobal, wire::Encapsulation::kRoceV1,
        wire::Encapsulation::kRoceV2Ipv4, wire::Encapsulation::kRoceV2Ipv6}) {
    RcPair pair({.encapsulation = encapsulation});
    RcSide& a = pair.side(0);
    RcSide& b = pair.side(1);
    fill(a.memory(), 3);
    const verbs::Sge element = a.sge(100, 100'003);
    verbs::SendWr wr = request(WrOpcode::kRdmaWrite, element, 7);
    wr.rdma = {RcSide::kBase + 5'000, b.key};
    ASSERT_TRUE(pair.post_send(0, wr));
    ASSERT_TRUE(pair.network().run());
    const auto completions = a.poll_send();
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
    EXPECT_EQ(completions[0].wr_id, 7U);
    EXPECT_EQ(std::memcmp(a.memory().data() + 100, b.memory().data() + 5'000, 100'003), 0);
    EXPECT_EQ(b.memory()[4'999], RcSide::kGuardByte);
    EXPECT_EQ(b.memory()[5'000 + 100'003], RcSide::kGuardByte);
  }
}

TEST(Rc, SendArrivesInPostedBufferWithImmediate) {
  RcPair pair({});
  RcSide& a = pair.side(0);
  RcSide& b = pair.side(1);
  fill(a.memory(), 1);
  ASSERT_TRUE(b.post_recv(42, 1'000, 8'192));
  const verbs::Sge element = a.sge(0, 5'000);
  verbs::SendWr wr = request(WrOpcode::kSendWithImm, element, 1);
  wr.imm_data = 0xDEADBEEF;
  ASSERT_TRUE(pair.post_send(0, wr));
  ASSERT_TRUE(pair.network().run());
  const auto received = b.poll_recv();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].wr_id, 42U);
  EXPECT_EQ(received[0].byte_len, 5'000U);
  EXPECT_EQ(received[0].imm_data, 0xDEADBEEFU);
  EXPECT_EQ(received[0].wc_flags, verbs::kWcWithImm);
  EXPECT_EQ(std::memcmp(a.memory().data(), b.memory().data() + 1'000, 5'000), 0);
  EXPECT_EQ(a.poll_send().size(), 1U);
}

TEST(Rc, ReadAndAtomicsBringBackRemoteData) {
  RcPair pair({});
  RcSide& a = pair.side(0);
  RcSide& b = pair.side(1);
  fill(b.memory(), 9);
  const std::uint64_t before = 0x1122334455667788;
  std::memcpy(b.memory().data() + 64, &before, 8);
  const verbs::Sge data = a.sge(0, 10'000);
  verbs::SendWr read = request(WrOpcode::kRdmaRead, data, 1);
  read.rdma = {RcSide::kBase + 2'000, b.key};
  ASSERT_TRUE(pair.post_send(0, read));
  const verbs::Sge answer = a.sge(20'000, 8);
  verbs::SendWr add = request(WrOpcode::kAtomicFetchAndAdd, answer, 2);
  add.rdma = {RcSide::kBase + 64, b.key};
  add.atomic.compare_add = 5;
  ASSERT_TRUE(pair.post_send(0, add));
  const verbs::Sge answer2 = a.sge(20'008, 8);
  verbs::SendWr swap = request(WrOpcode::kAtomicCmpAndSwp, answer2, 3);
  swap.rdma = {RcSide::kBase + 64, b.key};
  swap.atomic = {before + 5, 77};
  ASSERT_TRUE(pair.post_send(0, swap));
  ASSERT_TRUE(pair.network().run());
  const auto completions = a.poll_send();
  ASSERT_EQ(completions.size(), 3U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(completions[i].wr_id, i + 1);
    EXPECT_EQ(completions[i].status, WcStatus::kSuccess);
  }
  EXPECT_EQ(std::memcmp(a.memory().data(), b.memory().data() + 2'000, 10'000), 0);
  std::uint64_t results[3];
  std::memcpy(results, a.memory().data() + 20'000, 16);
  std::memcpy(&results[2], b.memory().data() + 64, 8);
  EXPECT_EQ(results[0], before);
  EXPECT_EQ(results[1], before + 5);
  EXPECT_EQ(results[2], 77U);
}

TEST(Rc, MissingReceiveRequestIsRetriedUntilPosted) {
  RcPair pair({});
  RcSide& a = pair.side(0);
  RcSide& b = pair.side(1);
  const verbs::Sge element = a.sge(0, 3'000);
  ASSERT_TRUE(pair.post_send(0, request(WrOpcode::kSend, element, 1)));
  pair.network().run_until(Time::zero() + Duration::microseconds(100));
  EXPECT_TRUE(a.poll_send().empty());
  EXPECT_GE(a.qp->counters().rnr_nak_retry_err, 3U);
  ASSERT_TRUE(b.post_recv(1, 0, 4'096));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(a.poll_send().size(), 1U);
  EXPECT_EQ(b.poll_recv().size(), 1U);
}

TEST(Rc, PeerThatNeverAnswersExhaustsRetriesAndFlushes) {
  RcPair pair({.retry_count = 3});
  RcSide& a = pair.side(0);
  pair.network().set_filter([](int from, const wire::Packet&) { return from == 1; });
  const verbs::Sge element = a.sge(0, 3'000);
  for (std::uint64_t i = 0; i < 3; ++i) {
    verbs::SendWr wr = request(WrOpcode::kRdmaWrite, element, i);
    wr.rdma = {RcSide::kBase, pair.side(1).key};
    ASSERT_TRUE(pair.post_send(0, wr));
  }
  ASSERT_TRUE(a.post_recv(9, 0, 100));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(a.qp->state(), verbs::QpState::kErr);
  EXPECT_EQ(a.qp->counters().local_ack_timeout_err, 4U);
  const auto completions = a.poll_send();
  ASSERT_EQ(completions.size(), 3U);
  EXPECT_EQ(completions[0].status, WcStatus::kRetryExcErr);
  EXPECT_EQ(completions[1].status, WcStatus::kWrFlushErr);
  EXPECT_EQ(completions[2].status, WcStatus::kWrFlushErr);
  const auto flushed = a.poll_recv();
  ASSERT_EQ(flushed.size(), 1U);
  EXPECT_EQ(flushed[0].status, WcStatus::kWrFlushErr);
}

}  // namespace
}  // namespace weft::testing
