// What an iWARP peer does wrong, the TERMINATE it is answered with, and what becomes of the requests of both ends.
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "tests/property/stream_pair.h"
#include "wire/byte_order.h"

namespace weft::testing {
namespace {

namespace terminate = wire::terminate;
using ::testing::Contains;
using ::testing::SizeIs;
using verbs::AsyncEventType;
using verbs::WcStatus;
using verbs::WrOpcode;

StreamPairOptions plain() {
  StreamPairOptions options;
  for (transport::IwarpOptions& end : options.ends) {
    end.tcp.minimum_rto = Duration::microseconds(500);
  }
  return options;
}

verbs::SendWr request(const verbs::Sge& element, WrOpcode opcode, std::uint64_t wr_id = 1) {
  verbs::SendWr wr;
  wr.wr_id = wr_id;
  wr.sg_list = std::span(&element, 1);
  wr.opcode = opcode;
  wr.send_flags = verbs::kSendSignaled;
  return wr;
}

/// Both ends are in ERR, the code went from end 1 to end 0, and the network is at rest.
void expect_terminated(StreamPair& pair, wire::TerminateCode code) {
  ASSERT_TRUE(pair.run()) << "hangs";
  EXPECT_EQ(pair.side(0).qp->state(), verbs::QpState::kErr);
  EXPECT_EQ(pair.side(1).qp->state(), verbs::QpState::kErr);
  const wire::Terminate* const sent = pair.side(1).iwarp().terminate_sent();
  const wire::Terminate* const received = pair.side(0).iwarp().terminate_received();
  ASSERT_NE(sent, nullptr);
  ASSERT_NE(received, nullptr);
  EXPECT_EQ(to_string(sent->code), to_string(code));
  EXPECT_EQ(*sent, *received);
}

void expect_status(StreamPair& pair, WcStatus status) {
  const auto completions = pair.side(0).poll_send();
  ASSERT_THAT(completions, SizeIs(2));
  EXPECT_EQ(completions[0].wr_id, 1U);
  EXPECT_EQ(verbs::to_string(completions[0].status), verbs::to_string(status));
  EXPECT_EQ(completions[1].wr_id, 2U);
  EXPECT_EQ(completions[1].status, WcStatus::kWrFlushErr);
}

/// A request for remote memory that is refused, with a READ behind it that waits for ever.
struct RemoteFault {
  const char* name;
  std::uint64_t address = StreamSide::kBase;
  std::uint32_t key_offset = 0;  // added to the right key
  bool other_domain = false;
  bool without_right = false;  // the region does not grant it
  bool not_admitted = false;   // the queue pair does not
  wire::TerminateCode write_code;
  wire::TerminateCode read_code;
};

const RemoteFault kRemoteFaults[] = {
    {.name = "a key that nobody has",
     .key_offset = 1,
     .write_code = terminate::kTaggedInvalidStag,
     .read_code = terminate::kInvalidStag},
    {.name = "an address beyond the region",
     .address = StreamSide::kBase + (1 << 20) - 50,
     .write_code = terminate::kTaggedBounds,
     .read_code = terminate::kBounds},
    {.name = "a range that passes the end of the address space",
     .address = ~std::uint64_t{0} - 50,
     .write_code = terminate::kTaggedOffsetWrap,
     .read_code = terminate::kOffsetWrap},
    {.name = "a region of another domain",
     .other_domain = true,
     .write_code = terminate::kTaggedNotAssociated,
     .read_code = terminate::kStagNotAssociated},
    {.name = "a region without the right",
     .without_right = true,
     .write_code = terminate::kAccessRights,
     .read_code = terminate::kAccessRights},
    {.name = "a queue pair that admits nothing",
     .not_admitted = true,
     .write_code = terminate::kAccessRights,
     .read_code = terminate::kAccessRights},
};

std::uint32_t key_for(StreamPair& pair, const RemoteFault& fault) {
  StreamSide& target = pair.side(1);
  if (!fault.other_domain && !fault.without_right) {
    return target.key + fault.key_offset;
  }
  const verbs::PdHandle pd = fault.other_domain ? *target.context.alloc_pd() : target.pd;
  const auto access = static_cast<verbs::AccessMask>(
      fault.without_right ? 0 : verbs::kAccessLocalWrite | verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite);
  return *target.context.reg_mr({.pd = pd, .address = StreamSide::kBase, .length = 4096, .access = access});
}

void refuse(const RemoteFault& fault, WrOpcode opcode, bool bytes) {
  SCOPED_TRACE(fault.name);
  StreamPairOptions options = plain();
  options.carries_bytes = bytes;
  if (fault.not_admitted) {
    options.remote_access = 0;
  }
  StreamPair pair(options);
  const verbs::Sge element = pair.side(0).sge(0, 100);
  verbs::SendWr wr = request(element, opcode);
  wr.rdma = {fault.address, key_for(pair, fault)};
  ASSERT_TRUE(pair.post_send(0, wr));
  // Behind it something that cannot complete.
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend, 2)));
  expect_terminated(pair, opcode == WrOpcode::kRdmaRead ? fault.read_code : fault.write_code);
  expect_status(pair, WcStatus::kRemAccessErr);
  EXPECT_THAT(pair.side(1).poll_events(), Contains(AsyncEventType::kQpAccessErr));
  EXPECT_TRUE(pair.side(1).guards_intact());
}

