// For tests: sealed UET packets of every PDS type and SES header, in every encapsulation, with fields from a seed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire::uet {

/// A frame with the memory that its payload views.
struct SampleUetFrame {
  std::string name;
  std::vector<std::byte> payload;
  UetFrame frame;

  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::vector<std::byte> out(emitted_size(frame));
    emit_frame(frame, out);
    return out;
  }
};

enum class UetForm : std::uint8_t { kUdpIpv4, kUdpIpv6, kNativeIpv4, kNativeIpv6 };
inline constexpr UetForm kUetForms[] = {UetForm::kUdpIpv4, UetForm::kUdpIpv6, UetForm::kNativeIpv4,
                                        UetForm::kNativeIpv6};

namespace detail {

inline bool coin(RandomStream& random) { return random.uniform(2) == 1; }
inline std::uint16_t any16(RandomStream& random) { return static_cast<std::uint16_t>(random.next()); }
inline std::uint32_t any32(RandomStream& random) { return static_cast<std::uint32_t>(random.next()); }
inline std::uint32_t any24(RandomStream& random) { return static_cast<std::uint32_t>(random.uniform(1U << 24)); }
inline std::uint16_t any12(RandomStream& random) { return static_cast<std::uint16_t>(random.uniform(1U << 12)); }

inline UetFrame sample_network(UetForm form, RandomStream& random) {
  UetFrame frame;
  frame.ethernet = EthernetHeader{.destination = {{2, 0, 0, 0, 0, 1}}, .source = {{2, 0, 0, 0, 0, 2}}};
  if (form == UetForm::kUdpIpv6 || form == UetForm::kNativeIpv6) {
    frame.ethernet->ether_type = kEtherTypeIpv6;
    frame.ipv6 = Ipv6Header{.source = {{0x20, 1, 0x0D, 0xB8, 1}}, .destination = {{0x20, 1, 0x0D, 0xB8, 2}}};
  } else {
    frame.ethernet->ether_type = kEtherTypeIpv4;
    frame.ipv4 = Ipv4Header{
        .dont_fragment = true, .source = {0x0A000000U + any24(random)}, .destination = {0x0A000000U + any24(random)}};
  }
  if (form == UetForm::kUdpIpv4 || form == UetForm::kUdpIpv6) {
    frame.udp = UdpHeader{.source_port = static_cast<std::uint16_t>(49152 + random.uniform(16384))};
  } else {
    frame.entropy = EntropyHeader{.entropy = any16(random)};
  }
  return frame;
}

inline std::vector<std::pair<std::string, PdsHeader>> sample_pds(NextHeader request, RandomStream& random) {
  std::vector<std::pair<std::string, PdsHeader>> all;
  for (const PdsType type :
       {PdsType::kRudRequest, PdsType::kRodRequest, PdsType::kRudCcRequest, PdsType::kRodCcRequest}) {
    for (const bool syn : {false, true}) {
      PdsRequest header{.type = type,
                        .next_header = request,
                        .retransmitted = coin(random),
                        .ack_request = coin(random),
                        .syn = syn,
                        .clear_psn_offset = static_cast<std::int16_t>(any16(random)),
                        .psn = any32(random),
                        .source_pdc = any16(random)};
      if (syn) {
        header.pdc_info = {.use_reserved_pdc = coin(random), .psn_offset = any12(random)};
      } else {
        header.destination_pdc = any16(random);
      }
      if (has_congestion_context(type)) {
        header.ccc_id = static_cast<std::uint8_t>(random.next());
        header.credit_target = any24(random);
      }
      all.emplace_back(std::string(to_string(type)) + (syn ? " SYN" : ""), header);
    }
  }
  all.emplace_back("RUDI request", PdsRudi{.type = PdsType::kRudiRequest,
                                           .next_header = request,
                                           .retransmitted = coin(random),
                                           .packet_id = any32(random)});
  all.emplace_back("UUD request", PdsUud{.next_header = request});
  return all;
}

inline PdsAck sample_ack(PdsType type, NextHeader next, RandomStream& random) {
  PdsAck ack{.type = type,
             .next_header = next,
             .marked = coin(random),
             .retransmitted = coin(random),
             .request = static_cast<AckRequest>(random.uniform(3)),
             .ack_psn_offset = static_cast<std::int16_t>(any16(random)),
             .cumulative_psn = any32(random),
             .source_pdc = any16(random),
             .destination_pdc = any16(random)};
  if (type != PdsType::kAck) {
    ack.cc_type = static_cast<CcType>(random.uniform(2));
    ack.mpr = static_cast<std::uint8_t>(random.next());
    ack.sack_psn_offset = static_cast<std::int16_t>(any16(random));
    ack.sack_bitmap = random.next();
    ack.cc_state = random.next();
  }
  if (type == PdsType::kAckCcx) {
    ack.ccx_state = random.next();
  }
  return ack;
}

inline SesOperation sample_operation(SesOpcode opcode, RandomStream& random) {
  return {.opcode = opcode,
          .delivery_complete = coin(random),
          .relative = coin(random),
          .header_data = coin(random),
          .end_of_message = coin(random),
          .start_of_message = coin(random)};
}

inline SesTarget sample_target(RandomStream& random) {
  return {.index_generation = static_cast<std::uint8_t>(random.next()),
          .job_id = any24(random),
          .pid_on_fep = any12(random),
          .resource_index = any12(random)};
}

inline SesExtensions sample_extensions(SesOpcode opcode, RandomStream& random) {
  SesExtensions extensions;
  if (is_synchronizing(opcode)) {
    extensions.sync = SesSync{.group = any16(random), .count = any16(random)};
  }
  if (is_atomic(opcode)) {
    extensions.atomic = SesAtomic{.operation = static_cast<AtomicOperation>(random.uniform(21)),
                                  .type = static_cast<AtomicType>(random.uniform(18)),
                                  .control = static_cast<std::uint8_t>(random.uniform(4))};
    if (has_two_operands(extensions.atomic->operation)) {
      extensions.compare_swap = SesCompareSwap{};
      extensions.compare_swap->compare.back() = static_cast<std::byte>(random.uniform(256));
      extensions.compare_swap->swap.back() = static_cast<std::byte>(random.uniform(256));
    }
  }
  if (is_rendezvous(opcode)) {
    extensions.rendezvous = SesRendezvous{.eager_length = any32(random),
                                          .index_generation = static_cast<std::uint8_t>(random.next()),
                                          .pid_on_fep = any12(random),
                                          .resource_index = any12(random),
                                          .read_offset = random.next(),
                                          .read_memory_key = random.next()};
  }
  return extensions;
}

inline Ses sample_request(NextHeader next, SesOpcode opcode, RandomStream& random) {
  const SesOperation operation = sample_operation(opcode, random);
  const SesTarget target = sample_target(random);
  const SesLength length{.bytes = static_cast<std::uint16_t>(random.uniform(1U << 14))};
  Ses ses{.extensions = sample_extensions(opcode, random)};
  if (next == NextHeader::kRequestSmall) {
    ses.header = SesSmallRequest{
        .operation = operation, .request_length = length, .target = target, .buffer_offset = random.next()};
  } else if (next == NextHeader::kRequestMedium) {
    ses.header = SesMediumRequest{.operation = operation,
                                  .request_length = length,
                                  .target = target,
                                  .header_data = random.next(),
                                  .initiator = any32(random),
                                  .memory_key = random.next()};
  } else {
    SesStandardRequest request{.operation = operation,
                               .message_id = any16(random),
                               .target = target,
                               .buffer_offset = random.next(),
                               .initiator = any32(random),
                               .memory_key = random.next(),
                               .request_length = any32(random)};
    if (operation.start_of_message) {
      request.completion_data = random.next();
    } else {
      request.payload_length = length;
      request.message_offset = any32(random);
    }
    ses.header = request;
  }
  return ses;
}

inline SesOutcome sample_outcome(SesResponseOpcode opcode, RandomStream& random) {
  return {.list = static_cast<SesList>(random.uniform(2)),
          .opcode = opcode,
          .return_code = static_cast<SesReturnCode>(random.uniform(0x25))};
}

inline std::vector<std::pair<NextHeader, Ses>> sample_responses(RandomStream& random) {
  return {
      {NextHeader::kNone, Ses{}},
      {NextHeader::kResponse, Ses{.header = SesResponse{.outcome = sample_outcome(SesResponseOpcode::kResponse, random),
                                                        .message_id = any16(random),
                                                        .index_generation = static_cast<std::uint8_t>(random.next()),
                                                        .job_id = any24(random),
                                                        .modified_length = any32(random)}}},
      {NextHeader::kResponseData,
       Ses{.header = SesDataResponse{.outcome = sample_outcome(SesResponseOpcode::kWithData, random),
                                     .message_id = any16(random),
                                     .job_id = any24(random),
                                     .read_message_id = any16(random),
                                     .payload_length = {.bytes = any12(random)},
                                     .modified_length = any32(random),
                                     .message_offset = any32(random)}}},
      {NextHeader::kResponseDataSmall,
       Ses{.header = SesSmallDataResponse{.outcome = sample_outcome(SesResponseOpcode::kWithData, random),
                                          .payload_length = {.bytes = any12(random)},
                                          .job_id = any24(random),
                                          .original_psn = any32(random)}}}};
}

inline std::vector<std::pair<std::string, PdsHeader>> sample_notices(RandomStream& random) {
  std::vector<std::pair<std::string, PdsHeader>> all;
  for (const int code : {0x01, 0x02, 0x0D, 0x17, 0x1A, 0xFF}) {
    all.emplace_back("NACK", PdsNack{.marked = coin(random),
                                     .retransmitted = coin(random),
                                     .code = static_cast<NackCode>(code),
                                     .psn = any32(random),
                                     .source_pdc = any16(random),
                                     .destination_pdc = any16(random),
                                     .payload = any32(random)});
  }
  all.emplace_back("NACK of RUDI", PdsNack{.rudi = true, .code = NackCode::kTrimmed, .psn = any32(random)});
  all.emplace_back("NACK_CCX", PdsNack{.type = PdsType::kNackCcx,
                                       .code = NackCode::kNoResource,
                                       .vendor_code = 3,
                                       .psn = any32(random),
                                       .ccx_type = 15,
                                       .ccx_state1 = random.next() >> 4,
                                       .ccx_state2 = random.next()});
  for (std::uint8_t type = 0; type <= 9; ++type) {
    all.emplace_back("control", PdsControl{.control = static_cast<ControlType>(type),
                                           .rod = coin(random),
                                           .ack_request = coin(random),
                                           .probe_opaque = any16(random),
                                           .psn = any32(random),
                                           .source_pdc = any16(random),
                                           .destination_pdc = any16(random),
                                           .payload = any32(random)});
  }
  all.emplace_back("control SYN", PdsControl{.control = ControlType::kProbe,
                                             .syn = true,
                                             .psn = any32(random),
                                             .source_pdc = any16(random),
                                             .pdc_info = {.psn_offset = any12(random)}});
  return all;
}

}  // namespace detail

