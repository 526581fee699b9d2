// A posted send request as RC and UC engines keep it, and the opcodes of its packets.
#pragma once

#include <cstdint>

#include "base/psn.h"
#include "verbs/completion.h"
#include "verbs/context.h"
#include "verbs/queue_pair.h"
#include "verbs/sge_list.h"
#include "verbs/work_request.h"
#include "wire/opcode.h"

namespace weft::transport {

/// A send request in the queue. Offsets and packet numbers count from the start of its message.
struct SendWqe {
  std::uint64_t wr_id = 0;
  std::uint64_t remote_address = 0;
  std::uint64_t compare_add = 0;
  std::uint64_t swap = 0;
  verbs::SgeList sg_list;
  std::uint32_t rkey = 0;
  std::uint32_t length = 0;     // bytes of the message; of the answer for READ and atomics
  std::uint32_t packets = 0;    // PSNs it takes, at least 1
  std::uint32_t immediate = 0;  // immediate data, or the R_Key to invalidate
  std::uint32_t responses = 0;  // answer packets received (READ, atomics)
  std::uint32_t ssn = 0;        // number of the message on this connection, for end-to-end credits
  Psn first_psn;                // valid once started
  verbs::WrOpcode opcode = verbs::WrOpcode::kSend;
  std::uint8_t flags = 0;    // verbs::SendFlag bits
  bool started = false;      // its first packet has been sent at least once
  bool local_fault = false;  // its scatter-gather list failed the check of protection

  [[nodiscard]] bool is_read() const { return opcode == verbs::WrOpcode::kRdmaRead; }
  [[nodiscard]] bool is_atomic() const {
    return opcode == verbs::WrOpcode::kAtomicCmpAndSwp || opcode == verbs::WrOpcode::kAtomicFetchAndAdd;
  }
  /// The peer answers with data: complete only when all answers have come.
  [[nodiscard]] bool expects_response() const { return is_read() || is_atomic(); }
  [[nodiscard]] bool answered() const { return !expects_response() || responses == packets; }
  [[nodiscard]] bool is_write() const {
    return opcode == verbs::WrOpcode::kRdmaWrite || opcode == verbs::WrOpcode::kRdmaWriteWithImm;
  }
  /// The peer must have posted a receive request for it.
  [[nodiscard]] bool consumes_receive() const { return !expects_response() && opcode != verbs::WrOpcode::kRdmaWrite; }
  [[nodiscard]] bool is_signaled() const { return (flags & verbs::kSendSignaled) != 0; }
  [[nodiscard]] Psn end_psn() const { return first_psn + packets; }
  /// Rights the request needs on its local memory.
  [[nodiscard]] verbs::AccessMask local_access() const {
    return expects_response() ? verbs::AccessMask{verbs::kAccessLocalWrite} : verbs::AccessMask{0};
  }
};

/// How a request is copied into the queue.
struct SendWqeLimits {
  verbs::PathMtu path_mtu = verbs::PathMtu::k1024;
  bool all_signaled = false;
  verbs::PdHandle pd{};
};

/// Copies a checked request. Inline data are taken from `memory` here; if they may not be read, the request is in the
/// queue with `local_fault`.
[[nodiscard]] SendWqe make_send_wqe(const verbs::SendWr& request, const SendWqeLimits& limits,
                                    const verbs::MemoryTable& memory);

/// Operation of packet `index` of a SEND or WRITE message (first, middle, last or only, with what it carries).
[[nodiscard]] wire::Operation packet_operation(const SendWqe& wqe, std::uint32_t index);

/// The completion of a send request. `status` decides which of its members mean anything.
[[nodiscard]] verbs::WorkCompletion send_completion(const SendWqe& wqe, Qpn qpn, verbs::WcStatus status);

}  // namespace weft::transport