//= rfc5041 7
TEST(IwarpTerminate, AWriteToMemoryThatIsNotOpen) {
  for (const RemoteFault& fault : kRemoteFaults) {
    refuse(fault, WrOpcode::kRdmaWrite, true);
    refuse(fault, WrOpcode::kRdmaWrite, false);
  }
}

//= rfc5040 7
TEST(IwarpTerminate, AReadOfMemoryThatIsNotOpen) {
  for (const RemoteFault& fault : kRemoteFaults) {
    refuse(fault, WrOpcode::kRdmaRead, true);
    refuse(fault, WrOpcode::kRdmaRead, false);
  }
}

TEST(IwarpTerminate, NamesTheSegmentThatCausedIt) {
  StreamPair pair(plain());
  const verbs::Sge element = pair.side(0).sge(0, 100);
  verbs::SendWr wr = request(element, WrOpcode::kRdmaRead);
  wr.rdma = {0x1234, 0x5678};
  ASSERT_TRUE(pair.post_send(0, wr));
  expect_terminated(pair, terminate::kInvalidStag);
  const wire::Terminate& message = *pair.side(0).iwarp().terminate_received();
  ASSERT_TRUE(message.ddp.has_value());
  EXPECT_EQ(message.ddp->queue, wire::kDdpReadRequestQueue);
  ASSERT_TRUE(message.read_request.has_value());
  EXPECT_EQ(message.read_request->source_offset, 0x1234U);
  EXPECT_EQ(message.read_request->source_stag, 0x5678U);
  EXPECT_EQ(message.segment_length, wire::DdpHeader::kUntaggedSize + wire::ReadRequest::kSize);
}

TEST(IwarpTerminate, RequestsBeforeTheOneInErrorSucceed) {
  StreamPair pair(plain());
  const verbs::Sge element = pair.side(0).sge(0, 100);
  verbs::SendWr wr = request(element, WrOpcode::kRdmaWrite, 7);
  wr.rdma = {StreamSide::kBase, pair.side(1).key};
  ASSERT_TRUE(pair.post_send(0, wr));
  wr.wr_id = 8;
  wr.rdma.rkey += 1;
  ASSERT_TRUE(pair.post_send(0, wr));
  expect_terminated(pair, terminate::kTaggedInvalidStag);
  const auto completions = pair.side(0).poll_send();
  ASSERT_THAT(completions, SizeIs(2));
  EXPECT_EQ(completions[0].status, WcStatus::kSuccess);
  EXPECT_EQ(completions[1].status, WcStatus::kRemAccessErr);
}

TEST(IwarpTerminate, AMessageLongerThanItsReceiveBuffer) {
  for (const bool bytes : {true, false}) {
    StreamPairOptions options = plain();
    options.carries_bytes = bytes;
    StreamPair pair(options);
    ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
    const verbs::Sge element = pair.side(0).sge(0, 3001);
    ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend)));
    ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend, 2)));
    expect_terminated(pair, terminate::kMessageTooLong);
    expect_status(pair, WcStatus::kRemInvReqErr);
    const auto received = pair.side(1).poll_recv();
    ASSERT_THAT(received, SizeIs(1));
    EXPECT_EQ(received[0].wr_id, 5U);
    EXPECT_EQ(received[0].status, WcStatus::kLocLenErr);
    EXPECT_THAT(pair.side(1).poll_events(), Contains(AsyncEventType::kQpReqErr));
  }
}

TEST(IwarpTerminate, AMissingReceiveRequestIfTheOptionsSaySo) {
  StreamPairOptions options = plain();
  options.ends[1].missing_receive = transport::MissingReceive::kTerminate;
  StreamPair pair(options);
  const verbs::Sge element = pair.side(0).sge(0, 10);
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend)));
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend, 2)));
  expect_terminated(pair, terminate::kNoBuffer);
  expect_status(pair, WcStatus::kRnrRetryExcErr);
}

