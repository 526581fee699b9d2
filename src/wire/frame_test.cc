#include "wire/frame.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "wire/packet_codec.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

constexpr std::uint8_t kSendOnly = make_opcode(Service::kRc, Operation::kSendOnly);

Packet send_of(std::uint16_t payload, Encapsulation encapsulation) {
  Packet packet;
  packet.ib.opcode = kSendOnly;
  packet.common.payload_bytes = payload;
  packet.common.encapsulation = encapsulation;
  return packet;
}

ByteVector bytes_of_frame(const RdmaFrame& frame) {
  ByteVector bytes(emitted_size(frame));
  EXPECT_EQ(emit_frame(frame, bytes), bytes.size());
  return bytes;
}

ByteVector ethernet_send(std::uint16_t payload) {
  return bytes_of_frame(to_frame(send_of(payload, Encapsulation::kRoceV2Ipv4), {}, {}, {}));
}

ByteVector infiniband_send(std::uint16_t payload) {
  return bytes_of_frame(to_frame(send_of(payload, Encapsulation::kIbLocal), {}, {}, {}));
}

void expect_same_bytes(LinkType link, const ByteVector& bytes) {
  const auto frame = parse_frame(link, bytes);
  ASSERT_TRUE(frame.has_value()) << frame.error().error.message;
  EXPECT_EQ(bytes_of_frame(*frame), bytes);
}

FrameError error_of(LinkType link, const ByteVector& bytes) {
  const auto frame = parse_frame(link, bytes);
  return frame ? FrameError{.error = {"no error"}} : frame.error();
}

constexpr std::size_t kIp = EthernetHeader::kSize;
constexpr std::size_t kUdp = kIp + Ipv4Header::kSize;
constexpr std::size_t kBth = kUdp + UdpHeader::kSize;

void expect_error(const ByteVector& bytes, FrameFault fault, std::string_view message) {
  const auto error = error_of(LinkType::kEthernet, bytes);
  EXPECT_EQ(error.error.message, message);
  EXPECT_EQ(error.fault, fault);
}

//= ieee-802.3 3.2.7
TEST(Frame, SealPadsAShortEthernetFrame) {
  const auto frame = to_frame(send_of(0, Encapsulation::kRoceV2Ipv4), {}, {}, {});
  EXPECT_EQ(emitted_size(frame), EthernetHeader::kMinFrameWithoutFcs);
  EXPECT_EQ(frame.trailer.size(), 2U);
}

TEST(Frame, BytesBehindThePacketAreKept) {
  expect_same_bytes(LinkType::kEthernet, ethernet_send(0));
  expect_same_bytes(LinkType::kEthernet, ethernet_send(100) + bytes_of("DEADBEEF"));
  expect_same_bytes(LinkType::kInfiniBand, infiniband_send(100) + bytes_of("DE"));
}

TEST(Frame, VcrcMayBeMissingFromACapture) {
  auto bytes = infiniband_send(100);
  bytes.resize(bytes.size() - RdmaFrame::kVcrcSize);
  const auto frame = parse_frame(LinkType::kInfiniBand, bytes);
  ASSERT_TRUE(frame.has_value());
  EXPECT_FALSE(frame->vcrc.has_value());
  EXPECT_TRUE(icrc_ok(*frame) && vcrc_ok(*frame));
  EXPECT_EQ(bytes_of_frame(*frame), bytes);
}

TEST(Frame, VlanTagsStandBeforeTheNetworkHeader) {
  auto frame = to_frame(send_of(8, Encapsulation::kRoceV1), {}, {}, {});
  frame.ethernet->tags[0] = {.priority = 3, .vlan = 100};
  frame.ethernet->tag_count = 1;
  seal_frame(frame);
  const auto bytes = bytes_of_frame(frame);
  expect_same_bytes(LinkType::kEthernet, bytes);
  EXPECT_EQ(parse_frame(LinkType::kEthernet, bytes)->ethernet->tags[0].priority, 3);
}

/// Payload and pad are told apart by the pad count.
//= ibta-1.7 9.2.4
TEST(Frame, SealPadsThePayloadToFourBytes) {
  const auto payload = bytes_of("0102030405");
  const auto bytes = bytes_of_frame(to_frame(send_of(5, Encapsulation::kIbLocal), {}, payload, {}));
  const auto frame = parse_frame(LinkType::kInfiniBand, bytes);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->bth.pad_count, 3);
  EXPECT_TRUE(std::ranges::equal(frame->payload, payload));
}

