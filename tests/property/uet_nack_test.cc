// Each code of a NACK that is not about a packet's loss alone: who sends it when, and what its receiver makes of it.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/rc_traffic.h"
#include "tests/property/uet_pair.h"
#include "transport/congestion/fixed_window.h"

namespace weft::testing {
namespace {

using namespace literals;
using verbs::WcStatus;
using wire::UetNack;

constexpr std::uint32_t kLength = 8'192;  // eight packets
constexpr std::uint32_t kTarget = 65'536;

std::uint64_t sent(UetPair& pair, int side, UetNack code) {
  return pair.counters(side).nacks_sent[static_cast<std::size_t>(code)];
}
std::uint64_t received(UetPair& pair, int side, UetNack code) {
  return pair.counters(side).nacks_received[static_cast<std::size_t>(code)];
}

void post(UetPair& pair, int side, verbs::WrOpcode opcode, std::uint32_t length = kLength) {
  const verbs::Sge element = pair.sge(side, 0, length);
  verbs::SendWr wr{.wr_id = 1, .sg_list = {&element, 1}, .opcode = opcode};
  wr.send_flags = verbs::kSendSignaled;
  wr.rdma = {TrafficEnds::kBase + kTarget, pair.key(1 - side)};
  ASSERT_TRUE(pair.post_send(side, wr).has_value());
}

WcStatus status_of_only(UetPair& pair, int side) {
  const auto completions = pair.poll_send(side);
  EXPECT_EQ(completions.size(), 1U);
  return completions.empty() ? WcStatus::kGeneralErr : completions[0].status;
}

bool is_read(const wire::Packet& packet) {
  return packet.uet.type == wire::UetType::kRudRequest &&
         packet.uet.next_header() == wire::UetNextHeader::kRequestStandard &&
         packet.uet.operation() == wire::UetOperation::kRead;
}
bool is_answer(const wire::Packet& packet) {
  return packet.uet.type == wire::UetType::kRudRequest &&
         packet.uet.next_header() == wire::UetNextHeader::kResponseData;
}
bool is_data(const wire::Packet& packet) {
  return packet.uet.type == wire::UetType::kRudRequest && packet.common.payload_bytes > 0;
}

/// What side 1 would send about a packet of side 0: a NACK with that code.
CarriedPacket nack_about(const wire::Packet& packet, UetNack code) {
  CarriedPacket made;
  made.packet.common = packet.common;
  made.packet.common.source = EndpointId(1);
  made.packet.common.destination = EndpointId(0);
  made.packet.common.payload_bytes = 0;
  made.packet.uet = wire::UetHeader{};
  made.packet.uet.type = wire::UetType::kNack;
  made.packet.uet.psn = packet.uet.psn;
  made.packet.uet.source_pdc = 1;
  made.packet.uet.destination_pdc = packet.uet.source_pdc;
  made.packet.uet.notice = {.payload = 0, .code = static_cast<std::uint8_t>(code)};
  made.cold = {};
  return made;
}

/// As if side 0 asked what has become of that packet.
CarriedPacket ack_request(const wire::Packet& packet, std::uint32_t psn) {
  CarriedPacket made;
  made.packet.common = packet.common;
  made.packet.common.payload_bytes = 0;
  made.packet.common.flags = wire::kControl;
  made.packet.uet = wire::UetHeader{};
  made.packet.uet.type = wire::UetType::kControl;
  made.packet.uet.psn = psn;
  made.packet.uet.source_pdc = packet.uet.source_pdc;
  made.packet.uet.destination_pdc = 1;
  made.packet.uet.notice = {.payload = 0, .code = static_cast<std::uint8_t>(wire::UetControl::kAckRequest)};
  made.cold = {};
  return made;
}

/// Side 1 has room for one context, which is its own and idle: side 0 is refused, and comes in after it is closed.
void refused_for_want_of(UetNack code, const transport::UetOptions& scarce) {
  UetPairOptions options;
  options.other_uet = scarce;
  options.policies.congestion_control = [] { return std::make_unique<transport::FixedWindow>(Bytes(65'536)); };
  UetPair pair(options);
  post(pair, 1, verbs::WrOpcode::kRdmaWrite);
  pair.run_until(pair.now() + 50_us);
  ASSERT_EQ(status_of_only(pair, 1), WcStatus::kSuccess);
  post(pair, 0, verbs::WrOpcode::kRdmaWrite);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(status_of_only(pair, 0), WcStatus::kSuccess);
  EXPECT_GE(sent(pair, 1, code), 1U);
  EXPECT_EQ(received(pair, 0, code), sent(pair, 1, code));
  EXPECT_EQ(pair.live_contexts(), 0U);
}

//= uet-1.0 3.5
TEST(UetNack, NoCongestionContextIsTriedAgain) { refused_for_want_of(UetNack::kNoCcc, {.max_congestion_contexts = 1}); }
//= uet-1.0 3.5
TEST(UetNack, NoBitmapIsTriedAgain) { refused_for_want_of(UetNack::kNoBitmap, {.max_tracked_psns = 4'000}); }
//= uet-1.0 3.5
TEST(UetNack, NoContextIsTriedAgain) { refused_for_want_of(UetNack::kNoPdc, {.max_pdcs = 1}); }

//= uet-1.0 3.5
TEST(UetNack, TrimmedAnswersHaveACodeOfTheirOwn) {
  UetPair pair({.uet = {.loss_by_count = false, .trimming = true}});
  int left = 2;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 1 && is_answer(packet) && left > 0) {
      EXPECT_TRUE(packet.has(wire::kTrimmable));
      packet.common.flags |= wire::kTrimmed;
      if (left-- == 1)
        packet.common.flags |= wire::kTrimmedLastHop;
      packet.common.payload_bytes = 0;
    }
    return false;
  });
  std::memset(pair.memory(1).data() + kTarget, 0x5A, kLength);
  post(pair, 0, verbs::WrOpcode::kRdmaRead);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(status_of_only(pair, 0), WcStatus::kSuccess);
  EXPECT_EQ(std::memcmp(pair.memory(0).data(), pair.memory(1).data() + kTarget, kLength), 0);
  EXPECT_EQ(sent(pair, 0, UetNack::kTrimmedAck), 2U);
  EXPECT_EQ(sent(pair, 0, UetNack::kTrimmed) + sent(pair, 0, UetNack::kTrimmedLastHop), 0U);
  EXPECT_EQ(pair.counters(1).retransmissions, 2U);
  EXPECT_EQ(pair.counters(1).timeouts, 0U);
}

//= uet-1.0 3.5
TEST(UetNack, AContextThatIsClosingTakesNothingNew) {
  UetPair pair({.uet = {.idle_close = 20_us, .timeout = 1_ms}});
  wire::Packet request;
  bool closing = false;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && is_data(packet))
      request = packet;
    const bool close = from == 0 && packet.uet.type == wire::UetType::kControl &&
                       packet.uet.notice.code == static_cast<std::uint8_t>(wire::UetControl::kClose);
    if (!close || closing)
      return false;
    return closing = true;  // the first CLOSE is lost
  });
  post(pair, 0, verbs::WrOpcode::kRdmaWrite, 1'000);
  while (!closing)
    pair.run_until(pair.now() + 1_us);
  // The target's first packet in the return direction, whose PSN is the one that the context began with.
  wire::Packet back = request;
  back.common.source = EndpointId(1);
  back.common.destination = EndpointId(0);
  back.uet.flags = 0;
  back.uet.source_pdc = 1;
  back.uet.destination_pdc = request.uet.source_pdc;
  pair.inject(0, {.packet = back, .cold = {}, .payload = std::vector<std::byte>(1'000)});
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(sent(pair, 0, UetNack::kClosing), 1U);
  EXPECT_EQ(pair.live_contexts(), 0U);
  EXPECT_EQ(pair.counters(0).failed + pair.counters(1).failed, 0U);
}

/// The first data packet is lost, and side 1 sends a NACK about it in place of anything else.
struct Answered {
  explicit Answered(UetNack code, std::uint32_t length = 1'000) : pair({}) {
    bool done = false;
    pair.set_filter([this, code, done](int from, wire::Packet& packet) mutable {
      if (from != 0 || !is_data(packet) || done)
        return false;
      done = true;
      first = packet;
      pair.inject(0, nack_about(packet, code));
      return true;
    });
    post(pair, 0, verbs::WrOpcode::kRdmaWrite, length);
  }
  UetPair pair;
  wire::Packet first;
};

//= uet-1.0 3.5
TEST(UetNack, RefusalsForNowAreTriedAgainAfterATime) {
  for (const UetNack code :
       {UetNack::kNoPdc, UetNack::kNoCcc, UetNack::kNoBitmap, UetNack::kNoPacketBuffer, UetNack::kNoGuaranteedDelivery,
        UetNack::kPsnOutsideWindow, UetNack::kClosing, UetNack::kNoSesMessage, UetNack::kReceivedSesProcessing}) {
    Answered answered(code);
    answered.pair.run_until(Time::zero() + 200_us);
    EXPECT_TRUE(answered.pair.poll_send(0).empty()) << static_cast<int>(code);
    ASSERT_TRUE(answered.pair.run());
    EXPECT_EQ(status_of_only(answered.pair, 0), WcStatus::kSuccess) << static_cast<int>(code);
    EXPECT_EQ(answered.pair.counters(0).retransmissions, 1U) << static_cast<int>(code);
  }
}

//= uet-1.0 3.5
TEST(UetNack, WhatIsToldToBeLostIsSentAgainAtOnce) {
  for (const UetNack code : {UetNack::kTrimmed, UetNack::kTrimmedLastHop, UetNack::kTrimmedAck,
                             UetNack::kPacketNotReceived, UetNack::kReceiverInferredLoss, UetNack::kAckWithData}) {
    Answered answered(code);
    answered.pair.run_until(Time::zero() + 50_us);
    EXPECT_EQ(status_of_only(answered.pair, 0), WcStatus::kSuccess) << static_cast<int>(code);
    EXPECT_EQ(answered.pair.counters(0).retransmissions, 1U) << static_cast<int>(code);
    EXPECT_EQ(answered.pair.counters(0).timeouts, 0U) << static_cast<int>(code);
  }
}

//= uet-1.0 3.5
TEST(UetNack, WhatEndsAContextFailsItsMessages) {
  for (const UetNack code : {UetNack::kInvalidDestinationPdc, UetNack::kPdcHeaderMismatch, UetNack::kClosingInError,
                             UetNack::kGuaranteedResponseUnavailable, UetNack::kInvalidSyn, UetNack::kPdcModeMismatch,
                             UetNack::kUnexpectedEvent}) {
    Answered answered(code);
    ASSERT_TRUE(answered.pair.run());
    EXPECT_EQ(status_of_only(answered.pair, 0), WcStatus::kRetryExcErr) << static_cast<int>(code);
    EXPECT_EQ(answered.pair.counters(0).failed, 1U) << static_cast<int>(code);
    EXPECT_EQ(answered.pair.live_contexts(), 0U) << static_cast<int>(code);
  }
}

//= uet-1.0 3.5
TEST(UetNack, AnInitiatorWhoseClosingIsNotAnsweredEndsTheContextInError) {
  UetPair pair({.uet = {.idle_close = 20_us, .max_retries = 3}});
  pair.set_filter(
      [](int from, wire::Packet& packet) { return from == 0 && packet.uet.type == wire::UetType::kControl; });
  post(pair, 0, verbs::WrOpcode::kRdmaWrite);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(status_of_only(pair, 0), WcStatus::kSuccess);
  EXPECT_EQ(sent(pair, 0, UetNack::kClosingInError), 1U);
  EXPECT_EQ(received(pair, 1, UetNack::kClosingInError), 1U);
  EXPECT_EQ(pair.counters(1).failed, 1U);
  EXPECT_EQ(pair.live_contexts(), 0U);
}

// The memory of the only request goes before a packet has left: there is no target that could be told of the closing.
TEST(UetNack, AContextWhoseOnlyRequestFailsBeforeItLeavesIsFreed) {
  UetPair pair({.uet = {.idle_close = 20_us}});
  post(pair, 0, verbs::WrOpcode::kRdmaWrite);
  ASSERT_TRUE(pair.side(0).device.dereg_mr(pair.side(0).key));
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(status_of_only(pair, 0), WcStatus::kLocProtErr);
  EXPECT_EQ(pair.packets_sent(), 0U);
  EXPECT_EQ(pair.live_contexts(), 0U);
}

//= uet-1.0 3.5
TEST(UetNack, AReceiverInfersALossFromThoseThatOvertakeIt) {
  UetPair pair({.uet = {.loss_by_count = false, .infer_loss_after = 3}});
  int count = 0;
  pair.set_filter([&](int from, wire::Packet& packet) { return from == 0 && is_data(packet) && ++count == 2; });
  post(pair, 0, verbs::WrOpcode::kRdmaWrite, 20 * 1'024);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(status_of_only(pair, 0), WcStatus::kSuccess);
  EXPECT_EQ(sent(pair, 1, UetNack::kReceiverInferredLoss), 1U);
  EXPECT_EQ(pair.counters(0).retransmissions, 1U);
  EXPECT_EQ(pair.counters(0).timeouts, 0U);
}

/// A READ whose answers are lost for as long as `hold` is set.
struct HeldRead {
  explicit HeldRead(const transport::UetOptions& uet = {}) : pair({.uet = uet}) {
    pair.set_filter([this](int from, wire::Packet& packet) {
      if (from == 0 && is_read(packet))
        request = packet;
      return from == 1 && hold && is_answer(packet);
    });
    post(pair, 0, verbs::WrOpcode::kRdmaRead);
    pair.run_until(pair.now() + 20_us);
  }
  UetPair pair;
  wire::Packet request;
  bool hold = true;
};

//= uet-1.0 3.5
TEST(UetNack, AnAckRequestForWhatHasNotComeIsRefused) {
  HeldRead read;
  read.pair.inject(1, ack_request(read.request, read.request.uet.psn + 1));
  read.pair.run_until(read.pair.now() + 5_us);
  EXPECT_EQ(sent(read.pair, 1, UetNack::kPacketNotReceived), 1U);
  read.hold = false;
  ASSERT_TRUE(read.pair.run());
  EXPECT_EQ(status_of_only(read.pair, 0), WcStatus::kSuccess);
}

//= uet-1.0 3.5
TEST(UetNack, AnAckRequestForAReadUnderWayIsAnsweredByItsData) {
  HeldRead read;
  read.pair.inject(1, ack_request(read.request, read.request.uet.psn));
  read.pair.run_until(read.pair.now() + 5_us);
  EXPECT_EQ(sent(read.pair, 1, UetNack::kAckWithData), 1U);
  read.hold = false;
  ASSERT_TRUE(read.pair.run());
  EXPECT_EQ(status_of_only(read.pair, 0), WcStatus::kSuccess);
  // Answered: nothing but an acknowledgement is left to say.
  EXPECT_EQ(sent(read.pair, 1, UetNack::kAckWithData), 1U);
}

//= uet-1.0 3.5
TEST(UetNack, ARequesterAsksForAnAnswerThatIsLate) {
  HeldRead read({.max_timeout = 1_ms});
  read.pair.run_until(read.pair.now() + 3_ms);
  EXPECT_GE(received(read.pair, 0, UetNack::kAckWithData), 1U);
  EXPECT_EQ(read.pair.counters(0).failed, 0U);
  read.hold = false;
  ASSERT_TRUE(read.pair.run());
  EXPECT_EQ(status_of_only(read.pair, 0), WcStatus::kSuccess);
}

//= uet-1.0 3.5
TEST(UetNack, AnAnswerThatNobodyCanGiveAnyMoreFailsTheReadAndHangsNothing) {
  HeldRead read;
  ASSERT_TRUE(read.pair.side(1).device.destroy_qp(read.pair.side(1).qpn).has_value());
  read.hold = false;
  ASSERT_TRUE(read.pair.run());
  EXPECT_EQ(status_of_only(read.pair, 0), WcStatus::kRetryExcErr);
  EXPECT_GE(sent(read.pair, 1, UetNack::kGuaranteedResponseUnavailable), 1U);
  EXPECT_EQ(read.pair.live_contexts(), 0U);
}

//= uet-1.0 3.5
TEST(UetNack, AnAckRequestForAReadThatWaitsForItsTurnSaysSo) {
  UetPair pair({});
  wire::Packet request;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && is_read(packet))
      request = packet;
    return false;
  });
  post(pair, 0, verbs::WrOpcode::kSend, 100);  // there is no receive request for it yet
  post(pair, 0, verbs::WrOpcode::kRdmaRead);
  pair.run_until(pair.now() + 8_us);
  ASSERT_NE(request.uet.source_pdc, 0);
  pair.inject(1, ack_request(request, request.uet.psn));
  pair.run_until(pair.now() + 5_us);
  EXPECT_EQ(sent(pair, 1, UetNack::kReceivedSesProcessing), 1U);
  const verbs::Sge room = pair.sge(1, 0, 4'096);
  ASSERT_TRUE(pair.post_recv(1, {.wr_id = 9, .sg_list = {&room, 1}}).has_value());
  ASSERT_TRUE(pair.run());
  const auto completions = pair.poll_send(0);
  ASSERT_EQ(completions.size(), 2U);
  EXPECT_EQ(completions[1].status, WcStatus::kSuccess);
}

}  // namespace
}  // namespace weft::testing
