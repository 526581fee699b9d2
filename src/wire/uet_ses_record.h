// The SES half of wire/uet_packet_codec.h: requests, responses and extensions to and from the packet record.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "wire/packet.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire {

/// Whether a frame's payload are the bytes, or zeros in their place.
enum class SesPayload : std::uint8_t { kLengthAlone, kGiven };

/// Sets `frame.ses` as the record says, whose next-header field must name an SES header with a record form, and of an
/// atomic's operand and result the payload: it views `cold`, which is null without one.
void write_ses(const Packet& packet, const ColdPacket* cold, uet::UetFrame& frame, SesPayload payload);
/// The response in an ACK.
[[nodiscard]] uet::SesResponse make_ses_answer(const UetExtension& extension);

/// What a frame's SES header is in the record.
struct SesRecord {
  std::uint16_t payload_bytes = 0;
  bool has_cold = false;
};
/// `header` and `cold` have the fields of PDS already.
[[nodiscard]] Result<SesRecord> read_ses(const uet::UetFrame& frame, UetHeader& header, ColdPacket& cold);

}  // namespace weft::wire
