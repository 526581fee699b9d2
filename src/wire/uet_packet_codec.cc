#include "wire/uet_packet_codec.h"

#include <array>
#include <utility>

#include "base/assert.h"
#include "wire/encapsulation.h"
#include "wire/uet_ses_record.h"

namespace weft::wire {

namespace {

using uet::PdsAck;
using uet::PdsControl;
using uet::PdsHeader;
using uet::PdsNack;
using uet::PdsRequest;
using uet::PdsRudi;
using uet::PdsUud;

constexpr std::array<std::byte, uet::UetFrame::kMaxPayload> kUetZeroPayload{};

bool over_ipv6(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::kUetUdpIpv6 || encapsulation == Encapsulation::kUetIpv6;
}
bool over_udp(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::kUetUdpIpv4 || encapsulation == Encapsulation::kUetUdpIpv6;
}

// From the record.

PdsHeader make_request(const UetHeader& header, const UetExtension* extension) {
  const bool syn = header.has(kUetSyn);
  PdsRequest request{.type = header.type,
                     .next_header = header.next_header(),
                     .retransmitted = header.has(kUetRetransmit),
                     .ack_request = header.has(kUetAckRequest),
                     .syn = syn,
                     .psn = header.psn,
                     .source_pdc = header.source_pdc};
  if (syn) {
    request.pdc_info.psn_offset = static_cast<std::uint16_t>(header.psn_offset & 0x0FFF);
  } else {
    request.clear_psn_offset = header.psn_offset;
    request.destination_pdc = header.destination_pdc;
  }
  if (has_congestion_context(header.type) && extension != nullptr) {
    request.credit_target = extension->credit_target;
  }
  return request;
}

uet::AckRequest ack_request_of(std::uint8_t flags) {
  return static_cast<uet::AckRequest>((flags & (kUetRequestClear | kUetRequestClose)) >> 1);
}

PdsHeader make_ack(const UetHeader& header, bool answers) {
  PdsAck ack{.type = header.type,
             .next_header = answers ? UetNextHeader::kResponse : UetNextHeader::kNone,
             .marked = header.has(kUetMarked),
             .retransmitted = header.has(kUetRetransmit),
             .probe = header.has(kUetProbeReply),
             .request = ack_request_of(header.flags),
             .cumulative_psn = header.psn,
             .source_pdc = header.source_pdc,
             .destination_pdc = header.destination_pdc};
  if (ack.probe) {
    ack.probe_opaque = static_cast<std::uint16_t>(header.psn_offset);
  } else {
    ack.ack_psn_offset = header.psn_offset;
  }
  if (header.type != UetType::kAck) {
    ack.cc_type = static_cast<uet::CcType>(header.cc_type);
    ack.mpr = header.mpr_or_header;
    ack.sack_psn_offset = header.sack_offset;
    ack.sack_bitmap = header.ack.sack_bitmap;
    ack.cc_state = header.ack.cc_state;
  }
  return ack;
}

PdsHeader make_nack(const UetHeader& header) {
  const bool rudi = header.has(kUetNackRudi);
  return PdsNack{.type = header.type,
                 .marked = header.has(kUetMarked),
                 .retransmitted = header.has(kUetRetransmit),
                 .rudi = rudi,
                 .code = static_cast<UetNack>(header.notice.code),
                 .psn = header.psn,
                 .source_pdc = header.source_pdc,
                 .destination_pdc = header.destination_pdc,
                 .payload = header.notice.payload};
}

PdsHeader make_control(const UetHeader& header) {
  const bool syn = header.has(kUetSyn);
  PdsControl control{.control = static_cast<UetControl>(header.notice.code),
                     .rod = header.has(kUetControlRod),
                     .retransmitted = header.has(kUetRetransmit),
                     .ack_request = header.has(kUetAckRequest),
                     .syn = syn,
                     .psn = header.psn,
                     .source_pdc = header.source_pdc,
                     .payload = header.notice.payload};
  if (syn) {
    control.pdc_info.psn_offset = static_cast<std::uint16_t>(header.psn_offset & 0x0FFF);
  } else {
    control.destination_pdc = header.destination_pdc;
    control.probe_opaque = static_cast<std::uint16_t>(header.psn_offset);
  }
  return control;
}

PdsHeader make_pds(const UetHeader& header, const UetExtension* extension) {
  switch (header.type) {
    case UetType::kRudRequest:
    case UetType::kRodRequest:
    case UetType::kRudCcRequest:
    case UetType::kRodCcRequest:
      return make_request(header, extension);
    case UetType::kRudiRequest:
    case UetType::kRudiResponse:
      return PdsRudi{.type = header.type,
                     .next_header = header.next_header(),
                     .marked = header.type == UetType::kRudiResponse && header.has(kUetMarked),
                     .retransmitted = header.has(kUetRetransmit),
                     .packet_id = header.psn};
    case UetType::kUudRequest:
      return PdsUud{.next_header = header.next_header()};
    case UetType::kAck:
    case UetType::kAckCc:
    case UetType::kAckCcx:
      return make_ack(header, extension != nullptr);
    case UetType::kNack:
    case UetType::kNackCcx:
      return make_nack(header);
    case UetType::kControl:
      return make_control(header);
    case UetType::kSecurity:
      break;
  }
  WEFT_ASSERT(false && "the type of a UET packet has no record form");
  return PdsUud{};
}

// To the record.

std::uint8_t bit(bool set, UetFlag flag) { return static_cast<std::uint8_t>(set ? flag : 0); }

/// Each of these writes one PDS header into the record, or says what has no form there.
struct PdsReader {
  UetHeader& header;
  UetExtension& extension;

