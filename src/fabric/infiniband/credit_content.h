// What a flow control packet says, inside a packet record of kind kFlowControl.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/time.h"
#include "wire/flow_control_packet.h"
#include "wire/packet.h"

namespace weft::fabric {

/// Time on the wire: the packet is 6 bytes, and the line code carries it in a block of 8 (docs/decisions/0012).
inline constexpr std::uint16_t kCreditWireBytes = 8;

struct CreditContent {
  Time sent_at;                         // not on the wire: where the receiver's pipeline stood
  std::uint16_t total_blocks_sent = 0;  // FCTBS of the lane that goes the same way
  std::uint16_t credit_limit = 0;       // FCCL of the lane that goes the other way
  std::uint8_t lane = 0;

  void store(wire::Packet& packet) const {
    packet.raw = {};
    std::memcpy(packet.raw.data(), this, sizeof(*this));
  }
  [[nodiscard]] static CreditContent load(const wire::Packet& packet) {
    CreditContent content;
    std::memcpy(&content, packet.raw.data(), sizeof(content));
    return content;
  }
  /// As it is on the wire.
  [[nodiscard]] wire::FlowControlPacket wire_form() const {
    wire::FlowControlPacket form{
        .total_blocks_sent = total_blocks_sent, .virtual_lane = lane, .credit_limit = credit_limit};
    form.lpcrc = form.compute_lpcrc();
    return form;
  }
};
static_assert(sizeof(CreditContent) <= 32);

}  // namespace weft::fabric
