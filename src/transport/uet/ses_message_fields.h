// What SES requests of jobs carry besides the fields of every UET packet; wire/uet_job_record.h has their places.
//
// Requests of verbs need none of it: their target is absolute, and their job is their sender.
// Source: Ultra Ethernet Specification 1.0, SES, standard header and rendezvous extension.
#pragma once

#include <cstdint>

#include "transport/packet_io.h"
#include "wire/uet_job_record.h"

namespace weft::transport {

/// A resource of a process of a job. An absolute address leaves the job out of account.
struct SesAddress {
  std::uint32_t job = 0;             // 24 bits
  std::uint16_t pid_on_fep = 0;      // 12 bits
  std::uint16_t resource_index = 0;  // 12 bits
  std::uint8_t generation = 0;       // of the resource
  bool relative = true;

  [[nodiscard]] constexpr std::uint32_t resource() const {
    return static_cast<std::uint32_t>(pid_on_fep) << 12 | resource_index;
  }
  [[nodiscard]] static constexpr SesAddress of(std::uint32_t resource) {
    return {.pid_on_fep = static_cast<std::uint16_t>(resource >> 12 & 0xFFF),
            .resource_index = static_cast<std::uint16_t>(resource & 0xFFF)};
  }
  friend constexpr bool operator==(const SesAddress&, const SesAddress&) = default;
};

struct SesMessageFields {
  std::uint32_t job = 0;         // 24 bits
  std::uint8_t generation = 0;   // of the target's resource
  std::uint32_t initiator = 0;   // who sends, as programs of the job name each other
  std::uint32_t length = 0;      // of the whole message
  std::uint32_t offset = 0;      // of this packet in it
  std::uint64_t match_bits = 0;  // of sends; of the others the memory key is in the packet's request
  std::uint64_t header_data = 0;
  // A rendezvous: what the packets bring, and where the rest is read.
  std::uint32_t eager_length = 0;
  SesAddress read_from{};
  std::uint64_t read_offset = 0;
  std::uint64_t read_key = 0;
  // A deferrable send, and what restarts it.
  wire::uet::RestartToken restart{};
};

/// Fills the cold record, and the memory key of what has match bits; the operation must be set, and is none of the
/// atomics.
inline void store(const SesMessageFields& fields, const TransmitSlot& slot) {
  const wire::UetOperation operation = slot.packet.uet.operation();
  slot.packet.common.flags |= wire::kHasCold;
  slot.cold = wire::ColdPacket{};
  slot.cold.uet = {.header_data = fields.header_data,
                   .operand = 0,
                   .compare = 0,
                   .credit_target = 0,
                   .length = fields.length,
                   .initiator = fields.initiator,
                   .offset = fields.offset,
                   .job = fields.job,
                   .message_id = 0,
                   .return_code = 0,
                   .atomic_code = 0};
  set_generation(slot.cold.uet, fields.generation);
  if (wire::has_match_bits(operation))
    set_match_bits(slot.packet.uet, slot.cold.uet, fields.match_bits);
  if (!wire::uet::is_rendezvous(operation)) {
    set_restart(slot.cold, fields.restart);
    return;
  }
  set_rendezvous(slot.cold, {.eager_length = fields.eager_length,
                             .index_generation = fields.read_from.generation,
                             .pid_on_fep = fields.read_from.pid_on_fep,
                             .resource_index = fields.read_from.resource_index,
                             .read_offset = fields.read_offset,
                             .read_memory_key = fields.read_key});
}

/// Of a packet that has a cold record.
[[nodiscard]] inline SesMessageFields load(const ReceivedPacket& received) {
  const wire::UetExtension& extension = received.cold.uet;
  const wire::UetHeader& header = received.packet.uet;
  SesMessageFields fields{.job = extension.job & 0xFFFFFF,
                          .generation = generation_of(extension),
                          .initiator = extension.initiator,
                          .length = extension.length,
                          .offset = extension.offset,
                          .match_bits = wire::has_match_bits(header.operation()) ? match_bits_of(header, extension) : 0,
                          .header_data = extension.header_data};
  if (wire::uet::is_rendezvous(header.operation())) {
    const wire::uet::SesRendezvous rest = wire::rendezvous_of(received.cold);
    fields.eager_length = rest.eager_length;
    fields.read_from = {.job = fields.job,
                        .pid_on_fep = rest.pid_on_fep,
                        .resource_index = rest.resource_index,
                        .generation = rest.index_generation};
    fields.read_offset = rest.read_offset;
    fields.read_key = rest.read_memory_key;
  } else {
    fields.restart = wire::restart_of(received.cold);
  }
  return fields;
}

}  // namespace weft::transport