/// Every PDS type with an SES header that may follow it, every SES opcode, response and extension, and TSS.
inline std::vector<SampleUetFrame> sample_uet_frames(UetForm form, RandomStream& random) {
  std::vector<SampleUetFrame> samples;
  const auto add = [&](std::string name, const std::optional<PdsHeader>& pds, const Ses& ses) {
    SampleUetFrame sample{.name = std::move(name), .payload = {}, .frame = detail::sample_network(form, random)};
    const bool data =
        !pds || (next_header_of(*pds) != NextHeader::kNone && next_header_of(*pds) != NextHeader::kResponse);
    sample.payload.resize(data ? random.uniform(100) : 0);
    for (std::byte& byte : sample.payload) {
      byte = static_cast<std::byte>(random.uniform(256));
    }
    sample.frame.pds = pds;
    sample.frame.ses = ses;
    if (!pds) {
      sample.frame.tss = TssHeader{.has_source = detail::coin(random),
                                   .association = detail::coin(random),
                                   .domain = detail::any24(random),
                                   .epoch = detail::any16(random),
                                   .counter = random.next() >> 16};
      sample.frame.tss->source = sample.frame.tss->has_source ? detail::any32(random) : 0;
    }
    sample.frame.payload = sample.payload;
    seal_frame(sample.frame);
    samples.push_back(std::move(sample));
    samples.back().frame.payload = samples.back().payload;
  };
  for (const NextHeader next : {NextHeader::kRequestSmall, NextHeader::kRequestMedium, NextHeader::kRequestStandard}) {
    for (const auto& [name, pds] : detail::sample_pds(next, random)) {
      add(name, pds, detail::sample_request(next, SesOpcode::kWrite, random));
    }
    for (std::uint8_t opcode = 0; opcode <= 0x11; ++opcode) {
      const auto ses_opcode = static_cast<SesOpcode>(opcode);
      add(std::string(to_string(ses_opcode)), PdsRequest{.next_header = next, .psn = detail::any32(random)},
          detail::sample_request(next, ses_opcode, random));
    }
  }
  for (const auto& [next, ses] : detail::sample_responses(random)) {
    for (const PdsType type : {PdsType::kAck, PdsType::kAckCc, PdsType::kAckCcx}) {
      add(std::string(to_string(type)), detail::sample_ack(type, next, random), ses);
    }
    add("RUDI response",
        PdsRudi{.type = PdsType::kRudiResponse, .next_header = next, .packet_id = detail::any32(random)}, ses);
  }
  for (const auto& [name, pds] : detail::sample_notices(random)) {
    add(name, pds, Ses{});
  }
  add("TSS", std::nullopt, Ses{});
  add("TSS", std::nullopt, Ses{});
  return samples;
}

}  // namespace weft::wire::uet
