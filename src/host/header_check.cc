#include "host/header_check.h"

#include "base/assert.h"
#include "wire/packet_codec.h"

namespace weft::host {

void check_headers(const wire::Packet& packet, const wire::ColdPacket& cold) {
  wire::Addresses addresses;
  addresses.source.lid = 1;
  addresses.destination.lid = 2;
  const wire::RdmaFrame frame = wire::to_frame(packet, cold, {}, addresses);
  wire::Packet read = packet;
  wire::ColdPacket read_cold = cold;
  read.ib = {};
  const Result<void> parsed = wire::from_frame(frame, read, read_cold);
  WEFT_ASSERT(parsed.has_value());
  WEFT_ASSERT(read.common.frame_bytes == packet.common.frame_bytes);
  WEFT_ASSERT(read.common.wire_bytes == packet.common.wire_bytes);
  WEFT_ASSERT(read.common.payload_bytes == packet.common.payload_bytes);
  WEFT_ASSERT(read.common.traffic_class == packet.common.traffic_class);
  WEFT_ASSERT(read.common.ecn == packet.common.ecn);
  WEFT_ASSERT(read.ib.psn == packet.ib.psn);
  WEFT_ASSERT(read.ib.opcode == packet.ib.opcode);
  WEFT_ASSERT(read.ib.destination_qp == packet.ib.destination_qp);
  WEFT_ASSERT(read.ib.partition_key == packet.ib.partition_key);
}

}  // namespace weft::host
