// What bytes take on a scale-up link: the header arithmetic of NVLink, UALink and PCI Express in one form.
//
// A protocol moves data in packets of at most `packet_payload` bytes, each with a header and padded to whole flits; a
// further share of the link goes to what is counted by no packet (CRC and replay flits, credits, ordered sets,
// polling). One simulated packet is a unit of several wire packets, and as long on the wire as all of them together.
#pragma once

#include <cstdint>

#include "base/probability.h"

namespace weft::wire {

/// Payload of a simulated packet, at most.
inline constexpr std::uint32_t kLargestMemoryUnit = 32 << 10;

struct MemoryFormat {
  std::uint32_t unit = 4096;           // payload of a simulated packet; at most kLargestMemoryUnit
  std::uint32_t packet_payload = 256;  // of a wire packet, at most
  std::uint32_t flit = 16;             // packets are multiples of it
  std::uint32_t data_header = 16;      // of a wire packet with data: a store's, a send's or a load's answer
  std::uint32_t request_header = 16;   // of a load, per wire packet asked for
  std::uint32_t answer = 16;           // to all stores of a message
  Probability link_efficiency = Probability::one();  // share of the link that is packets; > 0

  friend bool operator==(const MemoryFormat&, const MemoryFormat&) = default;
};

/// Bytes on the wire for so many bytes of payload, which may be 0; those of a load's request for them; of an answer.
/// All at least 1; rounded up.
[[nodiscard]] std::uint32_t data_wire_bytes(const MemoryFormat& format, std::uint32_t payload);
[[nodiscard]] std::uint32_t request_wire_bytes(const MemoryFormat& format, std::uint32_t asked);
[[nodiscard]] std::uint32_t ack_wire_bytes(const MemoryFormat& format);

/// The share of the link that is payload, in full units.
[[nodiscard]] Probability payload_share(const MemoryFormat& format);

}  // namespace weft::wire
