#include "wire/tcp_codec.h"

#include <gtest/gtest.h>

#include "wire/encapsulation.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

Addresses ends() {
  Addresses addresses;
  addresses.source.ipv4.value = 0x0A000001;
  addresses.destination.ipv4.value = 0x0A000002;
  addresses.source.mac.octets[5] = 1;
  addresses.destination.mac.octets[5] = 2;
  return addresses;
}

Packet segment_of(std::uint16_t payload) {
  Packet packet;
  packet.common.kind = PacketKind::kTcp;
  packet.common.encapsulation = Encapsulation::kTcpIpv4;
  packet.common.payload_bytes = payload;
  packet.common.ecn = Ecn::kEct0;
  packet.common.traffic_class = 26;
  packet.common.entropy = 40'000;
  packet.tcp = TcpHeader{};
  packet.tcp.source_port = 40'000;
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

TEST(TcpCodec, ARecordComesBackFromItsFrame) {
  RandomStream random(1, "payload");
  for (const int payload : {0, 1, 5, 6, 100, 1'448, 8'948}) {
    for (std::uint8_t blocks = 0; blocks <= 3; ++blocks) {
      Packet packet = segment_of(static_cast<std::uint16_t>(payload));
      packet.tcp.sack_blocks = blocks;
      ColdPacket cold;
      cold.tcp_sack = {{{.begin = 1, .end = 2}, {.begin = 3, .end = 4}, {.begin = 5, .end = 6}, {}}};
      const auto bytes = random_bytes(random, static_cast<std::size_t>(payload));
      const auto wire = emitted(to_tcp_frame(packet, cold, bytes, ends()));
      const auto frame = parse_tcp_frame(wire);
      ASSERT_TRUE(frame.has_value()) << frame.error().message;
      EXPECT_TRUE(checksums_ok(*frame));
      EXPECT_EQ(ByteVector(frame->payload.begin(), frame->payload.end()), bytes);
      Packet read;
      ColdPacket read_cold;
      ASSERT_TRUE(from_tcp_frame(*frame, read, read_cold).has_value());
      EXPECT_EQ(read.common.payload_bytes, payload);
      EXPECT_EQ(read.common.ecn, Ecn::kEct0);
      EXPECT_EQ(read.common.traffic_class, 26);
      EXPECT_EQ(read.common.entropy, 40'000);
      EXPECT_EQ(read.has(kHasCold), blocks > 0);
      EXPECT_EQ(read.tcp.sequence, packet.tcp.sequence);
      EXPECT_EQ(read.tcp.acknowledgement, packet.tcp.acknowledgement);
      EXPECT_EQ(read.tcp.window, packet.tcp.window);
      EXPECT_EQ(read.tcp.flags, packet.tcp.flags);
      EXPECT_EQ(read.tcp.timestamp, packet.tcp.timestamp);
      EXPECT_EQ(read.tcp.timestamp_echo, packet.tcp.timestamp_echo);
      EXPECT_EQ(read.tcp.connection, 0U);
      for (std::size_t block = 0; block < blocks; ++block) {
        EXPECT_EQ(read_cold.tcp_sack[block], cold.tcp_sack[block]);
      }
    }
  }
}

TEST(TcpCodec, SizesAreThoseOfTheFrameWithItsCheckSequence) {
  for (const int payload : {0, 1, 5, 6, 7, 1'460, 8'960}) {
    Packet packet = segment_of(static_cast<std::uint16_t>(payload));
    const auto wire = emitted(to_tcp_frame(packet, {}, {}, ends()));
    const auto size =
        tcp_sizes(Encapsulation::kTcpIpv4, {.options = Bytes(tcp_option_bytes(packet.tcp)), .payload = Bytes(payload)});
    EXPECT_EQ(size.frame.count(), static_cast<std::int64_t>(wire.size() + EthernetHeader::kFcsSize));
    EXPECT_EQ(size.wire - size.frame, Bytes(20));
    Packet read;
    ColdPacket cold;
    ASSERT_TRUE(from_tcp_frame(parse_tcp_frame(wire).value(), read, cold).has_value());
    EXPECT_EQ(read.common.frame_bytes, size.frame.count());
    EXPECT_EQ(read.common.wire_bytes, size.wire.count());
  }
}

//= rfc9293 3.1
TEST(TcpCodec, EveryFlippedBitBehindTheAddressesIsFound) {
  const auto wire = emitted(to_tcp_frame(segment_of(9), {}, {}, ends()));
  const std::size_t end = EthernetHeader::kSize + Ipv4Header::kSize + TcpSegmentHeader::kSize + 12 + 9;
  for (std::size_t at = EthernetHeader::kSize; at < end; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto damaged = wire;
      damaged[at] ^= static_cast<std::byte>(1U << bit);
      const auto frame = parse_tcp_frame(damaged);
      EXPECT_FALSE(frame.has_value() && checksums_ok(*frame)) << at << " " << bit;
    }
  }
}

TEST(TcpCodec, OtherProtocolsAndCutFramesAreRefused) {
  const auto wire = emitted(to_tcp_frame(segment_of(100), {}, {}, ends()));
  for (std::size_t size = 0; size < wire.size(); ++size) {
    EXPECT_FALSE(parse_tcp_frame(std::span(wire).first(size)).has_value()) << size;
  }
  auto udp = wire;
  udp[EthernetHeader::kSize + 9] = std::byte{kIpProtocolUdp};
  EXPECT_FALSE(parse_tcp_frame(udp).has_value());
  auto fragment = wire;
  fragment[EthernetHeader::kSize + 7] = std::byte{1};
  EXPECT_FALSE(parse_tcp_frame(fragment).has_value());
}

}  // namespace
}  // namespace weft::wire
