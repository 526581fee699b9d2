// Sizes of a packet on the wire: (encapsulation, opcode, payload) -> what it occupies in buffers, and what it costs in
// serialisation. Two table look-ups and no branch: the simulator asks once per packet.
//
// frame  Ethernet: destination address to FCS, padded to at least 64 bytes, without VLAN tag.
//        InfiniBand: LRH to VCRC.
// wire   Ethernet: the frame, preamble and start delimiter (8) and the gap (12).
//        InfiniBand: equal to the frame; the start and end delimiters are not counted (at 64b/66b and above they are
//        control blocks inside the encoding, whose cost is in the published data rates).
// TCP segments and UET packets have functions of their own, `tcp_sizes` and `uet_sizes`, since their headers have no
// opcode.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/data_size.h"
#include "wire/opcode_table.h"
#include "wire/packet.h"

namespace weft::wire {

inline constexpr std::size_t kEncapsulations = 11;

/// Preamble, start delimiter and interpacket gap.
//= ieee-802.3 4.4
inline constexpr std::uint8_t kEthernetGapBytes = 20;
/// Shortest Ethernet frame, FCS included.
//= ieee-802.3 3.2.7
inline constexpr std::uint8_t kEthernetMinFrame = 64;

/// What an encapsulation adds to BTH, extension headers, payload and pad, or to TCP's header and payload.
struct EncapsulationOverhead {
  std::uint8_t frame = 0;      // headers before the BTH, and everything behind the pad
  std::uint8_t gap = 0;        // on the wire only
  std::uint8_t min_frame = 0;  // shorter frames are padded
};

namespace detail {

/// In the order of Encapsulation.
inline constexpr std::array<EncapsulationOverhead, kEncapsulations> kEncapsulationOverhead{{
    {.frame = 8 + 4 + 2},                                                                      // LRH ICRC VCRC
    {.frame = 8 + 40 + 4 + 2},                                                                 // LRH GRH ICRC VCRC
    {.frame = 14 + 40 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},      // GRH ICRC FCS
    {.frame = 14 + 20 + 8 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},  // IP UDP ICRC FCS
    {.frame = 14 + 40 + 8 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},
    {.frame = 14 + 20 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},  // IP FCS
    {.frame = 14 + 40 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},
    {.frame = 14 + 20 + 8 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},  // IP UDP CRC FCS
    {.frame = 14 + 40 + 8 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},
    {.frame = 14 + 20 + 4 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},  // IP entropy CRC FCS
    {.frame = 14 + 40 + 4 + 4 + 4, .gap = kEthernetGapBytes, .min_frame = kEthernetMinFrame},
}};

inline constexpr std::array<std::uint8_t, 256> kHeaderBytes = [] {
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t opcode = 0; opcode < bytes.size(); ++opcode) {
    bytes[opcode] = kOpcodeTable[opcode].header_bytes;
  }
  return bytes;
}();

}  // namespace detail

[[nodiscard]] constexpr const EncapsulationOverhead& overhead_of(Encapsulation encapsulation) {
  return detail::kEncapsulationOverhead[static_cast<std::size_t>(encapsulation)];
}

struct FrameSizes {
  Bytes frame{};
  Bytes wire{};

  friend constexpr bool operator==(FrameSizes, FrameSizes) = default;
};

/// `opcode` must be valid (wire/opcode.h), `payload` 0 to the path MTU. Counts the pad to a multiple of 4.
[[nodiscard]] constexpr FrameSizes sizes(Encapsulation encapsulation, std::uint8_t opcode, Bytes payload) {
  WEFT_DCHECK(detail::kHeaderBytes[opcode] != 0 && payload >= Bytes::zero());
  const auto& overhead = overhead_of(encapsulation);
  const std::int64_t padded = (payload.count() + 3) & ~std::int64_t{3};
  const std::int64_t exact = overhead.frame + detail::kHeaderBytes[opcode] + padded;
  const std::int64_t frame = std::max<std::int64_t>(exact, overhead.min_frame);
  return {.frame = Bytes(frame), .wire = Bytes(frame + overhead.gap)};
}

/// Fills in `frame_bytes` and `wire_bytes` of a packet whose encapsulation, payload length and opcode are set.
constexpr void set_sizes(PacketCommon& common, std::uint8_t opcode) {
  const auto size = sizes(common.encapsulation, opcode, Bytes(common.payload_bytes));
  common.frame_bytes = static_cast<std::uint16_t>(size.frame.count());
  common.wire_bytes = static_cast<std::uint16_t>(size.wire.count());
}

/// TCP's header without options.
//= rfc9293 3.1
inline constexpr std::int64_t kTcpHeaderBytes = 20;

/// What a TCP segment carries besides its fixed header.
struct TcpSegmentParts {
  Bytes options{};  // 0 to 40, a multiple of 4
  Bytes payload{};
};
/// Whether a TCP segment is what an encapsulation carries.
[[nodiscard]] constexpr bool is_tcp(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::kTcpIpv4 || encapsulation == Encapsulation::kTcpIpv6;
}
/// The sizes of a TCP segment; the encapsulation must be TCP's.
[[nodiscard]] constexpr FrameSizes tcp_sizes(Encapsulation encapsulation, const TcpSegmentParts& parts) {
  WEFT_DCHECK(is_tcp(encapsulation) && parts.options <= Bytes(40) && parts.payload >= Bytes::zero());
  const auto& overhead = overhead_of(encapsulation);
  const std::int64_t exact = overhead.frame + kTcpHeaderBytes + parts.options.count() + parts.payload.count();
  const std::int64_t frame = std::max<std::int64_t>(exact, overhead.min_frame);
  return {.frame = Bytes(frame), .wire = Bytes(frame + overhead.gap)};
}

/// Whether UET is what an encapsulation carries.
[[nodiscard]] constexpr bool is_uet(Encapsulation encapsulation) { return encapsulation >= Encapsulation::kUetUdpIpv4; }

/// What a UET packet consists of between the IP or UDP header and the CRC.
struct UetPacketParts {
  Bytes headers{};  // PDS, SES and its extensions
  Bytes payload{};
};
/// The sizes of a UET packet that no security header protects; the encapsulation must be one of UET's.
[[nodiscard]] constexpr FrameSizes uet_sizes(Encapsulation encapsulation, const UetPacketParts& parts) {
  WEFT_DCHECK(is_uet(encapsulation) && parts.headers >= Bytes(4) && parts.payload >= Bytes::zero());
  const auto& overhead = overhead_of(encapsulation);
  const std::int64_t exact = overhead.frame + parts.headers.count() + parts.payload.count();
  const std::int64_t frame = std::max<std::int64_t>(exact, overhead.min_frame);
  return {.frame = Bytes(frame), .wire = Bytes(frame + overhead.gap)};
}

/// "ib-local", "ib-global", "rocev1", "rocev2-ipv4", "rocev2-ipv6", "tcp-ipv4", "tcp-ipv6", "uet-udp-ipv4",
/// "uet-udp-ipv6", "uet-ipv4", "uet-ipv6".
[[nodiscard]] const char* to_string(Encapsulation encapsulation);

}  // namespace weft::wire
