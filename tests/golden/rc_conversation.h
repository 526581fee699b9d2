// The reliable connections in a capture, as packet records: who asked what, and what the other side answered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verbs/queue_pair.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace weft::testing {

struct CapturedRcPacket {
  std::uint64_t number = 0;  // in the capture
  wire::Packet packet;
  wire::ColdPacket cold;
  std::vector<std::byte> payload;
  bool request = false;

  [[nodiscard]] wire::Operation operation() const { return wire::operation_of(packet.ib.opcode); }
  [[nodiscard]] const wire::OpcodeInfo& info() const { return wire::describe(packet.ib.opcode); }
  [[nodiscard]] Psn psn() const { return packet.ib.psn; }
};

/// One direction of a connection: the requests of one side and the answers of the other, in the order of the capture.
/// In these captures both ends of a connection have the same QPN.
struct RcConversation {
  std::string capture;
  std::uint32_t qpn = 0;
  std::uint32_t requester = 0;  // IPv4 address
  std::vector<CapturedRcPacket> packets;

  [[nodiscard]] verbs::PathMtu path_mtu() const;
  [[nodiscard]] Psn first_psn() const { return packets.front().psn(); }
};

/// Of tests/data/captures/`capture`; empty, with a test failure, if it cannot be read.
[[nodiscard]] std::vector<RcConversation> rc_conversations(const std::string& capture);

/// "RC RDMA READ Response First psn 17 payload 1024 syndrome 0x1f msn 3": what an answer must agree in.
[[nodiscard]] std::string answer_text(const wire::Packet& packet);
/// "RC RDMA READ Request psn 17 payload 0 va 0x1000 key 0x2a5 length 3000": what a request must agree in.
[[nodiscard]] std::string request_text(const wire::Packet& packet, const wire::ColdPacket& cold);

}  // namespace weft::testing
