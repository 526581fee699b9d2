// Messages over kernel TCP: what a target refuses, and what becomes of the requests of both ends.
#include <gmock/gmock.h>

#include <array>

#include "tests/property/stream_pair.h"

namespace weft::testing {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;
using verbs::AsyncEventType;
using verbs::WcStatus;
using verbs::WrOpcode;

StreamPairOptions plain() {
  StreamPairOptions options;
  options.kind = StreamKind::kTcp;
  for (transport::IwarpOptions& end : options.ends) {
    end.tcp.minimum_rto = Duration::microseconds(500);
  }
  return options;
}

struct Refused {
  const char* name;
  WrOpcode opcode = WrOpcode::kRdmaWrite;
  std::uint64_t address = StreamSide::kBase;
  std::uint32_t key_offset = 0;
  std::uint32_t length = 2000;
  bool admits = true;
  bool receive_memory = true;
  WcStatus status = WcStatus::kRemAccessErr;
  AsyncEventType event = AsyncEventType::kQpAccessErr;
  WcStatus receive_status = WcStatus::kWrFlushErr;
};

// As RC answers the same requests.
//= ibta-1.7 9.7.4
const Refused kRefused[] = {
    {.name = "a key that nobody has", .key_offset = 1},
    {.name = "bytes beyond the region", .address = StreamSide::kBase + (1 << 20) - 1999},
    {.name = "a queue pair that admits no WRITE",
     .admits = false,
     .status = WcStatus::kRemInvReqErr,
     .event = AsyncEventType::kQpReqErr},
    {.name = "a WRITE with immediate data that may not be", .opcode = WrOpcode::kRdmaWriteWithImm, .key_offset = 1},
    {.name = "a SEND longer than its receive buffer",
     .opcode = WrOpcode::kSend,
     .length = 3001,
     .status = WcStatus::kRemInvReqErr,
     .event = AsyncEventType::kQpReqErr,
     .receive_status = WcStatus::kLocLenErr},
    {.name = "a receive buffer that was closed",
     .opcode = WrOpcode::kSend,
     .receive_memory = false,
     .status = WcStatus::kRemOpErr,
     .event = AsyncEventType::kQpReqErr,
     .receive_status = WcStatus::kLocProtErr},
};

void expect_refused(const Refused& refused, bool bytes) {
  SCOPED_TRACE(refused.name);
  StreamPairOptions options = plain();
  options.carries_bytes = bytes;
  if (!refused.admits) {
    options.remote_access = 0;
  }
  StreamPair pair(options);
  ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
  if (!refused.receive_memory) {
    ASSERT_TRUE(pair.side(1).context.dereg_mr(pair.side(1).key));
  }
  const verbs::Sge element = pair.side(0).sge(0, refused.length);
  verbs::SendWr wr;
  wr.wr_id = 1;
  wr.opcode = refused.opcode;
  wr.sg_list = std::span(&element, 1);
  wr.send_flags = verbs::kSendSignaled;
  wr.rdma = {refused.address, pair.side(1).key + refused.key_offset};
  ASSERT_TRUE(pair.post_send(0, wr));
  wr.wr_id = 2;
  ASSERT_TRUE(pair.post_send(0, wr));
  ASSERT_TRUE(pair.run()) << "hangs";
  const auto completions = pair.side(0).poll_send();
  ASSERT_THAT(completions, SizeIs(2));
  EXPECT_EQ(verbs::to_string(completions[0].status), verbs::to_string(refused.status));
  EXPECT_EQ(completions[1].status, WcStatus::kWrFlushErr);
  const auto received = pair.side(1).poll_recv();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].status, refused.receive_status);
  EXPECT_THAT(pair.side(1).poll_events(), Contains(refused.event));
  EXPECT_EQ(pair.side(0).qp->state(), verbs::QpState::kErr);
  EXPECT_EQ(pair.side(1).qp->state(), verbs::QpState::kErr);
  EXPECT_TRUE(pair.side(1).guards_intact());
}

TEST(TcpMessages, WhatTheTargetRefusesEndsTheConnectionAsWithRc) {
  for (const Refused& refused : kRefused) {
    expect_refused(refused, true);
    expect_refused(refused, false);
  }
}

TEST(TcpMessages, AHeaderThatIsNoneEndsTheConnection) {
  for (const std::size_t at : {0U, 1U, 2U, 3U}) {
    StreamPair pair(plain());
    pair.set_tamper([at](int from, std::span<std::byte> payload) {
      if (from == 0) {
        payload[at] = std::byte{0xFF};
      }
    });
    const verbs::Sge element = pair.side(0).sge(0, 100);
    verbs::SendWr wr;
    wr.opcode = WrOpcode::kRdmaWrite;
    wr.sg_list = std::span(&element, 1);
    wr.rdma = {StreamSide::kBase, pair.side(1).key};
    ASSERT_TRUE(pair.post_send(0, wr));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kRemInvReqErr);
    EXPECT_THAT(pair.side(1).poll_events(), Contains(AsyncEventType::kQpReqErr));
  }
}

TEST(TcpMessages, BothEndsMayComeUpWithAHandshake) {
  for (const bool bytes : {true, false}) {
    StreamPairOptions options = plain();
    options.carries_bytes = bytes;
    for (transport::IwarpOptions& end : options.ends) {
      end.start = transport::StreamStart::kOnTheWire;
    }
    StreamPair pair(options);
    for (int side = 0; side < 2; ++side) {
      const verbs::Sge element = pair.side(side).sge(0, 10'000);
      verbs::SendWr wr;
      wr.opcode = WrOpcode::kRdmaWrite;
      wr.sg_list = std::span(&element, 1);
      wr.send_flags = verbs::kSendSignaled;
      wr.rdma = {StreamSide::kBase + 100'000, pair.side(1 - side).key};
      ASSERT_TRUE(pair.post_send(side, wr));
    }
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kSuccess);
    EXPECT_EQ(pair.side(1).poll_send().at(0).status, WcStatus::kSuccess);
  }
}

TEST(TcpMessages, AMessageLargerThanBothBuffersArrives) {
  StreamPairOptions options = plain();
  for (transport::IwarpOptions& end : options.ends) {
    end.tcp.receive_buffer = Bytes(5000);
    end.send_buffer = Bytes(100);
  }
  StreamPair pair(options);
  for (std::size_t i = 0; i < 300'000; ++i) {
    pair.side(0).memory()[i] = static_cast<std::byte>(i % 251);
  }
  ASSERT_TRUE(pair.post_recv(1, 5, 400'000, 300'000));
  const verbs::Sge element = pair.side(0).sge(0, 300'000);
  verbs::SendWr wr;
  wr.opcode = WrOpcode::kSend;
  wr.sg_list = std::span(&element, 1);
  wr.send_flags = verbs::kSendSignaled;
  ASSERT_TRUE(pair.post_send(0, wr));
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.side(1).poll_recv().at(0).byte_len, 300'000U);
  EXPECT_TRUE(
      std::ranges::equal(pair.side(0).memory().first(300'000), pair.side(1).memory().subspan(400'000, 300'000)));
}

}  // namespace
}  // namespace weft::testing
