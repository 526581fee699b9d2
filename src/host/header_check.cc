#include "host/header_check.h"

#include "base/assert.h"
#include "wire/packet_codec.h"
#include "wire/tcp_codec.h"
#include "wire/uet_packet_codec.h"

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

void check_uet_extension(const wire::UetExtension& read, const wire::UetExtension& sent, const wire::Packet& packet) {
  WEFT_ASSERT(read.length == sent.length);
  WEFT_ASSERT(read.job == sent.job);
  if (wire::uet::is_ack(packet.uet.type)) {
    WEFT_ASSERT(read.return_code == sent.return_code);
    WEFT_ASSERT(read.message_id == sent.message_id);
    return;
  }
  WEFT_ASSERT(read.header_data == sent.header_data);
  WEFT_ASSERT(read.initiator == sent.initiator);
  WEFT_ASSERT(read.credit_target == sent.credit_target);
  WEFT_ASSERT(read.atomic_code == sent.atomic_code);
  WEFT_ASSERT(read.operand == sent.operand);
  WEFT_ASSERT(read.compare == sent.compare);
  WEFT_ASSERT(read.offset == sent.offset);
}

void check_uet_target(const wire::UetHeader& read, const wire::UetHeader& sent) {
  WEFT_ASSERT(read.next_header() == sent.next_header());
  if (sent.next_header() == wire::UetNextHeader::kNone) {
    return;
  }
  WEFT_ASSERT(read.resource() == sent.resource());
  WEFT_ASSERT(read.request.message_id == sent.request.message_id);
  WEFT_ASSERT(read.request.memory_key == sent.request.memory_key);
  WEFT_ASSERT(read.request.buffer_offset == sent.request.buffer_offset);
  WEFT_ASSERT(read.request.ses_flags == sent.request.ses_flags);
  if (sent.next_header() <= wire::UetNextHeader::kRequestStandard) {
    WEFT_ASSERT(read.request.operation == sent.request.operation);
  }
}

void check_uet_header(const wire::UetHeader& read, const wire::UetHeader& sent) {
  WEFT_ASSERT(read.type == sent.type);
  WEFT_ASSERT(read.flags == sent.flags);
  WEFT_ASSERT(read.psn == sent.psn);
  WEFT_ASSERT(read.source_pdc == sent.source_pdc);
  WEFT_ASSERT(sent.has(wire::kUetSyn) || read.destination_pdc == sent.destination_pdc);
  if (wire::uet::is_ack(sent.type)) {
    WEFT_ASSERT(read.psn_offset == sent.psn_offset);
    WEFT_ASSERT(read.sack_offset == sent.sack_offset);
    WEFT_ASSERT(read.cc_type == sent.cc_type);
    WEFT_ASSERT(read.mpr_or_header == sent.mpr_or_header);
    WEFT_ASSERT(read.ack.sack_bitmap == sent.ack.sack_bitmap);
    WEFT_ASSERT(read.ack.cc_state == sent.ack.cc_state);
  } else if (is_request(sent.type)) {
    WEFT_ASSERT(read.psn_offset == sent.psn_offset);
    check_uet_target(read, sent);
  } else {
    WEFT_ASSERT(read.notice.code == sent.notice.code);
    WEFT_ASSERT(read.notice.payload == sent.notice.payload);
  }
}

void check_uet(const wire::Packet& packet, const wire::ColdPacket& cold, const HeaderSizes& sizes) {
  const wire::uet::UetFrame frame = wire::to_uet_frame(packet, cold, {}, {});
  wire::Packet read = packet;
  wire::ColdPacket read_cold;
  read.uet = wire::UetHeader{};
  const Result<void> parsed = wire::from_uet_frame(frame, read, read_cold);
  WEFT_ASSERT(parsed.has_value());
  WEFT_ASSERT(read.common.payload_bytes == packet.common.payload_bytes);
  WEFT_ASSERT(read.common.traffic_class == packet.common.traffic_class);
  WEFT_ASSERT(read.common.ecn == packet.common.ecn);
  WEFT_ASSERT(read.common.entropy == packet.common.entropy);
  if (sizes.real) {
    // Ethernet's padding may stand where TSS would.
    WEFT_ASSERT(read.common.frame_bytes + sizes.security >= packet.common.frame_bytes);
    WEFT_ASSERT(sizes.security != 0 || read.common.wire_bytes == packet.common.wire_bytes);
    WEFT_ASSERT(read.common.frame_bytes <= packet.common.frame_bytes);
  }
  check_uet_header(read.uet, packet.uet);
  if (packet.has(wire::kHasCold)) {
    WEFT_ASSERT(read.has(wire::kHasCold));
    check_uet_extension(read_cold.uet, cold.uet, packet);
  }
}

}  // namespace

void check_headers(const wire::Packet& packet, const wire::ColdPacket& cold, const HeaderSizes& sizes) {
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
    check_uet(packet, cold, sizes);
    return;
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
