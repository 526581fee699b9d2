#include "wire/tcp_codec.h"

#include <gtest/gtest.h>

#include <array>

#include "wire/encapsulation.h"
#include "wire/internet_checksum.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

Addresses ends() {
  Addresses addresses;
  addresses.source.ipv4.value = 0x0A000001;
  addresses.destination.ipv4.value = 0x0A000002;
  addresses.source.mac.octets[5] = 1;
  addresses.destination.mac.octets[5] = 2;
  addresses.source.ipv6.octets = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  addresses.destination.ipv6.octets = {0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 2};
  return addresses;
}

constexpr std::array kBoth = {Encapsulation::kTcpIpv4, Encapsulation::kTcpIpv6};
constexpr std::uint16_t kPort = 40'000;
constexpr std::uint16_t kLabel = 0xBEEF;

Packet segment_of(std::uint16_t payload, Encapsulation encapsulation = Encapsulation::kTcpIpv4) {
  Packet packet;
  packet.common.kind = PacketKind::kTcp;
  packet.common.encapsulation = encapsulation;
  packet.common.payload_bytes = payload;
  packet.common.ecn = Ecn::kEct0;
  packet.common.traffic_class = 26;
  packet.common.entropy = encapsulation == Encapsulation::kTcpIpv6 ? kLabel : kPort;
  packet.tcp = TcpHeader{};
  packet.tcp.source_port = kPort;
  packet.tcp.destination_port = 5'000;
  packet.tcp.sequence = 0xFFFFFFF0;
  packet.tcp.acknowledgement = 17;
  packet.tcp.window = 512;
  packet.tcp.flags = kTcpAck | kTcpPsh;
  packet.tcp.connection = 99;
  packet.tcp.options = kTcpHasTimestamps;
  packet.tcp.timestamp = 1'000;
  packet.tcp.timestamp_echo = 900;
  return packet;
}

ByteVector emitted(const TcpFrame& frame) {
  ByteVector bytes(emitted_size(frame));
  emit_tcp_frame(frame, bytes);
  return bytes;
}

void expect_comes_back(const Packet& packet, const ColdPacket& cold, const ByteVector& bytes) {
  const auto wire = emitted(to_tcp_frame(packet, cold, bytes, ends()));
  const auto frame = parse_tcp_frame(wire);
  ASSERT_TRUE(frame.has_value()) << frame.error().message;
  EXPECT_TRUE(checksums_ok(*frame));
  EXPECT_EQ(ByteVector(frame->payload.begin(), frame->payload.end()), bytes);
  Packet read;
  ColdPacket read_cold;
  ASSERT_TRUE(from_tcp_frame(*frame, read, read_cold).has_value());
  EXPECT_EQ(read.common.encapsulation, packet.common.encapsulation);
  EXPECT_EQ(read.common.payload_bytes, packet.common.payload_bytes);
  EXPECT_EQ(read.common.ecn, Ecn::kEct0);
  EXPECT_EQ(read.common.traffic_class, 26);
  EXPECT_EQ(read.common.hop_limit, packet.common.hop_limit);
  EXPECT_EQ(read.common.entropy, packet.common.entropy);
  EXPECT_EQ(read.has(kHasCold), packet.tcp.sack_blocks > 0);
  EXPECT_EQ(read.tcp.source_port, kPort);
  EXPECT_EQ(read.tcp.sequence, packet.tcp.sequence);
  EXPECT_EQ(read.tcp.acknowledgement, packet.tcp.acknowledgement);
  EXPECT_EQ(read.tcp.window, packet.tcp.window);
  EXPECT_EQ(read.tcp.flags, packet.tcp.flags);
  EXPECT_EQ(read.tcp.timestamp, packet.tcp.timestamp);
  EXPECT_EQ(read.tcp.timestamp_echo, packet.tcp.timestamp_echo);
  EXPECT_EQ(read.tcp.connection, 0U);
  for (std::size_t block = 0; block < packet.tcp.sack_blocks; ++block) {
    EXPECT_EQ(read_cold.tcp_sack[block], cold.tcp_sack[block]);
  }
}

TEST(TcpCodec, ARecordComesBackFromItsFrame) {
  RandomStream random(1, "payload");
  for (const Encapsulation encapsulation : kBoth) {
    for (const int payload : {0, 1, 5, 6, 100, 1'448, 8'948}) {
      for (std::uint8_t blocks = 0; blocks <= 3; ++blocks) {
        Packet packet = segment_of(static_cast<std::uint16_t>(payload), encapsulation);
        packet.tcp.sack_blocks = blocks;
        ColdPacket cold;
        cold.tcp_sack = {{{.begin = 1, .end = 2}, {.begin = 3, .end = 4}, {.begin = 5, .end = 6}, {}}};
        expect_comes_back(packet, cold, random_bytes(random, static_cast<std::size_t>(payload)));
      }
    }
  }
}

