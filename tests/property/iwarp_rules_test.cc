// Rules of iWARP connections, and of what they share with messages over kernel TCP: alignment, early placement, order
// of completion, waiting, limits, states, memory.
#include <gmock/gmock.h>

#include <cstring>

#include "tests/property/stream_pair.h"
#include "wire/tcp_codec.h"

namespace weft::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using verbs::AsyncEventType;
using verbs::QpState;
using verbs::WcStatus;
using verbs::WrOpcode;

constexpr StreamKind kBothKinds[] = {StreamKind::kIwarp, StreamKind::kTcp};

StreamPairOptions plain(StreamKind kind = StreamKind::kIwarp) {
  StreamPairOptions options;
  options.kind = kind;
  for (transport::IwarpOptions& end : options.ends) {
    end.tcp.minimum_rto = Duration::microseconds(500);
    end.tcp.initial_rto = Duration::milliseconds(1);
  }
  return options;
}

struct Post {
  int from = 0;
  WrOpcode opcode = WrOpcode::kRdmaWrite;
  std::uint32_t length = 100;
  std::uint64_t wr_id = 1;
  std::uint8_t flags = verbs::kSendSignaled;
  std::uint64_t remote = 500'000;
};

Result<void> post(StreamPair& pair, const Post& what) {
  const verbs::Sge element = pair.side(what.from).sge(0, what.length);
  verbs::SendWr wr;
  wr.wr_id = what.wr_id;
  wr.opcode = what.opcode;
  wr.sg_list = std::span(&element, 1);
  wr.send_flags = what.flags;
  wr.imm_data = 0xABCD;
  wr.rdma = {StreamSide::kBase + what.remote, pair.side(1 - what.from).key};
  return pair.post_send(what.from, wr);
}

Result<void> modify(StreamPair& pair, int side, QpState state) {
  verbs::QpAttributes attributes;
  attributes.state = state;
  StreamSide& end = pair.side(side);
  return end.qp->modify(attributes, verbs::kQpState, end.context, pair.now());
}

void fill(std::span<std::byte> memory) {
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
}

