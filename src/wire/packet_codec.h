// Between the records that engines and fabrics use (wire/packet.h) and a frame of headers (wire/frame.h).
//
// Carried: everything of IbTransportHeader that the opcode calls for, atomic operands and SACK bitmap, payload length,
// encapsulation, and of PacketCommon what the encapsulation has a field for:
//   IB local    virtual lane = priority, service level = traffic_class, ecn CE = FECN
//   IB global   the same, and flow label = entropy, hop_limit
//   RoCEv1      GRH traffic class = traffic_class (as DSCP) and ecn, flow label = entropy, hop_limit
//   RoCEv2      DSCP = traffic_class, ecn, source port = entropy (IPv6: flow label too), hop_limit
// Not carried: endpoint ids (addresses stand for them), a RoCE priority (no VLAN tag is sent), kCorrupted, kControl,
// `hop_scratch`, `flow_hash` and `cold`.
// Forms to know: InfiniBand has FECN in `ecn` and not in the flags; an atomic request's dma_length is 8; FLUSH has its
// FETH in `immediate`, as the 32-bit word of the wire. RD and XRC have no form in the records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/address.h"
#include "wire/frame.h"
#include "wire/packet.h"

namespace weft::wire {

/// Every address that one end may need; an encapsulation uses some of them. The IPv6 address is the GID too.
struct EndAddresses {
  MacAddress mac{};
  Ipv4Address ipv4{};
  Ipv6Address ipv6{};
  std::uint16_t lid = 0;  // the base LID: a multiple of 2^lid_mask_control
  /// 0 to 7: the end has 2^this LIDs, and the low bits of a packet's entropy say which of both ends' it names.
  std::uint8_t lid_mask_control = 0;
};

struct Addresses {
  EndAddresses source{};
  EndAddresses destination{};
};

/// True for the opcodes that the records can hold: valid, and neither RD nor XRC.
[[nodiscard]] bool has_record_form(std::uint8_t opcode);

/// A sealed frame. The opcode must have a record form. `payload` must have `payload_bytes` bytes, or none: then zeros
/// stand for them (runs that move lengths only), at most RdmaFrame::kMaxSealedPayload.
/// `cold` is read only for opcodes with atomic operands or a SACK bitmap.
[[nodiscard]] RdmaFrame to_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload,
                                 const Addresses& addresses);

/// The part of it from the BTH on, neither sealed nor wrapped: for a sender whose network headers the kernel writes.
[[nodiscard]] RdmaFrame transport_frame(const Packet& packet, const ColdPacket& cold,
                                        std::span<const std::byte> payload);

/// Writes what the frame carries, with `frame_bytes` and `wire_bytes`, and leaves every other member as it was.
/// Sets kHasCold and writes `cold` exactly for opcodes with atomic operands or a SACK bitmap; the caller then sets the
/// handle. Errors: an opcode without a record form, no encapsulation (transport-level input).
Result<void> from_frame(const RdmaFrame& frame, Packet& packet, ColdPacket& cold);

}  // namespace weft::wire