TEST(TcpCodec, SizesAreThoseOfTheFrameWithItsCheckSequence) {
  for (const Encapsulation encapsulation : kBoth) {
    for (const int payload : {0, 1, 5, 6, 7, 1'460, 8'960}) {
      Packet packet = segment_of(static_cast<std::uint16_t>(payload), encapsulation);
      const auto wire = emitted(to_tcp_frame(packet, {}, {}, ends()));
      const auto size =
          tcp_sizes(encapsulation, {.options = Bytes(tcp_option_bytes(packet.tcp)), .payload = Bytes(payload)});
      EXPECT_EQ(size.frame.count(), static_cast<std::int64_t>(wire.size() + EthernetHeader::kFcsSize));
      EXPECT_EQ(size.wire - size.frame, Bytes(20));
      Packet read;
      ColdPacket cold;
      ASSERT_TRUE(from_tcp_frame(parse_tcp_frame(wire).value(), read, cold).has_value());
      EXPECT_EQ(read.common.frame_bytes, size.frame.count());
      EXPECT_EQ(read.common.wire_bytes, size.wire.count());
    }
  }
}

// The flow label is beside the ports, so a connection may change it and stay the same.
//= rfc8200 3
TEST(TcpCodec, OverIpv6TheFlowLabelIsTheEntropyAndTheHeaderIsTwentyBytesLonger) {
  const Packet packet = segment_of(1'000, Encapsulation::kTcpIpv6);
  const TcpFrame frame = parse_tcp_frame(emitted(to_tcp_frame(packet, {}, {}, ends()))).value();
  ASSERT_TRUE(frame.ipv6);
  EXPECT_EQ(frame.ethernet.ether_type, kEtherTypeIpv6);
  EXPECT_EQ(frame.ipv6->flow_label, kLabel);
  EXPECT_EQ(frame.ipv6->next_header, kIpProtocolTcp);
  EXPECT_EQ(frame.ipv6->payload_length, frame.tcp.size() + 1'000);
  EXPECT_EQ(frame.ipv6->source, ends().source.ipv6);
  EXPECT_EQ(frame.ipv6->destination, ends().destination.ipv6);
  EXPECT_EQ(frame.tcp.source_port, kPort);
  EXPECT_EQ(emitted_size(frame), emitted_size(to_tcp_frame(segment_of(1'000), {}, {}, ends())) + 20);
}

// The checksum of RFC 8200 as the function for UDP and TCP below any header computes it.
//= rfc8200 8.1
TEST(TcpCodec, TheChecksumOverIpv6IsThatOfItsPseudoHeader) {
  const ByteVector wire = emitted(to_tcp_frame(segment_of(77, Encapsulation::kTcpIpv6), {}, {}, ends()));
  const TcpFrame frame = parse_tcp_frame(wire).value();
  const auto segment = std::span(wire).subspan(EthernetHeader::kSize + Ipv6Header::kSize);
  EXPECT_EQ(segment_checksum(*frame.ipv6, segment), 0);
}

//= rfc9293 3.1
TEST(TcpCodec, EveryFlippedBitBehindTheAddressesIsFound) {
  for (const Encapsulation encapsulation : kBoth) {
    const bool over_ipv6 = encapsulation == Encapsulation::kTcpIpv6;
    const auto wire = emitted(to_tcp_frame(segment_of(9, encapsulation), {}, {}, ends()));
    // IPv6 has no checksum of its own: what its addresses and the segment say is covered.
    const std::size_t begin = EthernetHeader::kSize + (over_ipv6 ? 8 : 0);
    const std::size_t network = over_ipv6 ? Ipv6Header::kSize : Ipv4Header::kSize;
    const std::size_t end = EthernetHeader::kSize + network + TcpSegmentHeader::kSize + 12 + 9;
    for (std::size_t at = begin; at < end; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        auto damaged = wire;
        damaged[at] ^= static_cast<std::byte>(1U << bit);
        const auto frame = parse_tcp_frame(damaged);
        EXPECT_FALSE(frame.has_value() && checksums_ok(*frame)) << at << " " << bit;
      }
    }
  }
}

TEST(TcpCodec, OtherProtocolsAndCutFramesAreRefused) {
  for (const Encapsulation encapsulation : kBoth) {
    const auto wire = emitted(to_tcp_frame(segment_of(100, encapsulation), {}, {}, ends()));
    for (std::size_t size = 0; size < wire.size(); ++size) {
      EXPECT_FALSE(parse_tcp_frame(std::span(wire).first(size)).has_value()) << size;
    }
    auto udp = wire;
    udp[EthernetHeader::kSize + (encapsulation == Encapsulation::kTcpIpv6 ? 6 : 9)] = std::byte{kIpProtocolUdp};
    EXPECT_FALSE(parse_tcp_frame(udp).has_value());
  }
  auto fragment = emitted(to_tcp_frame(segment_of(100), {}, {}, ends()));
  fragment[EthernetHeader::kSize + 7] = std::byte{1};
  EXPECT_FALSE(parse_tcp_frame(fragment).has_value());
}

}  // namespace
}  // namespace weft::wire