//= rfc5044 4.5
TEST(IwarpRules, EverySegmentHoldsExactlyOneFpdu) {
  for (const bool markers : {false, true}) {
    StreamPairOptions options = plain();
    options.ends[0].markers = options.ends[1].markers = markers;
    StreamPair pair(options);
    ASSERT_TRUE(post(pair, {.length = 50'000}));
    ASSERT_TRUE(post(pair, {.opcode = WrOpcode::kRdmaRead, .length = 30'000}));
    ASSERT_TRUE(pair.run());
    std::uint64_t places[2] = {0, 0};
    int full = 0;
    for (const std::vector<std::byte>& bytes : pair.frames()) {
      const auto frame = wire::parse_tcp_frame(bytes);
      ASSERT_TRUE(frame);
      if (frame->payload.empty()) {
        continue;
      }
      std::uint64_t& place = places[frame->ipv4.source.value & 1 ? 0 : 1];
      const auto form = markers ? wire::MpaMarkers::kOn : wire::MpaMarkers::kOff;
      const std::size_t ulpdu = *wire::peek_ulpdu_length(frame->payload, place, form);
      ASSERT_EQ(wire::fpdu_extent(place, ulpdu, form), frame->payload.size());
      place += frame->payload.size();
      full += frame->payload.size() > 1430 ? 1 : 0;
    }
    EXPECT_GT(full, 50);
  }
}

//= rfc5044 5
TEST(IwarpRules, DataOfAWriteArePlacedWhileAnEarlierSegmentIsMissing) {
  for (const bool early : {true, false}) {
    StreamPairOptions options = plain();
    options.ends[1].early_placement = early;
    StreamPair pair(options);
    fill(pair.side(0).memory().first(10'000));
    bool lost = false;
    pair.set_filter([&](int from, const wire::Packet& packet) {
      const bool drops = from == 0 && packet.common.payload_bytes != 0 && !lost;
      lost |= drops;
      return drops;
    });
    ASSERT_TRUE(post(pair, {.length = 10'000}));
    pair.run_until(pair.now() + Duration::microseconds(14));
    // The end of the message is there, its beginning is not.
    const auto source = pair.side(0).memory().subspan(4000, 3000);
    const auto target = pair.side(1).memory().subspan(500'000 + 4000, 3000);
    EXPECT_EQ(std::memcmp(source.data(), target.data(), source.size()) == 0, early);
    EXPECT_EQ(pair.side(1).memory()[500'000], StreamSide::kGuardByte);
    EXPECT_EQ(pair.side(1).qp->counters().frames_placed_early > 0, early);
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(0));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data() + 500'000, 10'000), 0);
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kSuccess);
  }
}

TEST(StreamRules, AWriteCompletesWhenItsLastByteIsAcknowledged) {
  for (const StreamKind kind : kBothKinds) {
    StreamPairOptions options = plain(kind);
    options.delay = Duration::microseconds(100);
    StreamPair pair(options);
    ASSERT_TRUE(post(pair, {.length = 100}));
    pair.run_until(pair.now() + Duration::microseconds(199));
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(0));
    ASSERT_TRUE(pair.run());
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(1));
  }
}

TEST(StreamRules, AMessageWithoutAReceiveRequestWaitsAndNothingIsDropped) {
  for (const StreamKind kind : kBothKinds) {
    StreamPairOptions options = plain(kind);
    options.ends[1].tcp.receive_buffer = Bytes(20'000);
    StreamPair pair(options);
    fill(pair.side(0).memory().first(60'000));
    for (std::uint64_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(post(pair, {.opcode = WrOpcode::kSend, .length = 60'000, .wr_id = i}));
    }
    pair.run_until(pair.now() + Duration::milliseconds(20));
    EXPECT_TRUE(pair.side(1).qp->waits_for_receive());
    EXPECT_EQ(pair.side(1).qp->counters().waits_for_receive, 1U);
    // The window has closed: the buffer is full, and no byte beyond it has been sent for good.
    EXPECT_GT(pair.side(1).qp->buffers().receive, Bytes(20'000 - 1460));
    EXPECT_LE(pair.side(1).qp->buffers().receive, pair.side(1).qp->buffers().receive_limit);
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(0));
    for (std::uint64_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(pair.post_recv(1, i, 300'000 + 60'000 * i, 60'000));
      pair.run_until(pair.now() + Duration::milliseconds(5));
    }
    ASSERT_TRUE(pair.run());
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(4));
    EXPECT_THAT(pair.side(1).poll_recv(), SizeIs(4));
    EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data() + 480'000, 60'000), 0);
  }
}

TEST(IwarpRules, ReadsInFlightStayBelowTheLimit) {
  StreamPairOptions options = plain();
  options.max_rd_atomic = 2;
  StreamPair pair(options);
  for (std::uint64_t i = 0; i < 6; ++i) {
    ASSERT_TRUE(post(pair, {.opcode = WrOpcode::kRdmaRead, .length = 10, .wr_id = i}));
  }
  // Nothing has come back yet: two requests are out.
  pair.run_until(pair.now() + Duration::microseconds(4));
  EXPECT_EQ(pair.side(0).qp->counters().frames_sent, 2U);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.side(0).qp->counters().frames_sent, 6U);
  EXPECT_THAT(pair.side(0).poll_send(), SizeIs(6));
}

TEST(IwarpRules, AFencedRequestWaitsForTheReadsBeforeIt) {
  StreamPair pair(plain());
  ASSERT_TRUE(post(pair, {.opcode = WrOpcode::kRdmaRead, .length = 10, .wr_id = 1}));
  ASSERT_TRUE(post(pair, {.length = 10, .wr_id = 2, .flags = verbs::kSendSignaled | verbs::kSendFence}));
  pair.run_until(pair.now() + Duration::microseconds(4));
  EXPECT_EQ(pair.side(0).qp->counters().frames_sent, 1U);
  ASSERT_TRUE(pair.run());
  EXPECT_THAT(pair.side(0).poll_send(), SizeIs(2));
}

//= rfc7306 6
TEST(IwarpRules, WriteWithImmediateTellsLengthAndValue) {
  StreamPair pair(plain());
  for (const std::uint32_t length : {0U, 1U, 5000U}) {
    ASSERT_TRUE(pair.post_recv(1, length, 0, 0));
    ASSERT_TRUE(post(pair, {.opcode = WrOpcode::kRdmaWriteWithImm, .length = length}));
    ASSERT_TRUE(pair.run());
    const auto received = pair.side(1).poll_recv();
    ASSERT_THAT(received, SizeIs(1));
    EXPECT_EQ(received[0].byte_len, length);
    EXPECT_EQ(received[0].imm_data, 0xABCDU);
    EXPECT_EQ(received[0].opcode, verbs::WcOpcode::kRecvRdmaWithImm);
  }
}

TEST(StreamRules, RequestsThatTheFramingDoesNotHaveAreRefusedWithWhatWouldDo) {
  StreamPair iwarp(plain());
  StreamPair tcp(plain(StreamKind::kTcp));
  EXPECT_THAT(post(iwarp, {.opcode = WrOpcode::kSendWithImm}).error().message, HasSubstr("use WRITE with immediate"));
  EXPECT_THAT(post(tcp, {.opcode = WrOpcode::kRdmaRead}).error().message, HasSubstr("SEND and WRITE only"));
  EXPECT_THAT(post(tcp, {.opcode = WrOpcode::kSendWithInv}).error().message, HasSubstr("SEND and WRITE only"));
  for (StreamPair* const pair : {&iwarp, &tcp}) {
    for (const WrOpcode opcode : {WrOpcode::kAtomicCmpAndSwp, WrOpcode::kAtomicFetchAndAdd}) {
      EXPECT_THAT(post(*pair, {.opcode = opcode, .length = 8}).error().message, HasSubstr("an atomic over"));
    }
    ASSERT_TRUE(pair->run());
    EXPECT_EQ(pair->side(0).qp->state(), QpState::kRts);
  }
}

TEST(StreamRules, ADrainedSendQueueTellsSoAndGoesOn) {
  for (const StreamKind kind : kBothKinds) {
    StreamPair pair(plain(kind));
    ASSERT_TRUE(post(pair, {.length = 20'000, .wr_id = 1}));
    ASSERT_TRUE(modify(pair, 0, QpState::kSqd));
    ASSERT_TRUE(post(pair, {.length = 100, .wr_id = 2}));
    ASSERT_TRUE(pair.run());
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(1));
    EXPECT_THAT(pair.side(0).poll_events(), Contains(AsyncEventType::kSqDrained));
    ASSERT_TRUE(modify(pair, 0, QpState::kRts));
    ASSERT_TRUE(pair.run());
    EXPECT_THAT(pair.side(0).poll_send(), SizeIs(1));
  }
}

TEST(StreamRules, MemoryThatMayNotBeReadFailsItsRequestWhenItIsTheOldest) {
  for (const StreamKind kind : kBothKinds) {
    StreamPair pair(plain(kind));
    ASSERT_TRUE(post(pair, {.wr_id = 1}));
    const verbs::Sge wrong{.address = StreamSide::kBase, .length = 10, .lkey = pair.side(0).key + 1};
    verbs::SendWr wr;
    wr.wr_id = 2;
    wr.opcode = WrOpcode::kRdmaWrite;
    wr.sg_list = std::span(&wrong, 1);
    wr.rdma = {StreamSide::kBase, pair.side(1).key};
    ASSERT_TRUE(pair.post_send(0, wr));
    ASSERT_TRUE(post(pair, {.wr_id = 3}));
    ASSERT_TRUE(pair.run());
    const auto completions = pair.side(0).poll_send();
    ASSERT_THAT(completions, SizeIs(3));
    EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
    EXPECT_EQ(completions[1].status, WcStatus::kLocProtErr);
    EXPECT_EQ(completions[2].status, WcStatus::kWrFlushErr);
    EXPECT_EQ(pair.side(1).qp->state(), QpState::kErr);
    EXPECT_THAT(pair.side(1).poll_events(), Contains(AsyncEventType::kQpFatal));
  }
}

TEST(StreamRules, MemoryClosedWhileItIsSentIsNotSent) {
  for (const StreamKind kind : kBothKinds) {
    StreamPair pair(plain(kind));
    fill(pair.side(0).memory().first(900'000));
    ASSERT_TRUE(post(pair, {.length = 400'000}));
    pair.run_until(pair.now() + Duration::microseconds(50));
    ASSERT_TRUE(pair.side(0).context.dereg_mr(pair.side(0).key));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kLocProtErr);
    EXPECT_EQ(pair.side(1).qp->state(), QpState::kErr);
  }
}

TEST(StreamRules, APeerThatIsGoneIsNoticed) {
  for (const StreamKind kind : kBothKinds) {
    StreamPairOptions options = plain(kind);
    options.ends[0].tcp.retries = 3;
    StreamPair pair(options);
    pair.set_filter([](int, const wire::Packet&) { return true; });
    ASSERT_TRUE(post(pair, {.wr_id = 1}));
    ASSERT_TRUE(post(pair, {.wr_id = 2}));
    ASSERT_TRUE(pair.run());
    const auto completions = pair.side(0).poll_send();
    ASSERT_THAT(completions, SizeIs(2));
    EXPECT_EQ(completions[0].status, WcStatus::kRetryExcErr);
    EXPECT_EQ(completions[1].status, WcStatus::kWrFlushErr);
  }
}

TEST(StreamRules, GoingToErrorResetsTheConnectionOfThePeer) {
  for (const StreamKind kind : kBothKinds) {
    StreamPair pair(plain(kind));
    ASSERT_TRUE(pair.post_recv(0, 9, 0, 100));
    ASSERT_TRUE(post(pair, {.from = 1, .opcode = WrOpcode::kSend, .length = 10}));
    ASSERT_TRUE(post(pair, {.from = 1, .opcode = WrOpcode::kSend, .length = 10}));
    pair.run_until(pair.now() + Duration::microseconds(1));
    ASSERT_TRUE(modify(pair, 0, QpState::kErr));
    EXPECT_EQ(pair.side(0).poll_recv().at(0).status, WcStatus::kWrFlushErr);
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(1).qp->state(), QpState::kErr);
    const auto completions = pair.side(1).poll_send();
    ASSERT_THAT(completions, SizeIs(2));
    EXPECT_EQ(completions[0].status, WcStatus::kRemAbortErr);
    // In ERR requests are flushed as they are posted.
    ASSERT_TRUE(post(pair, {.wr_id = 77}));
    EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kWrFlushErr);
  }
}

TEST(StreamRules, AConnectionCanBeMadeAgainAfterReset) {
  for (const StreamKind kind : kBothKinds) {
    for (const bool bytes : {true, false}) {
      StreamPairOptions options = plain(kind);
      options.carries_bytes = bytes;
      StreamPair pair(options);
      ASSERT_TRUE(post(pair, {.length = 5000}));
      pair.run_until(pair.now() + Duration::microseconds(3));
      ASSERT_TRUE(modify(pair, 0, QpState::kReset));
      ASSERT_TRUE(modify(pair, 1, QpState::kReset));
      ASSERT_TRUE(pair.run());
      pair.side(0).connect(pair.side(1), options, pair.now());
      pair.side(1).connect(pair.side(0), options, pair.now());
      ASSERT_TRUE(post(pair, {.length = 5000, .wr_id = 2}));
      ASSERT_TRUE(pair.run());
      const auto completions = pair.side(0).poll_send();
      ASSERT_THAT(completions, SizeIs(1));
      EXPECT_EQ(completions[0].wr_id, 2U);
      EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
    }
  }
}

TEST(StreamRules, AFullCompletionQueueEndsTheConnection) {
  for (const StreamKind kind : kBothKinds) {
    StreamPairOptions options = plain(kind);
    options.cq_capacity = 1;
    StreamPair pair(options);
    ASSERT_TRUE(post(pair, {.wr_id = 1}));
    ASSERT_TRUE(post(pair, {.wr_id = 2}));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.side(0).qp->state(), QpState::kErr);
    EXPECT_THAT(pair.side(0).poll_events(), Contains(AsyncEventType::kCqErr));
  }
}

TEST(StreamRules, MemoryOfAConnectionIsSmallAtRestAndBoundedAtWork) {
  for (const StreamKind kind : kBothKinds) {
    for (const bool bytes : {true, false}) {
      StreamPairOptions options = plain(kind);
      options.carries_bytes = bytes;
      options.ends[0].send_buffer = Bytes(200'000);
      StreamPair pair(options);
      const transport::StreamQueuePair& qp = *pair.side(0).qp;
      EXPECT_LT(qp.heap_bytes() + sizeof(transport::IwarpQueuePair), 4096U);
      for (int i = 0; i < 10; ++i) {
        ASSERT_TRUE(post(pair, {.length = 400'000}));
      }
      std::size_t most = 0;
      Bytes most_sent{};
      for (int i = 0; i < 200; ++i) {
        pair.run_until(pair.now() + Duration::microseconds(20));
        most = std::max(most, qp.heap_bytes());
        most_sent = std::max(most_sent, qp.buffers().send);
      }
      ASSERT_TRUE(pair.run());
      EXPECT_LT(most, 200'000U);
      EXPECT_GT(most_sent, Bytes(60'000));
      EXPECT_EQ(qp.buffers().send, Bytes(0));
    }
  }
}

TEST(StreamRules, CorruptedSegmentsAndThoseForNoConnectionAreCounted) {
  StreamPair pair(plain());
  wire::Packet packet;
  packet.common.flags = wire::kCorrupted;
  StreamSide& end = pair.side(1);
  end.qp->on_packet({packet, wire::ColdPacket{}, {}}, end.context, pair.now());
  EXPECT_EQ(end.qp->counters().discarded, 1U);
}

}  // namespace
}  // namespace weft::testing
