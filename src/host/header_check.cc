#include "host/header_check.h"

#include "base/assert.h"
#include "wire/packet_codec.h"
#include "wire/tcp_codec.h"

namespace weft::host {
namespace {

/// What both kinds of frame carry of the common record; `telemetry` bytes of the packet are left out of frames.
void expect_same(const wire::PacketCommon& read, const wire::PacketCommon& sent, std::uint16_t telemetry = 0) {
  WEFT_ASSERT(read.frame_bytes + telemetry == sent.frame_bytes);
  WEFT_ASSERT(read.wire_bytes + telemetry == sent.wire_bytes);
  WEFT_ASSERT(read.payload_bytes == sent.payload_bytes);
  WEFT_ASSERT(read.traffic_class == sent.traffic_class);
  WEFT_ASSERT(read.ecn == sent.ecn);
}

void check_tcp(const wire::Packet& packet, const wire::ColdPacket& cold, const wire::Addresses& addresses) {
  const wire::TcpFrame frame = wire::to_tcp_frame(packet, cold, {}, addresses);
  wire::Packet read = packet;
  wire::ColdPacket read_cold;
  read.tcp = wire::TcpHeader{};
  const Result<void> parsed = wire::from_tcp_frame(frame, read, read_cold);
  WEFT_ASSERT(parsed.has_value());
  expect_same(read.common, packet.common);
  WEFT_ASSERT(read.tcp.sequence == packet.tcp.sequence);
  WEFT_ASSERT(read.tcp.acknowledgement == packet.tcp.acknowledgement);
  WEFT_ASSERT(read.tcp.timestamp == packet.tcp.timestamp);
  WEFT_ASSERT(read.tcp.timestamp_echo == packet.tcp.timestamp_echo);
  WEFT_ASSERT(read.tcp.source_port == packet.tcp.source_port);
  WEFT_ASSERT(read.tcp.destination_port == packet.tcp.destination_port);
  WEFT_ASSERT(read.tcp.window == packet.tcp.window);
  WEFT_ASSERT(read.tcp.mss == packet.tcp.mss);
  WEFT_ASSERT(read.tcp.flags == packet.tcp.flags);
  WEFT_ASSERT(read.tcp.window_scale == packet.tcp.window_scale);
  WEFT_ASSERT(read.tcp.options == packet.tcp.options);
  WEFT_ASSERT(read.tcp.sack_blocks == packet.tcp.sack_blocks);
  for (std::size_t i = 0; i < packet.tcp.sack_blocks; ++i) {
    WEFT_ASSERT(read_cold.tcp_sack[i] == cold.tcp_sack[i]);
  }
}

}  // namespace

void check_headers(const wire::Packet& packet, const wire::ColdPacket& cold) {
  wire::Addresses addresses;
  addresses.source.lid = 1;
  addresses.destination.lid = 2;
  if (packet.common.kind == wire::PacketKind::kTcp) {
    check_tcp(packet, cold, addresses);
    return;
  }
  if (packet.common.kind == wire::PacketKind::kMemory) {
    return;  // a unit stands for several packets, and has no form of its own on a wire
  }
  if (packet.common.kind == wire::PacketKind::kUet) {
    return;  // bytes of UET headers are made and read by wire/uet/, from headers of their own
  }
  const wire::RdmaFrame frame = wire::to_frame(packet, cold, {}, addresses);
  wire::Packet read = packet;
  wire::ColdPacket read_cold = cold;
  read.ib = {};
  const Result<void> parsed = wire::from_frame(frame, read, read_cold);
  WEFT_ASSERT(parsed.has_value());
  expect_same(read.common, packet.common,
              packet.has(wire::kTelemetry) ? wire::telemetry_bytes(cold.telemetry.kind()) : std::uint16_t{0});
  WEFT_ASSERT(read.ib.psn == packet.ib.psn);
  WEFT_ASSERT(read.ib.opcode == packet.ib.opcode);
  WEFT_ASSERT(read.ib.destination_qp == packet.ib.destination_qp);
  WEFT_ASSERT(read.ib.partition_key == packet.ib.partition_key);
}

}  // namespace weft::host
