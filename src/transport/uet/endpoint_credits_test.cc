#include "transport/uet/endpoint_credits.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::transport {
namespace {

using namespace literals;

constexpr UetCredits kPolicy{
    .receiver = {.line = 100_gbps, .payload = 4'096_bytes, .window = 65'536_bytes},
    .sender = {.packet = 4'160_bytes, .window = 65'536_bytes, .round_trip = 10_us},
};

struct Arrival {
  wire::Packet packet{};
  wire::ColdPacket cold{};
  [[nodiscard]] ReceivedPacket received() const { return {packet, cold, {}}; }
};

Arrival request(std::uint32_t target) {
  Arrival made;
  made.packet.uet = wire::UetHeader{};
  made.packet.uet.type = wire::UetType::kRudCcRequest;
  made.packet.common.kind = wire::PacketKind::kUet;
  made.packet.common.flags = wire::kHasCold;
  made.cold.uet = wire::UetExtension{};
  made.cold.uet.credit_target = target;
  return made;
}

Arrival credit_request(std::uint32_t target) {
  Arrival made;
  made.packet.uet = wire::UetHeader{};
  made.packet.uet.type = wire::UetType::kControl;
  made.packet.uet.notice = {.payload = target, .code = static_cast<std::uint8_t>(wire::UetControl::kCreditRequest)};
  return made;
}

TEST(EndpointCredits, ContextsThatAskShareOneLineInTurn) {
  EndpointCredits credits(kPolicy, 1);
  Time now = Time::zero() + 1_us;
  credits.on_packet(7, request(640).received(), now);
  credits.on_packet(3, request(640).received(), now);
  std::map<std::uint16_t, std::uint32_t> granted;
  const Time start = now;
  for (int i = 0; i < 10; ++i) {
    now = later(now, credits.next_grant());
    const std::optional<EndpointCredits::Grant> grant = credits.poll(now);
    ASSERT_TRUE(grant.has_value());
    granted[grant->place] = grant->total.value();
  }
  EXPECT_EQ(granted, (std::map<std::uint16_t, std::uint32_t>{{3, 320}, {7, 320}}));
  // Nine pauses of 64 quanta at 0.99 of the line.
  const Duration whole = (100_gbps).transmit_time(9 * 64 * 256_bytes);
  EXPECT_GE((now - start) * 99, whole * 100);
  EXPECT_LE((now - start) * 98, whole * 100);
}

TEST(EndpointCredits, NothingIsGrantedToThoseThatDoNotAsk) {
  EndpointCredits credits(kPolicy, 1);
  Arrival plain = request(10);
  plain.packet.uet.type = wire::UetType::kRudRequest;
  credits.on_packet(1, plain.received(), Time::zero());
  EXPECT_TRUE(credits.next_grant().is_never());
}

TEST(EndpointCredits, ATrimmedPacketGetsASignEvenWithNothingToGrant) {
  EndpointCredits credits(kPolicy, 1);
  Arrival trimmed = request(0);
  credits.on_packet(1, trimmed.received(), Time::zero());
  EXPECT_TRUE(credits.next_grant().is_never());
  trimmed.packet.common.flags |= wire::kTrimmed;
  credits.on_packet(1, trimmed.received(), Time::zero());
  const auto grant = credits.poll(Time::zero());
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->total, CreditTotal(0));
}

TEST(EndpointCredits, ACreditRequestTellsTheTargetAndGetsASign) {
  EndpointCredits credits(kPolicy, 1);
  credits.on_packet(5, credit_request(17).received(), Time::zero());
  const auto grant = credits.poll(Time::zero());
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->place, 5U);
  EXPECT_EQ(grant->total, CreditTotal(17));
}

TEST(EndpointCredits, AForgottenContextGetsNothingAndItsPlaceBeginsAnew) {
  EndpointCredits credits(kPolicy, 1);
  credits.on_packet(2, request(1'000).received(), Time::zero());
  ASSERT_TRUE(credits.poll(Time::zero()).has_value());
  credits.forget(2);
  EXPECT_TRUE(credits.next_grant().is_never());
  credits.on_packet(2, request(5).received(), Time::zero() + 1_ms);
  const auto grant = credits.poll(Time::zero() + 1_ms);
  ASSERT_TRUE(grant.has_value());
  EXPECT_EQ(grant->total, CreditTotal(5));
}

TEST(EndpointCredits, SendersThatCouldSendAreCountedOnceEach) {
  EndpointCredits credits(kPolicy, 1);
  EXPECT_EQ(credits.ready_senders(), 1U);
  credits.note_ready(1, true);
  credits.note_ready(1, true);
  credits.note_ready(9, true);
  EXPECT_EQ(credits.ready_senders(), 2U);
  credits.forget(9);
  credits.note_ready(1, false);
  EXPECT_EQ(credits.ready_senders(), 1U);
}

TEST(EndpointCredits, MarksOfTheCoreLowerTheRateOfCreditThoseOfTheLastHopDoNot) {
  UetCredits policy = kPolicy;
  policy.core = CreditRate::Parameters{.round_trip = 10_us};
  EndpointCredits follows(policy, 1);
  EndpointCredits ignores(kPolicy, 1);
  Arrival marked = request(1U << 20);
  marked.packet.common.ecn = wire::Ecn::kCe;
  Time now = Time::zero();
  for (int i = 0; i < 200; ++i) {
    now += 1_us;
    follows.on_packet(1, marked.received(), now);
    ignores.on_packet(1, marked.received(), now);
  }
  const auto pause_of = [now](EndpointCredits& credits) {
    EXPECT_TRUE(credits.poll(now).has_value());
    return credits.next_grant() - now;
  };
  EXPECT_GT(pause_of(follows), pause_of(ignores) * 2);
}

}  // namespace
}  // namespace weft::transport
