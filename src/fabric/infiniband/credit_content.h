// Contents of a flow control packet: four bytes, carried from port to port without a packet record.
#pragma once

#include <cstdint>

#include "wire/flow_control_packet.h"
#include "wire/packet.h"

namespace weft::fabric {

/// Time on the wire: the packet is 6 bytes, and the line code carries it in a block of 8 (docs/decisions/0012).
inline constexpr std::uint16_t kCreditWireBytes = 8;

struct CreditContent {
  std::uint16_t total_blocks_sent = 0;  // FCTBS of the lane in the same direction, 12 bits
  std::uint8_t lane = 0;                // 4 bits
  std::uint16_t credit_limit = 0;       // FCCL of the lane in the opposite direction, 12 bits

  [[nodiscard]] std::uint32_t packed() const {
    return std::uint32_t{total_blocks_sent} << 16 | std::uint32_t{lane} << 12 | credit_limit;
  }
  [[nodiscard]] static CreditContent unpacked(std::uint32_t frame) {
    return {.total_blocks_sent = static_cast<std::uint16_t>(frame >> 16),
            .lane = static_cast<std::uint8_t>(frame >> 12 & 0xF),
            .credit_limit = static_cast<std::uint16_t>(frame & 0xFFF)};
  }
  /// As a tap sees the packet.
  [[nodiscard]] static wire::Packet record() {
    wire::Packet packet;
    packet.common.kind = wire::PacketKind::kFlowControl;
    packet.common.encapsulation = wire::Encapsulation::kIbLocal;
    packet.common.frame_bytes = wire::FlowControlPacket::kSize;
    packet.common.wire_bytes = kCreditWireBytes;
    return packet;
  }
};

}  // namespace weft::fabric
