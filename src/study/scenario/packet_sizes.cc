#include "study/scenario/packet_sizes.h"

#include <optional>

#include "study/scenario/encapsulation_of.h"
#include "wire/opcode.h"
#include "wire/uet/pds_ack.h"
#include "wire/uet/pds_request.h"
#include "wire/uet/ses_request.h"
#include "wire/uet/ses_response.h"
#include "wire/uet/tss.h"

namespace weft::study::scenario {
namespace {

wire::FrameSizes rdma_packet(const Scenario& scenario, wire::Operation operation, Bytes payload) {
  return wire::sizes(encapsulation_of(scenario), wire::make_opcode(wire::Service::kRc, operation), payload);
}

Bytes tcp_options(const Scenario& scenario) {
  constexpr Bytes kTimestamps{12};
  return scenario.tcp.timestamps ? kTimestamps : Bytes::zero();
}

wire::FrameSizes tcp_segment(const Scenario& scenario, Bytes payload) {
  return wire::tcp_sizes(tcp_encapsulation_of(scenario), {.options = tcp_options(scenario), .payload = payload});
}

wire::FrameSizes uet_packet(const Scenario& scenario, const wire::UetPacketParts& parts,
                            std::optional<std::int64_t> frame_without_payload) {
  if (frame_without_payload) {
    const Bytes frame = Bytes(*frame_without_payload) + parts.payload;
    return {.frame = frame, .wire = frame + Bytes(wire::kEthernetGapBytes)};
  }
  return wire::uet_sizes(encapsulation_of(scenario),
                         {.headers = parts.headers + security_bytes(scenario), .payload = parts.payload});
}

wire::FrameSizes uet_data(const Scenario& scenario, Bytes payload, std::size_t semantic_header) {
  const std::size_t pds = uses_rccc(scenario) ? wire::uet::PdsRequest::kCcSize : wire::uet::PdsRequest::kSize;
  const auto headers = static_cast<std::int64_t>(pds + semantic_header);
  return uet_packet(scenario, {.headers = Bytes(headers), .payload = payload}, scenario.uet.header_bytes);
}

}  // namespace

Bytes security_bytes(const Scenario& scenario) {
  if (engine_of(scenario.fabric.family) != FamilyEngine::kUet || scenario.uet.security == UetSecurity::kNone) {
    return Bytes::zero();
  }
  const wire::uet::TssHeader header{.has_source = scenario.uet.security == UetSecurity::kTssWithSource};
  return Bytes(static_cast<std::int64_t>(wire::uet::tss_overhead(header)));
}

wire::PacketProtection protection_of(const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  if (!own.encrypts() || own.encryption_layer == EncryptionLayer::kUet) {
    return {};
  }
  const auto bytes = static_cast<std::uint16_t>(own.encryption_bytes);
  if (own.encryption_layer == EncryptionLayer::kLink) {
    return {.gap = bytes};
  }
  return {.frame = bytes, .alignment = static_cast<std::uint8_t>(own.encryption_alignment)};
}

SecurityLatency security_latency(const Scenario& scenario) {
  const SecuritySettings& own = scenario.security;
  SecurityLatency made;
  if (security_bytes(scenario) > Bytes::zero()) {
    made.encryption = scenario.uet.security_latency * 2;
  } else if (own.encrypts()) {
    (own.encryption_layer == EncryptionLayer::kLink ? made.hop : made.encryption) = own.encryption_latency * 2;
  }
  if (own.filters()) {
    made.firewalls = own.firewall_latency * 2;
  }
  return made;
}

namespace {

wire::FrameSizes plain_data(const Scenario& scenario, Bytes payload) {
  switch (engine_of(scenario.fabric.family)) {
    case FamilyEngine::kRdma:
      return rdma_packet(scenario, wire::Operation::kWriteMiddle, payload);
    case FamilyEngine::kUet:
      return uet_data(scenario, payload, wire::uet::SesStandardRequest::kSize);
    case FamilyEngine::kIwarp:
    case FamilyEngine::kTcp:
      break;
  }
  return tcp_segment(scenario, payload);
}

wire::FrameSizes plain_largest(const Scenario& scenario, Bytes payload) {
  // Beside TCP and iWARP there may be RDMA, whose packets are larger.
  return engine_of(scenario.fabric.family) == FamilyEngine::kUet
             ? uet_data(scenario, payload, wire::uet::SesStandardRequest::kSize)
             : rdma_packet(scenario, wire::Operation::kWriteOnlyImmediate, payload);
}

wire::FrameSizes plain_acknowledgement(const Scenario& scenario) {
  if (engine_of(scenario.fabric.family) == FamilyEngine::kUet) {
    const auto headers = static_cast<std::int64_t>(wire::uet::PdsAck::kCcSize);
    return uet_packet(scenario, {.headers = Bytes(headers), .payload = Bytes::zero()}, scenario.uet.control_bytes);
  }
  return rdma_packet(scenario, wire::Operation::kAcknowledge, Bytes::zero());
}

}  // namespace

wire::FrameSizes data_packet(const Scenario& scenario, Bytes payload) {
  return wire::protected_sizes(plain_data(scenario, payload), protection_of(scenario));
}

wire::FrameSizes read_packet(const Scenario& scenario, Bytes payload) {
  if (engine_of(scenario.fabric.family) != FamilyEngine::kUet) {
    return data_packet(scenario, payload);
  }
  return wire::protected_sizes(uet_data(scenario, payload, wire::uet::SesDataResponse::kSize), protection_of(scenario));
}

wire::FrameSizes stream_segment(const Scenario& scenario, Bytes payload) {
  return wire::protected_sizes(tcp_segment(scenario, payload), protection_of(scenario));
}

Bytes stream_room(const Scenario& scenario) {
  return Bytes(scenario.tcp.mss.value_or(scenario.fabric.mtu)) - tcp_options(scenario);
}

wire::FrameSizes largest_packet(const Scenario& scenario, Bytes payload) {
  return wire::protected_sizes(plain_largest(scenario, payload), protection_of(scenario));
}

wire::FrameSizes acknowledgement(const Scenario& scenario) {
  return wire::protected_sizes(plain_acknowledgement(scenario), protection_of(scenario));
}

}  // namespace weft::study::scenario