TEST(IwarpTerminate, AReceiveRequestWhoseMemoryWasClosed) {
  StreamPair pair(plain());
  ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
  ASSERT_TRUE(pair.side(1).context.dereg_mr(pair.side(1).key));
  const verbs::Sge element = pair.side(0).sge(0, 10);
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend)));
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend, 2)));
  expect_terminated(pair, terminate::kLocalCatastrophic);
  expect_status(pair, WcStatus::kRemOpErr);
  EXPECT_EQ(pair.side(1).poll_recv().at(0).status, WcStatus::kLocProtErr);
}

verbs::SendWr invalidating(const verbs::Sge& element, std::uint32_t key) {
  verbs::SendWr wr = request(element, WrOpcode::kSendWithInv);
  wr.invalidate_rkey = key;
  return wr;
}

TEST(IwarpTerminate, AKeyThatMayNotBeInvalidated) {
  StreamPair trial(plain());
  const std::uint32_t unknown = trial.side(1).key + 1;
  const struct {
    bool other_domain;
    std::uint32_t key;  // 0 = the region's own
    wire::TerminateCode code;
  } cases[] = {{false, 0, terminate::kCannotInvalidate},
               {false, unknown, terminate::kInvalidStag},
               {true, 0, terminate::kStagNotAssociated}};
  for (const auto& item : cases) {
    StreamPair pair(plain());
    StreamSide& target = pair.side(1);
    std::uint32_t key = item.key == 0 ? target.key : item.key;
    if (item.other_domain) {
      key = *target.context.reg_mr({.pd = *target.context.alloc_pd(), .length = 64, .invalidatable = true});
    }
    ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
    const verbs::Sge element = pair.side(0).sge(0, 10);
    ASSERT_TRUE(pair.post_send(0, invalidating(element, key)));
    expect_terminated(pair, item.code);
    EXPECT_EQ(target.poll_recv().at(0).status,
              item.code == terminate::kMessageTooLong ? WcStatus::kLocLenErr : WcStatus::kRemInvReqErr);
  }
}

TEST(Iwarp, SendWithInvalidateClosesTheRegionOfThePeer) {
  StreamPair pair(plain());
  StreamSide& target = pair.side(1);
  const std::uint32_t key = *target.context.reg_mr({.pd = target.pd, .length = 64, .invalidatable = true});
  ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
  const verbs::Sge element = pair.side(0).sge(0, 10);
  ASSERT_TRUE(pair.post_send(0, invalidating(element, key)));
  ASSERT_TRUE(pair.run());
  const auto received = target.poll_recv();
  ASSERT_THAT(received, SizeIs(1));
  EXPECT_EQ(received[0].status, WcStatus::kSuccess);
  EXPECT_EQ(received[0].invalidated_rkey, key);
  EXPECT_EQ(target.context.memory().find(key), nullptr);
}

