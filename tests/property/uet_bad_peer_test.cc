// What a peer may send that no peer should: each is answered as the specification asks for, or comes to nothing, and
// never leads to a delivery that was not meant.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"
#include "tests/property/uet_forge.h"
#include "tests/property/uet_pair.h"

namespace weft::testing {
namespace {

using namespace literals;
using verbs::WcStatus;
using wire::UetNack;

constexpr std::uint32_t kLength = 4'000;  // four packets
constexpr std::uint32_t kTarget = 65'536;

std::uint64_t nacks(UetPair& pair, int side, UetNack code) {
  return pair.counters(side).nacks_sent[static_cast<std::size_t>(code)];
}

void post_write(UetPair& pair, std::uint32_t key, std::uint64_t address = TrafficEnds::kBase + kTarget,
                std::uint32_t length = kLength) {
  const verbs::Sge element = pair.sge(0, 0, length);
  verbs::SendWr write{.wr_id = 1, .sg_list = {&element, 1}, .opcode = verbs::WrOpcode::kRdmaWrite};
  write.send_flags = verbs::kSendSignaled;
  write.rdma = {address, key};
  ASSERT_TRUE(pair.post_send(0, write).has_value());
}

bool arrived(UetPair& pair, std::uint32_t length = kLength) {
  return std::memcmp(pair.memory(0).data(), pair.memory(1).data() + kTarget, length) == 0;
}

void fill_source(UetPair& pair, std::uint8_t seed) {
  for (std::uint32_t i = 0; i < kLength; ++i)
    pair.memory(0)[i] = static_cast<std::byte>(seed + i * 7);
}

/// A WRITE of four packets is done, and the context is open still. The data packet that was sent last is kept.
struct OpenContext {
  OpenContext() : pair(options()) {
    fill_source(pair, 1);
    pair.set_filter([this](int from, wire::Packet& packet) {
      if (from == 0 && packet.common.payload_bytes > 0)
        data = packet;
      return false;
    });
    post_write(pair, pair.key(1));
    pair.run_until(pair.now() + 50_us);
  }
  static UetPairOptions options() {
    UetPairOptions made;
    made.uet.idle_close = 10_ms;
    return made;
  }
  /// As if the initiator had sent it.
  void inject(const wire::Packet& packet) { pair.inject(1, {.packet = packet, .cold = {}, .payload = {}}); }
  UetPair pair;
  wire::Packet data;
};

TEST(UetBadPeer, AnAcknowledgementOfWhatWasNeverSentIsThrownAway) {
  UetPair pair({.uet = {.idle_close = 10_ms}});
  fill_source(pair, 1);
  wire::Packet ack;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 1 && packet.uet.type == wire::UetType::kAckCc)
      ack = packet;
    return from == 0 && ack.uet.type == wire::UetType::kAckCc;  // after the first WRITE nothing gets through
  });
  post_write(pair, pair.key(1));
  pair.run_until(pair.now() + 50_us);
  ASSERT_EQ(pair.poll_send(0).size(), 1U);
  post_write(pair, pair.key(1));
  pair.run_until(pair.now() + 5_us);
  const std::uint64_t before = pair.counters(0).discarded;
  for (const std::uint32_t ahead : {100U, 1'000'000U, 0x7FFF'FFFFU, 0x8000'0000U}) {
    wire::Packet forged = ack;
    forged.uet.psn += ahead;
    pair.inject(0, {.packet = forged, .cold = {}, .payload = {}});
  }
  wire::Packet bitmap = ack;
  bitmap.uet.ack.sack_bitmap = ~std::uint64_t{0};
  bitmap.uet.sack_offset = 32'000;
  pair.inject(0, {.packet = bitmap, .cold = {}, .payload = {}});
  EXPECT_EQ(pair.counters(0).discarded, before + 5);
  EXPECT_TRUE(pair.poll_send(0).empty());
}

//= uet-1.0 3.5
TEST(UetBadPeer, ASynWhoseOffsetIsImpossibleIsRefused) {
  OpenContext open;
  wire::Packet syn = open.data;
  syn.uet.flags |= wire::kUetSyn;
  syn.uet.psn_offset = -1;
  open.inject(syn);
  syn.uet.psn_offset = 4'096;
  open.inject(syn);
  open.pair.run_until(open.pair.now() + 10_us);
  EXPECT_EQ(nacks(open.pair, 1, UetNack::kInvalidSyn), 2U);
}

