// What SES requests of jobs carry besides the fields of every UET packet, and where it lies in the packet's records.
//
// Requests of verbs need none of it: their target is absolute, and their job 0. The fields lie in places of the cold
// record that such requests leave unused, so that the records stay as they are; this header alone knows which.
// Source: Ultra Ethernet Specification 1.0, SES, standard header and rendezvous extension.
#pragma once

#include <cstdint>

#include "transport/packet_io.h"
#include "wire/uet/ses_request.h"

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
  std::uint64_t match_bits = 0;  // of sends; of the others the memory key is in the packet's request
  std::uint64_t header_data = 0;
  // A rendezvous: what the packets bring, and where the rest is read.
  std::uint32_t eager_length = 0;
  SesAddress read_from{};
  std::uint64_t read_offset = 0;
  std::uint64_t read_key = 0;
  // A deferrable send, and what restarts it (in the place of a rendezvous' offset).
  wire::uet::RestartToken restart{};
};

/// Fills the cold record; the operation must be set, and is none of the atomics.
inline void store(const SesMessageFields& fields, const TransmitSlot& slot) {
  const auto operation = static_cast<wire::uet::SesOpcode>(slot.packet.uet.request.operation);
  slot.packet.common.flags |= wire::kHasCold;
  slot.cold = wire::ColdPacket{};
  slot.cold.uet = {.header_data = fields.header_data,
                   .operand = fields.match_bits,
                   .compare = static_cast<std::uint64_t>(fields.generation) << 24 |
                              static_cast<std::uint64_t>(fields.eager_length) << 32,
                   .credit_target = 0,
                   .length = fields.length,
                   .initiator = fields.initiator,
                   .offset = 0,
                   .job = fields.job,
                   .message_id = 0,
                   .return_code = 0,
                   .atomic_code = 0};
  if (wire::uet::is_rendezvous(operation)) {
    slot.packet.uet.request.memory_key =
        fields.read_from.resource() | static_cast<std::uint32_t>(fields.read_from.generation) << 24;
    slot.cold.sack.words = {fields.read_offset, fields.read_key};
  } else {
    slot.cold.sack.words[0] = fields.restart.pack();
  }
}

/// Of a packet that has a cold record.
[[nodiscard]] inline SesMessageFields load(const ReceivedPacket& received) {
  const wire::UetExtension& extension = received.cold.uet;
  const wire::UetRequestFields& request = received.packet.uet.request;
  SesMessageFields fields{.job = extension.job & 0xFFFFFF,
                          .generation = static_cast<std::uint8_t>(extension.compare >> 24),
                          .initiator = extension.initiator,
                          .length = extension.length,
                          .match_bits = extension.operand,
                          .header_data = extension.header_data};
  if (wire::uet::is_rendezvous(static_cast<wire::uet::SesOpcode>(request.operation))) {
    fields.eager_length = static_cast<std::uint32_t>(extension.compare >> 32);
    fields.read_from = SesAddress::of(request.memory_key & 0xFFFFFF);
    fields.read_from.generation = static_cast<std::uint8_t>(request.memory_key >> 24);
    fields.read_from.job = fields.job;
    fields.read_offset = received.cold.sack.words[0];
    fields.read_key = received.cold.sack.words[1];
  } else {
    fields.restart = wire::uet::RestartToken::unpack(received.cold.sack.words[0]);
  }
  return fields;
}

}  // namespace weft::transport
