// What the protection of packets adds to their sizes: MACsec on each link, IPsec or PSP from end to end.
//
// Bytes of MACsec are there on wires alone: a port takes them off before a frame is buffered, as preamble and gap are.
// Bytes of IPsec and PSP belong to the packet wherever it is. ESP pads what it encrypts, with its two bytes of pad
// length and next header, to a multiple of four. TSS of Ultra Ethernet is counted with the packet's own headers.
// Sources: IEEE 802.1AE, RFC 4303, RFC 4106, Google's PSP Architecture Specification.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "wire/encapsulation.h"

namespace weft::wire {

struct PacketProtection {
  std::uint16_t frame = 0;     // of a packet, in buffers and on wires; of ESP with pad length and next header
  std::uint16_t gap = 0;       // on wires alone
  std::uint8_t alignment = 1;  // 1 or 4: what is encrypted is padded to a multiple of it

  friend constexpr bool operator==(const PacketProtection&, const PacketProtection&) = default;
};

/// The sizes of a packet that is `plain` without protection. Of Ethernet: Ethernet's and IP's headers and the FCS,
/// which are not encrypted, and ESP's trailer of two bytes make a multiple of four.
//= rfc4303 2.4
[[nodiscard]] constexpr FrameSizes protected_sizes(FrameSizes plain, const PacketProtection& protection) {
  const std::int64_t beyond = plain.frame.count() % protection.alignment;
  const Bytes pad(beyond == 0 ? 0 : protection.alignment - beyond);
  const Bytes added = Bytes(protection.frame) + pad;
  return {.frame = plain.frame + added, .wire = plain.wire + added + Bytes(protection.gap)};
}

}  // namespace weft::wire
