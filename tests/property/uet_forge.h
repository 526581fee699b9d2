// Packets of Ultra Ethernet that no engine has made.
#pragma once

#include "tests/property/uet_pair.h"

namespace weft::testing {

/// Any field of any header, at random, but for the kinds that would be taken.
inline CarriedPacket random_packet(RandomStream& random, EndpointId source) {
  CarriedPacket made;
  wire::PacketCommon& common = made.packet.common;
  common.source = source;
  common.kind = wire::PacketKind::kUet;
  common.encapsulation = wire::Encapsulation::kUetUdpIpv4;
  common.payload_bytes = static_cast<std::uint16_t>(random.uniform(1'025));
  common.frame_bytes = static_cast<std::uint16_t>(common.payload_bytes + 100);
  common.wire_bytes = static_cast<std::uint16_t>(common.frame_bytes + 20);
  common.flags = static_cast<std::uint8_t>(random.next() & (wire::kHasCold | wire::kTrimmed | wire::kTrimmedLastHop));
  wire::UetHeader& header = made.packet.uet;
  header = wire::UetHeader{};
  header.request = {
      .buffer_offset = random.uniform(2) == 0 ? random.uniform(8'192) : random.next(),
      .memory_key = static_cast<std::uint32_t>(random.uniform(2) == 0 ? random.uniform(8) : random.next()),
      .message_id = static_cast<std::uint16_t>(random.next()),
      .operation = static_cast<std::uint8_t>(random.uniform(0x14)),
      .ses_flags = static_cast<std::uint8_t>(random.uniform(64))};
  header.psn = static_cast<std::uint32_t>(random.next());
  header.source_pdc = static_cast<std::uint16_t>(random.uniform(4));
  header.destination_pdc = static_cast<std::uint16_t>(random.uniform(4));
  header.psn_offset = static_cast<std::int16_t>(random.next());
  header.type = static_cast<wire::UetType>(random.uniform(16));
  header.flags = static_cast<std::uint8_t>(random.uniform(128));
  header.sack_offset = static_cast<std::int16_t>(random.next());
  header.cc_type = static_cast<std::uint8_t>(random.next());
  header.mpr_or_header = static_cast<std::uint8_t>(random.uniform(16));
  made.cold = {};
  made.cold.uet = {.header_data = random.next(),
                   .operand = random.next(),
                   .compare = random.next(),
                   .credit_target = static_cast<std::uint32_t>(random.next()),
                   .length = static_cast<std::uint32_t>(random.next()),
                   .initiator = 0,
                   .offset = 0,
                   .job = static_cast<std::uint32_t>(random.next()),
                   .message_id = static_cast<std::uint16_t>(random.next()),
                   .return_code = static_cast<std::uint8_t>(random.next()),
                   .atomic_code = static_cast<std::uint8_t>(random.next())};
  if (!made.packet.has(wire::kTrimmed))
    made.payload.assign(common.payload_bytes, std::byte{0xBB});
  return made;
}

}  // namespace weft::testing