TEST(Frame, PayloadIsAViewOfTheInput) {
  const auto bytes = ethernet_send(100);
  const auto frame = parse_frame(LinkType::kEthernet, bytes);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->payload.data(), bytes.data() + kBth + BthHeader::kSize);
  EXPECT_EQ(frame->payload.size(), 100U);
}

TEST(Frame, TransportAloneIsReadFromTheSameBytes) {
  const auto bytes = ethernet_send(100);
  const auto frame = parse_transport(std::span(bytes).subspan(kBth));
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->bth.opcode, kSendOnly);
  EXPECT_EQ(frame->payload.size(), 100U);
  EXPECT_EQ(encapsulation_of(*frame), std::nullopt);
  EXPECT_TRUE(std::ranges::equal(bytes_of_frame(*frame), std::span(bytes).subspan(kBth)));
}

TEST(Frame, IpPacketIsReadWithoutALinkHeader) {
  for (const auto encapsulation : {Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6}) {
    const auto bytes = bytes_of_frame(to_frame(send_of(100, encapsulation), {}, {}, {}));
    const auto frame = parse_ip_packet(std::span(bytes).subspan(kIp));
    ASSERT_TRUE(frame.has_value());
    EXPECT_TRUE(icrc_ok(*frame));
    EXPECT_EQ(encapsulation_of(*frame), encapsulation);
  }
}

TEST(Frame, OtherProtocolsAreNotFaults) {
  auto arp = ethernet_send(100);
  arp[13] = std::byte{0x06};
  expect_error(arp, FrameFault::kNotRdma, "EtherType is 0x0806, RDMA has 0x8915, 0x0800 or 0x86DD");
  auto tcp = ethernet_send(100);
  tcp[kIp + 9] = std::byte{6};
  expect_error(tcp, FrameFault::kNotRdma, "IPv4 protocol is 6, RoCEv2 has UDP (17)");
  auto fragment = ethernet_send(100);
  fragment[kIp + 7] = std::byte{1};
  expect_error(fragment, FrameFault::kNotRdma, "IPv4 fragment at offset 8");
  auto dns = ethernet_send(100);
  dns[kUdp + 2] = std::byte{0};
  dns[kUdp + 3] = std::byte{53};
  expect_error(dns, FrameFault::kNotRdma, "UDP destination port is 53, RoCEv2 has 4791");
  EXPECT_EQ(error_of(LinkType::kInfiniBand, bytes_of("0000FFFF 00060001")).fault, FrameFault::kNotRdma);
}

TEST(Frame, ReservedOpcodesAreUnknown) {
  auto bytes = ethernet_send(100);
  bytes[kBth] = std::byte{0xC5};
  expect_error(bytes, FrameFault::kUnknownOpcode, "BTH opcode is reserved 0xC5");
}

TEST(Frame, LengthsMustAgree) {
  auto udp = ethernet_send(100);
  udp[kUdp + 5] ^= std::byte{4};
  expect_error(udp, FrameFault::kMalformed, "UDP length is 120, the IP header leaves 124 bytes");
  auto ip = ethernet_send(100);
  ip[kIp + 3] = std::byte{19};
  expect_error(ip, FrameFault::kMalformed, "IPv4 total length is 19, its header alone has 20 bytes");
  auto cut = ethernet_send(100);
  cut.resize(cut.size() - 1);
  expect_error(cut, FrameFault::kMalformed, "IP header announces 124 bytes behind it, found 123");
  auto lrh = infiniband_send(100);
  lrh[5] = std::byte{32};
  EXPECT_EQ(error_of(LinkType::kInfiniBand, lrh).error.message, "LRH packet length is 128 bytes, found 126");
}

TEST(Frame, GrhLengthMustAgreeWithTheLrh) {
  auto bytes = bytes_of_frame(to_frame(send_of(100, Encapsulation::kIbGlobal), {}, {}, {}));
  bytes[LrhHeader::kSize + 5] = std::byte{112};
  EXPECT_EQ(error_of(LinkType::kInfiniBand, bytes).error.message,
            "GRH payload length is 112, the LRH leaves 116 bytes");
}

