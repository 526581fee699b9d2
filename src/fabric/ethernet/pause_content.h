// Contents of a PFC frame, in a packet record of kind kFlowControl.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "wire/encapsulation.h"
#include "wire/packet.h"
#include "wire/pfc_frame.h"

namespace weft::fabric {

struct PauseContent {
  static constexpr std::uint32_t kFrameBytes = wire::kEthernetMinFrame;
  static constexpr std::uint32_t kWireBytes = kFrameBytes + wire::kEthernetGapBytes;

  std::array<std::uint16_t, wire::PfcFrame::kPriorities> quanta{};  // of 512 bit times; 0: go
  std::uint8_t enabled = 0;                                         // bit p: quanta[p] applies

  void store(wire::Packet& packet) const {
    packet.raw = {};
    std::memcpy(packet.raw.data(), this, sizeof(*this));
  }
  /// The frame that a wire would carry.
  //= ieee-802.1Q 36
  [[nodiscard]] wire::PfcFrame to_frame() const {
    wire::PfcFrame frame;
    frame.enabled = enabled;
    frame.quanta = quanta;
    return frame;
  }
  [[nodiscard]] static PauseContent load(const wire::Packet& packet) {
    PauseContent content;
    std::memcpy(&content, packet.raw.data(), sizeof(content));
    return content;
  }
};
static_assert(sizeof(PauseContent) <= 32);

}  // namespace weft::fabric