  Result<void> operator()(const PdsRequest& request) const {
    header.type = request.type;
    header.flags = static_cast<std::uint8_t>(bit(request.syn, kUetSyn) | bit(request.ack_request, kUetAckRequest) |
                                             bit(request.retransmitted, kUetRetransmit));
    header.psn = request.psn;
    header.source_pdc = request.source_pdc;
    header.destination_pdc = request.destination_pdc;
    header.psn_offset = request.syn ? static_cast<std::int16_t>(request.pdc_info.psn_offset) : request.clear_psn_offset;
    extension.credit_target = request.credit_target;
    return {};
  }
  Result<void> operator()(const PdsRudi& rudi) const {
    header.type = rudi.type;
    const bool marked = rudi.marked && rudi.type == UetType::kRudiResponse;  // of a request the flag is reserved
    header.flags = static_cast<std::uint8_t>(bit(marked, kUetMarked) | bit(rudi.retransmitted, kUetRetransmit));
    header.psn = rudi.packet_id;
    return {};
  }
  Result<void> operator()(const PdsUud& /*uud*/) const {
    header.type = UetType::kUudRequest;
    return {};
  }
  Result<void> operator()(const PdsAck& ack) const {
    if (ack.has_expected_psn()) {
      return fail("a {} with an expected PSN has no form in a packet record", to_string(ack.type));
    }
    header.type = ack.type;
    header.flags = static_cast<std::uint8_t>(bit(ack.marked, kUetMarked) | bit(ack.retransmitted, kUetRetransmit) |
                                             bit(ack.probe, kUetProbeReply) | static_cast<unsigned>(ack.request) << 1);
    header.psn = ack.cumulative_psn;
    header.source_pdc = ack.source_pdc;
    header.destination_pdc = ack.destination_pdc;
    header.psn_offset = ack.probe ? static_cast<std::int16_t>(ack.probe_opaque) : ack.ack_psn_offset;
    header.cc_type = static_cast<std::uint8_t>(ack.cc_type);
    header.mpr_or_header = ack.mpr;
    header.sack_offset = ack.sack_psn_offset;
    header.ack = {.sack_bitmap = ack.sack_bitmap, .cc_state = ack.cc_state};
    return {};
  }
  Result<void> operator()(const PdsNack& nack) const {
    header.type = nack.type;
    header.flags = static_cast<std::uint8_t>(bit(nack.marked, kUetMarked) | bit(nack.retransmitted, kUetRetransmit) |
                                             bit(nack.rudi, kUetNackRudi));
    header.psn = nack.psn;
    header.source_pdc = nack.source_pdc;
    header.destination_pdc = nack.destination_pdc;
    header.notice.payload = nack.payload;
    header.notice.code = static_cast<std::uint8_t>(nack.code);
    return {};
  }
  Result<void> operator()(const PdsControl& control) const {
    header.type = UetType::kControl;
    header.flags =
        static_cast<std::uint8_t>(bit(control.syn, kUetSyn) | bit(control.ack_request, kUetAckRequest) |
                                  bit(control.retransmitted, kUetRetransmit) | bit(control.rod, kUetControlRod));
    header.psn = control.psn;
    header.source_pdc = control.source_pdc;
    header.destination_pdc = control.destination_pdc;
    header.psn_offset = static_cast<std::int16_t>(control.syn ? control.pdc_info.psn_offset : control.probe_opaque);
    header.notice.payload = control.payload;
    header.notice.code = static_cast<std::uint8_t>(control.control);
    return {};
  }
};

std::optional<Encapsulation> uet_encapsulation_of(const uet::UetFrame& frame) {
  if (frame.ipv4.has_value() == frame.ipv6.has_value() || frame.udp.has_value() == frame.entropy.has_value()) {
    return std::nullopt;
  }
  if (frame.ipv6) {
    return frame.udp ? Encapsulation::kUetUdpIpv6 : Encapsulation::kUetIpv6;
  }
  return frame.udp ? Encapsulation::kUetUdpIpv4 : Encapsulation::kUetIpv4;
}

void read_uet_network(const uet::UetFrame& frame, PacketCommon& common) {
  common.entropy = frame.entropy_value();
  if (frame.ipv4) {
    common.traffic_class = frame.ipv4->dscp;
    common.ecn = frame.ipv4->ecn;
    common.hop_limit = frame.ipv4->time_to_live;
  } else {
    common.traffic_class = frame.ipv6->dscp;
    common.ecn = frame.ipv6->ecn;
    common.hop_limit = frame.ipv6->hop_limit;
  }
}

}  // namespace

uet::UetFrame uet_transport_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload) {
  const std::size_t length = packet.common.payload_bytes;
  WEFT_ASSERT(payload.empty() ? length <= kUetZeroPayload.size() : payload.size() == length);
  const UetHeader& header = packet.uet;
  const UetExtension* const extension = packet.has(kHasCold) ? &cold.uet : nullptr;
  uet::UetFrame frame;
  frame.pds = make_pds(header, extension);
  frame.payload = payload.empty() ? std::span(kUetZeroPayload).first(length) : payload;
  const UetNextHeader next = next_header_of(*frame.pds);
  if (uet::is_ack(header.type)) {
    if (extension != nullptr) {
      frame.ses.header = make_ses_answer(*extension);
    }
  } else if (next != UetNextHeader::kNone) {
    write_ses(packet, packet.has(kHasCold) ? &cold : nullptr, frame,
              payload.empty() ? SesPayload::kLengthAlone : SesPayload::kGiven);
  }
  return frame;
}