/// More READs than the responder admits: its answers wait for room, and the second request finds the queue full.
TEST(IwarpTerminate, MoreReadsThanTheInboundQueueHolds) {
  for (const bool bytes : {true, false}) {
    StreamPairOptions options = plain();
    options.carries_bytes = bytes;
    options.max_rd_atomic = 4;
    options.max_dest_rd_atomic = 1;
    options.ends[1].send_buffer = Bytes(1);
    StreamPair pair(options);
    const verbs::Sge element = pair.side(0).sge(0, 50'000);
    verbs::SendWr wr = request(element, WrOpcode::kRdmaRead);
    wr.rdma = {StreamSide::kBase, pair.side(1).key};
    ASSERT_TRUE(pair.post_send(0, wr));
    wr.wr_id = 2;
    ASSERT_TRUE(pair.post_send(0, wr));
    expect_terminated(pair, terminate::kNoBuffer);
  }
}

/// Changes the first FPDU that end 0 sends, whose header begins 2 bytes behind its start.
struct Change {
  const char* name;
  WrOpcode opcode;
  std::size_t at;  // in the FPDU
  std::byte value;
  wire::TerminateCode code;
};

const Change kChanges[] = {
    {"DDP version 0, tagged", WrOpcode::kRdmaWrite, 2, std::byte{0xC0}, terminate::kTaggedVersion},
    {"DDP version 2, untagged", WrOpcode::kSend, 2, std::byte{0x42}, terminate::kUntaggedVersion},
    {"RDMAP version 0", WrOpcode::kSend, 3, std::byte{0x03}, terminate::kRdmapVersion},
    {"reserved opcode", WrOpcode::kSend, 3, std::byte{0x4F}, terminate::kUnexpectedOpcode},
    {"tagged opcode in an untagged segment", WrOpcode::kSend, 3, std::byte{0x40}, terminate::kUnexpectedOpcode},
    {"READ request in the queue of SEND", WrOpcode::kSend, 3, std::byte{0x41}, terminate::kUnexpectedOpcode},
    {"atomic request", WrOpcode::kRdmaRead, 3, std::byte{0x4A}, terminate::kUnexpectedOpcode},
    {"queue 3", WrOpcode::kSend, 11, std::byte{3}, terminate::kInvalidQueue},
    {"message number 2", WrOpcode::kSend, 15, std::byte{2}, terminate::kMessageNumberRange},
    {"READ number 0", WrOpcode::kRdmaRead, 15, std::byte{0}, terminate::kMessageNumberRange},
    {"message offset 1", WrOpcode::kSend, 19, std::byte{1}, terminate::kInvalidMessageOffset},
    {"READ response that nobody asked for", WrOpcode::kRdmaWrite, 3, std::byte{0x42}, terminate::kTaggedInvalidStag},
};

//= rfc5041 7
//= rfc5040 7
TEST(IwarpTerminate, HeadersThatTheProtocolForbids) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    StreamPairOptions options = plain();
    options.ends[0].crc = options.ends[1].crc = false;
    StreamPair pair(options);
    ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
    bool changed = false;
    pair.set_tamper([&](int from, std::span<std::byte> payload) {
      if (from == 0 && !changed) {
        payload[change.at] = change.value;
        changed = true;
      }
    });
    const verbs::Sge element = pair.side(0).sge(0, 100);
    verbs::SendWr wr = request(element, change.opcode);
    wr.rdma = {StreamSide::kBase, pair.side(1).key};
    ASSERT_TRUE(pair.post_send(0, wr));
    expect_terminated(pair, change.code);
    EXPECT_EQ(pair.side(1).qp->counters().terminates_sent, 1U);
    EXPECT_EQ(pair.side(0).qp->counters().terminates_received, 1U);
  }
}

void damage_one(bool markers, std::size_t at, wire::TerminateCode code) {
  StreamPairOptions options = plain();
  options.ends[0].markers = options.ends[1].markers = markers;
  StreamPair pair(options);
  ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
  pair.set_tamper([&](int from, std::span<std::byte> payload) {
    if (from == 0) {
      payload[at] ^= std::byte{0x10};
    }
  });
  const verbs::Sge element = pair.side(0).sge(0, 1000);
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend)));
  expect_terminated(pair, code);
  EXPECT_EQ(pair.side(1).poll_recv().at(0).status, WcStatus::kWrFlushErr);
}

//= rfc5044 8
TEST(IwarpTerminate, BytesThatTheCrcDoesNotFit) { damage_one(false, 500, terminate::kCrc); }
TEST(IwarpTerminate, AMarkerThatDoesNotPointToTheLength) { damage_one(true, 515, terminate::kMarker); }

TEST(IwarpTerminate, ASegmentTooShortForItsHeader) {
  StreamPairOptions options = plain();
  options.ends[0].crc = options.ends[1].crc = false;
  StreamPair pair(options);
  ASSERT_TRUE(pair.post_recv(1, 5, 0, 3000));
  pair.set_tamper([&](int from, std::span<std::byte> payload) {
    if (from == 0) {
      wire::store_be16(payload, 0, 5);
    }
  });
  const verbs::Sge element = pair.side(0).sge(0, 100);
  ASSERT_TRUE(pair.post_send(0, request(element, WrOpcode::kSend)));
  expect_terminated(pair, terminate::kDdpCatastrophic);
}

TEST(IwarpTerminate, StaysWhenItsSegmentIsLost) {
  StreamPair pair(plain());
  int from_target = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    return from == 1 && packet.common.payload_bytes != 0 && ++from_target <= 3;
  });
  const verbs::Sge element = pair.side(0).sge(0, 100);
  verbs::SendWr wr = request(element, WrOpcode::kRdmaRead);
  wr.rdma = {StreamSide::kBase, pair.side(1).key + 1};
  ASSERT_TRUE(pair.post_send(0, wr));
  expect_terminated(pair, terminate::kInvalidStag);
  EXPECT_EQ(from_target, 4);
  EXPECT_EQ(pair.side(0).poll_send().at(0).status, WcStatus::kRemAccessErr);
}

}  // namespace
}  // namespace weft::testing
