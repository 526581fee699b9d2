// Ultra Ethernet headers as engines see them: the decoded form of PDS and SES in the packet record (wire/packet.h).
//
// One record of 32 bytes serves every PDS type. What few packets carry (credit targets, header data, operands of
// atomics, SES responses) is in UetExtension, which lies in the cold record. Numbers are those of the wire. A target's
// address within its endpoint is PIDonFEP and resource index, 12 bits each, here one number of 24 bits.
// Source: Ultra Ethernet Specification 1.0, PDS and SES.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/uet/nack_code.h"
#include "wire/uet/pds_prologue.h"
#include "wire/uet/ses_codes.h"

namespace weft::wire {

using UetType = uet::PdsType;
using UetControl = uet::ControlType;
using UetNack = uet::NackCode;
using UetNextHeader = uet::NextHeader;
using UetOperation = uet::SesOpcode;

/// Flags of the PDS prologue, by type of packet.
enum UetFlag : std::uint8_t {
  // Requests and control packets.
  kUetSyn = 0x04,         // the peer's context is not known yet
  kUetAckRequest = 0x08,  // answer at once
  kUetRetransmit = 0x10,  // requests, acknowledgements and NACKs alike
  kUetControlRod = 0x20,  // control packets: of a ROD context
  // Acknowledgements.
  kUetRequestClear = 0x02,  // please say which responses have arrived
  kUetRequestClose = 0x04,  // please close this context
  kUetProbeReply = 0x08,
  kUetMarked = 0x20,  // also NACKs: the packet answered came marked
  kUetExpected = 0x40,
  // NACKs.
  kUetNackRudi = 0x08,  // names a RUDI packet
};

/// Codes that are not experimental.
inline constexpr std::size_t kUetNackCodes = 0x1B;

/// Flags of an SES request.
enum UetSesFlag : std::uint8_t {
  kUetStartOfMessage = 0x01,
  kUetEndOfMessage = 0x02,
  kUetHeaderData = 0x04,
  kUetRelative = 0x08,  // the address is relative to the job
  kUetInitiatorError = 0x10,
  kUetDeliveryComplete = 0x20,
};

/// SES request, and SES response with data: which part of which message, and where it belongs.
struct UetRequestFields {
  std::uint64_t buffer_offset;  // of this packet's payload: an address, or an offset within the message
  std::uint32_t memory_key;     // of a WRITE, READ or atomic; of a SEND its place among the receiver's requests
  std::uint16_t message_id;
  std::uint8_t operation;  // UetOperation
  std::uint8_t ses_flags;  // UetSesFlag bits
};
/// Acknowledgement: which packets beyond the cumulative one have come, and what congestion control is to know.
struct UetAckFields {
  std::uint64_t sack_bitmap;  // bit i: the packet `sack_offset + i` after the cumulative one
  std::uint64_t cc_state;     // wire/uet/ack_cc_state.h
};
/// NACK and control packet.
struct UetNoticeFields {
  std::uint32_t payload;  // by code or control type
  std::uint8_t code;      // UetNack or UetControl
};

/// PDS header with the SES header that its next-header field calls for; no initial values, UetHeader{} is all zeros. 32
/// bytes.
struct UetHeader {
  union {
    UetRequestFields request;
    UetAckFields ack;
    UetNoticeFields notice;
  };
  std::uint32_t psn;  // of a request or control packet; cumulative of an ACK; the one that a NACK names
  std::uint16_t source_pdc;
  std::uint16_t destination_pdc;  // unused with kUetSyn
  /// Request: the clear PSN less the PSN, with kUetSyn the PSN less the start PSN. ACK: the PSN answered less `psn`.
  std::int16_t psn_offset;
  UetType type;
  std::uint8_t flags;          // UetFlag bits
  std::int16_t sack_offset;    // ACK: of the bitmap's first bit from `psn`. Request: low half of `resource`
  std::uint8_t cc_type;        // ACK: 0 NSCC, 1 credit. Request: high part of `resource`
  std::uint8_t mpr_or_header;  // ACK: window in units of 128 PSNs. Request: UetNextHeader

  [[nodiscard]] constexpr bool has(UetFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] constexpr UetNextHeader next_header() const { return static_cast<UetNextHeader>(mpr_or_header); }
  [[nodiscard]] constexpr bool has_ses(UetSesFlag flag) const { return (request.ses_flags & flag) != 0; }
  [[nodiscard]] constexpr UetOperation operation() const { return static_cast<UetOperation>(request.operation); }
  /// PIDonFEP and resource index of a request's target: 24 bits.
  [[nodiscard]] constexpr std::uint32_t resource() const {
    return static_cast<std::uint16_t>(sack_offset) | static_cast<std::uint32_t>(cc_type) << 16;
  }
  constexpr void set_target(UetNextHeader header, std::uint32_t resource) {
    mpr_or_header = static_cast<std::uint8_t>(header);
    sack_offset = static_cast<std::int16_t>(resource & 0xFFFF);
    cc_type = static_cast<std::uint8_t>(resource >> 16);
  }
};
static_assert(sizeof(UetHeader) == 32);

/// What few UET packets carry besides, in the cold record; no initial values.
struct UetExtension {
  std::uint64_t header_data;  // kUetHeaderData: completion data; of a small response: its data
  std::uint64_t operand;      // of an atomic: addend, or the value to put
  std::uint64_t compare;      // of a compare and swap
  std::uint32_t credit_target;
  std::uint32_t length;      // of the message; of a response: the length that was accepted
  std::uint32_t initiator;   // who sends, as programs name each other
  std::uint32_t offset;      // of this packet's payload within its message; in its first packet 0
  std::uint32_t job;         // 24 bits: of a request; a response repeats it
  std::uint16_t message_id;  // SES response in an acknowledgement: of the message answered
  std::uint8_t return_code;  // SES response; 0: no error
  std::uint8_t atomic_code;  // uet::AtomicOperation
};
static_assert(sizeof(UetExtension) == 48);

}  // namespace weft::wire