//= uet-1.0 3.5
TEST(UetBadPeer, APacketForNoContextIsRefusedAndAnAnswerForNoneIsNot) {
  OpenContext open;
  const std::uint64_t sent = open.pair.packets_sent();
  wire::Packet stray = open.data;
  stray.uet.flags = 0;
  stray.uet.destination_pdc = 77;
  open.inject(stray);
  open.pair.run_until(open.pair.now() + 10_us);
  EXPECT_EQ(nacks(open.pair, 1, UetNack::kInvalidDestinationPdc), 1U);
  EXPECT_EQ(open.pair.packets_sent(), sent + 1);
  for (const wire::UetType type : {wire::UetType::kAckCc, wire::UetType::kNack}) {
    stray.uet.type = type;
    open.inject(stray);
  }
  open.pair.run_until(open.pair.now() + 10_us);
  EXPECT_EQ(open.pair.packets_sent(), sent + 1);
}

//= uet-1.0 3.5
TEST(UetBadPeer, APacketWithAnothersNumbersIsRefused) {
  OpenContext open;
  wire::Packet packet = open.data;
  packet.uet.flags = 0;
  packet.uet.destination_pdc = 1;
  packet.uet.source_pdc = 9;
  open.inject(packet);
  packet.uet.source_pdc = open.data.uet.source_pdc;
  packet.common.source = EndpointId(5);
  open.inject(packet);
  EXPECT_TRUE(arrived(open.pair));
  open.pair.run_until(open.pair.now() + 1_us);
  EXPECT_GE(nacks(open.pair, 1, UetNack::kPdcHeaderMismatch), 1U);
}

//= uet-1.0 3.5
TEST(UetBadPeer, APsnBeyondTheWindowIsRefusedAndAnOldOneIsADuplicate) {
  OpenContext open;
  wire::Packet packet = open.data;
  packet.uet.flags = 0;
  packet.uet.destination_pdc = 1;
  packet.uet.psn += 2'049;
  open.inject(packet);
  packet.uet.psn = open.data.uet.psn - 1;
  open.inject(packet);
  open.pair.run_until(open.pair.now() + 10_us);
  EXPECT_EQ(nacks(open.pair, 1, UetNack::kPsnOutsideWindow), 1U);
  EXPECT_EQ(open.pair.counters(1).duplicates, 1U);
}

//= uet-1.0 3.5
TEST(UetBadPeer, APacketOfTheOtherModeIsRefused) {
  OpenContext open;
  wire::Packet packet = open.data;
  packet.uet.flags = 0;
  packet.uet.destination_pdc = 1;
  packet.uet.psn += 1;
  packet.uet.type = wire::UetType::kRodRequest;
  open.inject(packet);
  open.pair.run_until(open.pair.now() + 10_us);
  EXPECT_EQ(nacks(open.pair, 1, UetNack::kPdcModeMismatch), 1U);
}

TEST(UetBadPeer, AWriteWithAWrongKeyOrRangeFailsAtItsSenderAndWritesNothing) {
  UetPair forged({});
  fill_source(forged, 9);
  post_write(forged, forged.key(1) ^ 0x5555U);
  ASSERT_TRUE(forged.run());
  const auto completions = forged.poll_send(0);
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].status, WcStatus::kRemAccessErr);
  UetPair beyond({});
  post_write(beyond, beyond.key(1), TrafficEnds::kBase + (1 << 20) - 2'000);
  ASSERT_TRUE(beyond.run());
  EXPECT_EQ(beyond.poll_send(0).at(0).status, WcStatus::kRemAccessErr);
  EXPECT_TRUE(beyond.side(1).guards_intact());
  EXPECT_EQ(beyond.live_contexts(), 0U);
}

TEST(UetBadPeer, AQueuePairThatDoesNotExistAnswersWithAnError) {
  UetPair pair({});
  ASSERT_TRUE(pair.side(1).device.destroy_qp(pair.side(1).qpn).has_value());
  post_write(pair, pair.key(1));
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.poll_send(0).at(0).status, WcStatus::kRemInvReqErr);
  EXPECT_EQ(pair.live_contexts(), 0U);
}

