#include "transport/send_wqe.h"

#include "base/assert.h"
#include "transport/segmentation.h"

namespace weft::transport {
namespace {

verbs::WcOpcode completion_opcode(verbs::WrOpcode opcode) {
  switch (opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kSendWithInv:
      return verbs::WcOpcode::kSend;
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return verbs::WcOpcode::kRdmaWrite;
    case verbs::WrOpcode::kRdmaRead:
      return verbs::WcOpcode::kRdmaRead;
    case verbs::WrOpcode::kAtomicCmpAndSwp:
      return verbs::WcOpcode::kCompSwap;
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      return verbs::WcOpcode::kFetchAdd;
  }
  return verbs::WcOpcode::kSend;
}

}  // namespace

SendWqe make_send_wqe(const verbs::SendWr& request, const SendWqeLimits& limits, const verbs::MemoryTable& memory) {
  SendWqe wqe;
  wqe.wr_id = request.wr_id;
  wqe.opcode = request.opcode;
  wqe.flags = request.send_flags;
  if (limits.all_signaled)
    wqe.flags |= verbs::kSendSignaled;
  wqe.remote_address = request.rdma.remote_address;
  wqe.rkey = request.rdma.rkey;
  wqe.compare_add = request.atomic.compare_add;
  wqe.swap = request.atomic.swap;
  wqe.immediate = request.opcode == verbs::WrOpcode::kSendWithInv ? request.invalidate_rkey : request.imm_data;
  const bool inlined = (request.send_flags & verbs::kSendInline) != 0;
  wqe.local_fault =
      inlined && verbs::check_elements(request.sg_list, memory, limits.pd, 0) != verbs::AccessFault::kNone;
  wqe.sg_list =
      inlined && !wqe.local_fault ? verbs::SgeList::inlined(request.sg_list, memory) : verbs::SgeList(request.sg_list);
  wqe.length = static_cast<std::uint32_t>(wqe.sg_list.total_bytes());
  wqe.packets = wqe.is_atomic() ? 1 : static_cast<std::uint32_t>(packet_count(wqe.length, limits.path_mtu));
  WEFT_DCHECK(wqe.sg_list.total_bytes() <= std::uint64_t{1} << 31 && wqe.packets > 0);  // QpCore::check_send
  return wqe;
}

//= ibta-1.7 9.2.1
wire::Operation packet_operation(const SendWqe& wqe, std::uint32_t index) {
  using wire::Operation;
  WEFT_DCHECK(index < wqe.packets && !wqe.expects_response());
  const bool first = index == 0;
  const bool last = index + 1 == wqe.packets;
  const bool with_immediate =
      wqe.opcode == verbs::WrOpcode::kSendWithImm || wqe.opcode == verbs::WrOpcode::kRdmaWriteWithImm;
  if (last && wqe.opcode == verbs::WrOpcode::kSendWithInv) {
    return first ? Operation::kSendOnlyInvalidate : Operation::kSendLastInvalidate;
  }
  const auto base = static_cast<unsigned>(wqe.is_write() ? Operation::kWriteFirst : Operation::kSendFirst);
  // First, middle, last, last with immediate, only, only with immediate: 0 to 5 in both groups.
  const unsigned place = last ? (first ? 4U : 2U) + (with_immediate ? 1U : 0U) : (first ? 0U : 1U);
  return static_cast<Operation>(base + place);
}

verbs::WorkCompletion send_completion(const SendWqe& wqe, Qpn qpn, verbs::WcStatus status) {
  verbs::WorkCompletion completion;
  completion.wr_id = wqe.wr_id;
  completion.qp_num = qpn;
  completion.status = status;
  completion.opcode = completion_opcode(wqe.opcode);
  completion.byte_len = wqe.expects_response() ? wqe.length : 0;
  return completion;
}

}  // namespace weft::transport