TEST(Frame, PayloadMustFitTheOpcodeAndThePadCount) {
  auto acknowledge = ethernet_send(100);
  acknowledge[kBth] = static_cast<std::byte>(make_opcode(Service::kRc, Operation::kAcknowledge));
  expect_error(acknowledge, FrameFault::kMalformed, "RC Acknowledge carries no payload, found 96 bytes");
  auto padded = ethernet_send(0);
  padded[kBth + 1] |= std::byte{0x10};
  expect_error(padded, FrameFault::kMalformed, "pad count is 1, payload and pad are 0 bytes");
  auto atomic = ethernet_send(4);
  atomic[kBth] = static_cast<std::byte>(make_opcode(Service::kRc, Operation::kFetchAdd));
  expect_error(atomic, FrameFault::kMalformed, "RC FetchAdd: AtomicETH needs 28 bytes, found 4");
}

//= ibta-1.7 7.7.8
TEST(Frame, PayloadIsAtMostTheLargestPathMtu) {
  const auto with_payload = [](std::size_t payload) {
    ByteVector bytes(BthHeader::kSize + payload + RdmaFrame::kIcrcSize);
    bytes[0] = static_cast<std::byte>(kSendOnly);
    return bytes;
  };
  const auto largest = with_payload(4096);
  const auto frame = parse_transport(largest);
  ASSERT_TRUE(frame.has_value()) << frame.error().error.message;
  EXPECT_EQ(frame->payload.size(), 4096U);
  const auto larger = with_payload(4100);
  const auto refused = parse_transport(larger);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().fault, FrameFault::kMalformed);
  EXPECT_EQ(refused.error().error.message, "payload is 4100 bytes, the largest path MTU is 4096");
}

TEST(FrameDeathTest, DoesNotEmitPastTheBuffer) {
  const auto frame = to_frame(send_of(100, Encapsulation::kIbLocal), {}, {}, {});
  ByteVector out(emitted_size(frame) - 1);
  EXPECT_DEATH(emit_frame(frame, out), "out.size");
}

/// Whatever is accepted is emitted as it was; whatever is not gives an error with words. `bytes` has its exact size.
void expect_unharmed(LinkType link, const ByteVector& bytes) {
  const auto frame = parse_frame(link, bytes);
  if (!frame) {
    EXPECT_FALSE(frame.error().error.message.empty());
    return;
  }
  EXPECT_EQ(bytes_of_frame(*frame), bytes);
  (void)icrc_ok(*frame);
  EXPECT_EQ(vcrc_ok(*frame), !frame->vcrc || *frame->vcrc == compute_vcrc(*frame));
}

constexpr std::array kEncapsulationsOfFrames{Encapsulation::kIbLocal, Encapsulation::kIbGlobal, Encapsulation::kRoceV1,
                                             Encapsulation::kRoceV2Ipv4, Encapsulation::kRoceV2Ipv6};

TEST(Frame, TakesTruncatedAndDamagedFrames) {
  RandomStream random(1, "damaged frames");
  for (int round = 0; round < 4000; ++round) {
    const auto encapsulation = kEncapsulationsOfFrames[random.uniform(kEncapsulationsOfFrames.size())];
    auto packet = send_of(static_cast<std::uint16_t>(random.uniform(64)), encapsulation);
    const auto frame = to_frame(packet, {}, {}, {});
    auto bytes = bytes_of_frame(frame);
    for (std::uint64_t flips = random.uniform(4); flips > 0; --flips) {
      bytes[random.uniform(bytes.size())] = static_cast<std::byte>(random.next() & 0xFFU);
    }
    bytes.resize(random.uniform(2) == 0 ? bytes.size() : random.uniform(bytes.size() + 1));
    bytes.shrink_to_fit();
    expect_unharmed(frame.lrh ? LinkType::kInfiniBand : LinkType::kEthernet, bytes);
  }
}

TEST(Frame, TakesRandomBytes) {
  RandomStream random(1, "random frames");
  for (int round = 0; round < 4000; ++round) {
    const auto bytes = random_bytes(random, random.uniform(200));
    expect_unharmed(LinkType::kEthernet, bytes);
    expect_unharmed(LinkType::kInfiniBand, bytes);
    EXPECT_NO_FATAL_FAILURE((void)parse_ip_packet(bytes));
    EXPECT_NO_FATAL_FAILURE((void)parse_transport(bytes));
  }
}

}  // namespace
}  // namespace weft::wire