// The secure start: a packet of a context that is closed, played back, makes no context.
//= uet-1.0 3.5
TEST(UetBadPeer, APacketPlayedBackAfterItsContextIsNotExecutedAgain) {
  UetPair pair({});
  CarriedPacket first;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && packet.common.payload_bytes > 0 && first.packet.common.payload_bytes == 0)
      first.packet = packet;
    return false;
  });
  fill_source(pair, 1);
  post_write(pair, pair.key(1), TrafficEnds::kBase + kTarget, 1'000);
  ASSERT_TRUE(pair.run());
  ASSERT_EQ(pair.live_contexts(), 0U);
  EXPECT_TRUE(arrived(pair, 1'000));
  std::memset(pair.memory(1).data() + kTarget, 0, 1'000);
  first.payload.assign(1'000, std::byte{0xEE});
  ASSERT_TRUE(first.packet.uet.has(wire::kUetSyn));
  pair.inject(1, first);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(nacks(pair, 1, UetNack::kNewStartPsn), 1U);
  EXPECT_EQ(pair.live_contexts(), 0U);
  for (std::uint32_t i = 0; i < 1'000; ++i)
    ASSERT_EQ(pair.memory(1)[kTarget + i], std::byte{0});
}

TEST(UetBadPeer, ASecondCloseFindsNoContext) {
  UetPair pair({});
  CarriedPacket close;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && packet.uet.type == wire::UetType::kControl)
      close.packet = packet;
    return false;
  });
  post_write(pair, pair.key(1));
  ASSERT_TRUE(pair.run());
  ASSERT_EQ(close.packet.uet.type, wire::UetType::kControl);
  for (int i = 0; i < 3; ++i)
    pair.inject(1, close);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(nacks(pair, 1, UetNack::kInvalidDestinationPdc), 3U);
  EXPECT_EQ(pair.counters(1).closed, 1U);
}

TEST(UetBadPeer, RandomHeadersOfAStrangerDisturbNothing) {
  for_each_seed(2'000, [](std::uint64_t seed) {
    UetPairOptions options;
    options.seed = seed;
    options.memory_bytes = RcTraffic::kMemoryBytes;
    options.uet.max_pdcs = 64;
    UetPair pair(options);
    RandomStream random(seed, "stranger");
    int left = 200;
    pair.set_filter([&](int from, wire::Packet&) {
      if (left-- > 0)
        pair.inject(1 - from, random_packet(random, EndpointId(7)));
      return false;
    });
    // Answers to the stranger reach nobody.
    RcTraffic traffic(pair, {.seed = seed, .messages = RcTraffic::kSlots, .late_receives = false});
    ASSERT_TRUE(traffic.run());
    EXPECT_EQ(traffic.verify(), "");
  });
}

// From the peer's own address, with its own numbers now and then: it can spoil what is its own, and nothing else.
TEST(UetBadPeer, RandomHeadersOfThePeerNeverTouchWhatIsNotItsOwn) {
  for_each_seed(5'000, [](std::uint64_t seed) {
    UetPairOptions options;
    options.seed = seed;
    options.memory_bytes = RcTraffic::kMemoryBytes;
    options.uet.max_retries = 6;
    options.uet.timeout = 50_us;
    UetPair pair(options);
    RandomStream random(seed, "peer");
    int left = 100;
    std::uint64_t signalled = 0;
    pair.set_filter([&](int from, wire::Packet& packet) {
      if (left-- <= 0)
        return false;
      CarriedPacket forged = random_packet(random, EndpointId(static_cast<std::uint32_t>(from)));
      if (random.uniform(2) == 0) {
        const wire::UetHeader random_header = forged.packet.uet;
        forged.packet.uet = packet.uet;
        switch (random.uniform(6)) {
          case 0:
            forged.packet.uet.psn += static_cast<std::uint32_t>(random.uniform(64));
            break;
          case 1:
            forged.packet.uet.request = random_header.request;
            break;
          case 2:
            forged.packet.uet.flags = random_header.flags;
            break;
          case 3:
            forged.packet.uet.type = random_header.type;
            break;
          case 4:
            forged.packet.uet.psn_offset = random_header.psn_offset;
            break;
          default:
            forged.packet.uet.sack_offset = random_header.sack_offset;
            break;
        }
      }
      pair.inject(1 - from, forged);
      return false;
    });
    for (std::uint32_t i = 0; i < 8; ++i) {
      for (int side = 0; side < 2; ++side) {
        const verbs::Sge element = pair.sge(side, i * 4'096, 3'000);
        verbs::SendWr wr{.wr_id = i, .sg_list = {&element, 1}, .opcode = verbs::WrOpcode::kRdmaWrite};
        if (i % 4 == 1)
          wr.opcode = verbs::WrOpcode::kRdmaRead;
        if (i % 4 == 2)
          wr.opcode = verbs::WrOpcode::kSend;
        wr.send_flags = verbs::kSendSignaled;
        wr.rdma = {TrafficEnds::kBase + RcTraffic::kWritten + i * 4'096, pair.key(1 - side)};
        const verbs::Sge room = pair.sge(1 - side, RcTraffic::kReceived + i * 4'096, 4'096);
        (void)pair.post_recv(1 - side, {.wr_id = i, .sg_list = {&room, 1}});
        signalled += side == 0 && pair.post_send(side, wr).has_value() ? 1 : 0;
      }
    }
    ASSERT_TRUE(pair.run());
    EXPECT_LE(pair.poll_send(0).size(), signalled);  // never two for one request
    EXPECT_TRUE(pair.side(0).guards_intact() && pair.side(1).guards_intact());
  });
}

}  // namespace
}  // namespace weft::testing
