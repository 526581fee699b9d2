// Where a packet record has the fields of SES requests that verbs do not use: match bits, the generation of the
// target's resource, restart tokens, and what a rendezvous says of the rest.
//
// They lie in places of the cold record that such requests leave unused, so that the records stay as they are; this
// header alone knows which. Requests of verbs have zeros there. None of it is for atomics.
// Source: Ultra Ethernet Specification 1.0, SES, standard header and rendezvous extension.
#pragma once

#include <cstdint>

#include "wire/packet.h"
#include "wire/uet/ses_extensions.h"
#include "wire/uet/ses_request.h"

namespace weft::wire {

/// Whether a request has match bits where others have a memory key.
[[nodiscard]] constexpr bool has_match_bits(UetOperation operation) {
  return operation == UetOperation::kSend || operation == UetOperation::kTaggedSend || uet::is_rendezvous(operation) ||
         uet::is_deferrable(operation);
}

/// The low half is the request's memory key.
[[nodiscard]] constexpr std::uint64_t match_bits_of(const UetHeader& header, const UetExtension& extension) {
  return extension.operand << 32 | header.request.memory_key;
}
constexpr void set_match_bits(UetHeader& header, UetExtension& extension, std::uint64_t bits) {
  header.request.memory_key = static_cast<std::uint32_t>(bits);
  extension.operand = bits >> 32;
}

[[nodiscard]] constexpr std::uint8_t generation_of(const UetExtension& extension) {
  return static_cast<std::uint8_t>(extension.compare >> 24);
}
/// Call it before `set_rendezvous`.
constexpr void set_generation(UetExtension& extension, std::uint8_t generation) {
  extension.compare = std::uint64_t{generation} << 24;
}

/// Of a rendezvous send.
[[nodiscard]] constexpr uet::SesRendezvous rendezvous_of(const ColdPacket& cold) {
  return {.eager_length = static_cast<std::uint32_t>(cold.uet.compare >> 32),
          .index_generation = cold.uet.atomic_code,
          .pid_on_fep = static_cast<std::uint16_t>(cold.uet.compare >> 12 & 0xFFF),
          .resource_index = static_cast<std::uint16_t>(cold.uet.compare & 0xFFF),
          .read_offset = cold.sack.words[0],
          .read_memory_key = cold.sack.words[1]};
}
constexpr void set_rendezvous(ColdPacket& cold, const uet::SesRendezvous& rendezvous) {
  cold.uet.compare |= std::uint64_t{rendezvous.eager_length} << 32 | std::uint64_t{rendezvous.pid_on_fep} << 12 |
                      rendezvous.resource_index;
  cold.uet.atomic_code = rendezvous.index_generation;
  cold.sack.words = {rendezvous.read_offset, rendezvous.read_memory_key};
}

/// Of a deferrable send, and of a ready to restart.
[[nodiscard]] constexpr uet::RestartToken restart_of(const ColdPacket& cold) {
  return uet::RestartToken::unpack(cold.sack.words[0]);
}
constexpr void set_restart(ColdPacket& cold, const uet::RestartToken& token) { cold.sack.words[0] = token.pack(); }

}  // namespace weft::wire
