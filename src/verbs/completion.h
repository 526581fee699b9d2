// Completions, as `ibv_wc`: status names and meanings are those of libibverbs.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"

namespace weft::verbs {

/// How a work request ended. After any status but kSuccess only `wr_id`, `status` and `qp_num` mean anything.
//= ibta-1.7 11.6.2
enum class WcStatus : std::uint8_t {
  kSuccess,
  kLocLenErr,
  kLocQpOpErr,
  kLocProtErr,
  kWrFlushErr,
  kBadRespErr,
  kLocAccessErr,
  kRemInvReqErr,
  kRemAccessErr,
  kRemOpErr,
  kRetryExcErr,
  kRnrRetryExcErr,
  kRemAbortErr,
  kFatalErr,
  kGeneralErr,
};

/// "transport retry counter exceeded": a short phrase for people.
[[nodiscard]] std::string_view to_string(WcStatus status);

enum class WcOpcode : std::uint8_t {
  kSend,
  kRdmaWrite,
  kRdmaRead,
  kCompSwap,
  kFetchAdd,
  kRecv,
  kRecvRdmaWithImm,
  kReduce
};

/// Bits of WorkCompletion::wc_flags.
enum WcFlag : std::uint8_t {
  kWcWithImm = 1 << 0,
  kWcWithInv = 1 << 1,
  kWcGrh = 1 << 2,
  kWcSolicited = 1 << 3,
};

/// One entry of a completion queue: 40 bytes.
struct WorkCompletion {
  std::uint64_t wr_id = 0;
  Qpn qp_num{};
  Qpn src_qp{};                        // datagrams: who sent it
  std::uint32_t byte_len = 0;          // bytes received (RECV), read (READ) or 8 (atomics)
  std::uint32_t imm_data = 0;          // with kWcWithImm
  std::uint32_t invalidated_rkey = 0;  // with kWcWithInv
  std::uint32_t source_endpoint = 0;   // datagrams: the sender's EndpointId value
  WcStatus status = WcStatus::kSuccess;
  WcOpcode opcode = WcOpcode::kSend;
  std::uint8_t wc_flags = 0;
};
static_assert(sizeof(WorkCompletion) == 40);

}  // namespace weft::verbs