void add_uet_network(uet::UetFrame& frame, const PacketCommon& common, const Addresses& addresses) {
  WEFT_ASSERT(is_uet(common.encapsulation));
  const bool ipv6 = over_ipv6(common.encapsulation);
  frame.ethernet = EthernetHeader{.destination = addresses.destination.mac,
                                  .source = addresses.source.mac,
                                  .ether_type = ipv6 ? kEtherTypeIpv6 : kEtherTypeIpv4};
  if (ipv6) {
    frame.ipv6 = Ipv6Header{.dscp = common.traffic_class,
                            .ecn = common.ecn,
                            .flow_label = common.entropy,
                            .hop_limit = common.hop_limit,
                            .source = addresses.source.ipv6,
                            .destination = addresses.destination.ipv6};
  } else {
    frame.ipv4 = Ipv4Header{.dscp = common.traffic_class,
                            .ecn = common.ecn,
                            .dont_fragment = true,
                            .time_to_live = common.hop_limit,
                            .source = addresses.source.ipv4,
                            .destination = addresses.destination.ipv4};
  }
  if (over_udp(common.encapsulation)) {
    frame.udp = UdpHeader{.source_port = common.entropy};
  } else {
    frame.entropy = uet::EntropyHeader{.entropy = common.entropy};
  }
}

uet::UetFrame to_uet_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload,
                           const Addresses& addresses) {
  uet::UetFrame frame = uet_transport_frame(packet, cold, payload);
  add_uet_network(frame, packet.common, addresses);
  seal_frame(frame);
  return frame;
}

Result<void> from_uet_frame(const uet::UetFrame& frame, Packet& packet, ColdPacket& cold) {
  const auto encapsulation = uet_encapsulation_of(frame);
  if (!encapsulation) {
    return fail("frame has no IP header, or neither a UDP nor an entropy header: its encapsulation is unknown");
  }
  if (!frame.pds) {
    return fail("what TSS protects has no form in a packet record before it is decrypted");
  }
  PacketCommon& common = packet.common;
  UetHeader header{};
  ColdPacket carried{.sack = {}, .uet = {}};
  if (Result<void> read = std::visit(PdsReader{header, carried.uet}, *frame.pds); !read) {
    return read;
  }
  Result<SesRecord> ses = read_ses(frame, header, carried);
  if (!ses) {
    return pass_on(ses);
  }
  common.kind = PacketKind::kUet;
  common.encapsulation = *encapsulation;
  common.payload_bytes = ses->payload_bytes;
  const bool has_cold = ses->has_cold || has_congestion_context(header.type);
  common.flags = static_cast<std::uint8_t>((common.flags & ~kHasCold) | (has_cold ? kHasCold : 0));
  read_uet_network(frame, common);
  packet.uet = header;
  if (has_cold) {
    cold = carried;
  }
  const FrameSizes size =
      uet_sizes(*encapsulation, {.headers = Bytes(static_cast<std::int64_t>(size_of(*frame.pds) + frame.ses.size())),
                                 .payload = Bytes(static_cast<std::int64_t>(frame.payload.size()))});
  common.frame_bytes = static_cast<std::uint16_t>(size.frame.count());
  common.wire_bytes = static_cast<std::uint16_t>(size.wire.count());
  return {};
}

}  // namespace weft::wire
