// Between the records of Ultra Ethernet (wire/uet_header.h) and a frame of headers (wire/uet/uet_frame.h).
//
// Carried: everything of UetHeader and UetExtension that the type of packet and its SES header call for, payload
// length, encapsulation; of PacketCommon DSCP = traffic_class, ecn, entropy value = entropy (IPv6: flow label too),
// hop_limit. Not carried: endpoint ids, priority, kControl, kCorrupted, trimming, `hop_scratch`, `flow_hash`, `cold`.
// How the two differ, and what stands where a header has no field (docs/decisions/0040):
//   target of a response   its job id, as a request's job id is its sender's queue pair number
//   message id, medium     the top 16 bits of the memory key, of which the record has the low 32, or of the match bits
//   buffer offset          on the wire of the message; in the record of the packet, so with the offset in the message
//   the same, deferrable   on the wire a restart token; in the record the offset in the message
//   fields of jobs         where wire/uet_job_record.h says
//   without kHasCold       a request's length and offset in the message are written as 0: readers find the same place
//   operand of an atomic   on the wire payload, in the record not; its result is payload in both
//   number of a probe      `psn_offset` of the record, of the probe and of its answer, which has no PSN that it answers
// No record form: TSS, responses with data in an ACK, small responses with data, EPSN, the extension of synchronizing
// requests, an SES header that the PDS header does not know. State of ACK_CCX and NACK_CCX is read as 0.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"
#include "wire/packet.h"
#include "wire/packet_codec.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire {

/// PDS, SES and payload alone, without CRC: for a sender whose network headers the kernel writes. The type must have a
/// record form. `payload` must have `payload_bytes` bytes, or none: then zeros stand for them. The frame views
/// `payload` and `cold`, which is read only with kHasCold.
[[nodiscard]] uet::UetFrame uet_transport_frame(const Packet& packet, const ColdPacket& cold,
                                                std::span<const std::byte> payload);

/// The same with network headers, sealed; the encapsulation is one of UET's.
[[nodiscard]] uet::UetFrame to_uet_frame(const Packet& packet, const ColdPacket& cold,
                                         std::span<const std::byte> payload, const Addresses& addresses);

/// Network headers in front of what `frame` has, for an encapsulation of UET; not sealed.
void add_uet_network(uet::UetFrame& frame, const PacketCommon& common, const Addresses& addresses);

/// Writes what the frame carries, with `frame_bytes` and `wire_bytes`, and leaves every other member as it was. All of
/// `cold` is written and kHasCold set for requests with an SES header or a congestion context, for responses, and for
/// ACKs with a response.
/// Errors: no record form.
[[nodiscard]] Result<void> from_uet_frame(const uet::UetFrame& frame, Packet& packet, ColdPacket& cold);

}  // namespace weft::wire
