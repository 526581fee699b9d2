// The IPv4 identification of a packet whose IP header the socket does not show, from the packet's ICRC.
//
// The ICRC covers the identification, but a UDP socket delivers neither. A CRC is linear: the difference between the
// ICRC received and the one computed for identification 0 is the identification, moved forward by the bytes behind it.
// Moving the difference back leaves 16 bits of identification and 16 bits that must be zero; those are what remains of
// the check. Everything else of the header must be assumed: no options, don't-fragment set, no fragment. Reasons:
// docs/decisions (IPv4 identification and ICRC). IPv6 has no such field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::live {

class Ipv4IdentificationSolver {
 public:
  /// Longest IPv4 packet that it solves for: path MTU 4096 with every header.
  static constexpr std::size_t kMaxPacket = 4'608;

  Ipv4IdentificationSolver();

  struct Question {
    std::uint32_t icrc_difference = 0;  // received xor computed with identification 0
    std::size_t packet_bytes = 0;       // total length of the IPv4 packet, ICRC included
  };
  /// The one identification that explains the difference; nothing if none does: the packet is damaged.
  [[nodiscard]] std::optional<std::uint16_t> solve(Question question);

 private:
  std::vector<std::uint32_t> back_;  // by packet length: x to the minus (bits behind the field's begin); 0 = not yet
};

}  // namespace weft::live
