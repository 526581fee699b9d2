// Work requests, as a program posts them: the shapes and names of `ibv_send_wr` and `ibv_recv_wr`.
//
// A posted request is copied; the caller's scatter-gather list may be reused at once, the memory it names only after
// the completion (or at once with kSendInline). Lengths are bytes. Source: IBTA 11.4.1, libibverbs.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"
#include "verbs/handles.h"

namespace weft::verbs {

/// What a send request asks for.
enum class WrOpcode : std::uint8_t {
  kSend,
  kSendWithImm,
  kSendWithInv,
  kRdmaWrite,
  kRdmaWriteWithImm,
  kRdmaRead,
  kAtomicCmpAndSwp,
  kAtomicFetchAndAdd,
};

/// Bits of SendWr::send_flags.
enum SendFlag : std::uint8_t {
  kSendFence = 1 << 0,      // starts only after every earlier READ and ATOMIC has completed
  kSendSignaled = 1 << 1,   // asks for a completion (a failed request completes in any case)
  kSendSolicited = 1 << 2,  // the peer's completion raises a solicited event
  kSendInline = 1 << 3,     // data are copied when posted
};

/// One element of a scatter-gather list: 16 bytes.
struct Sge {
  std::uint64_t address = 0;
  std::uint32_t length = 0;
  std::uint32_t lkey = 0;
};
static_assert(sizeof(Sge) == 16);

/// A request for the send queue. Only the members that the opcode uses are read.
struct SendWr {
  std::uint64_t wr_id = 0;
  std::span<const Sge> sg_list{};
  WrOpcode opcode = WrOpcode::kSend;
  std::uint8_t send_flags = 0;
  std::uint32_t imm_data = 0;         // kSendWithImm, kRdmaWriteWithImm
  std::uint32_t invalidate_rkey = 0;  // kSendWithInv
  struct {
    std::uint64_t remote_address = 0;
    std::uint32_t rkey = 0;
  } rdma{};  // WRITE, READ, and the target of atomics
  struct {
    std::uint64_t compare_add = 0;  // compare value of CmpAndSwp, addend of FetchAndAdd
    std::uint64_t swap = 0;
  } atomic{};
  struct {
    AddressHandle ah{};
    Qpn remote_qpn{};
    std::uint32_t remote_qkey = 0;
  } ud{};
};

/// A request for a receive queue: where the next SEND goes.
struct RecvWr {
  std::uint64_t wr_id = 0;
  std::span<const Sge> sg_list{};
};

}  // namespace weft::verbs
