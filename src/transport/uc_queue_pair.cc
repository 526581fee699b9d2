#include "transport/uc_queue_pair.h"

#include "transport/message_packet.h"
#include "transport/unreliable_queue_pair_impl.h"

namespace weft::transport {

//= ibta-1.7 9.2.1
Result<void> UcService::check_request(const verbs::SendWr& request, const UnreliableCall&) {
  switch (request.opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return {};
    case verbs::WrOpcode::kSendWithInv:
    case verbs::WrOpcode::kRdmaRead:
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return fail("post_send: a UC queue pair has SEND and WRITE, with or without immediate data, and nothing else");
}

SendWqe UcService::make_wqe(const verbs::SendWr& request, const UnreliableCall& call) {
  return make_send_wqe(request,
                       {.path_mtu = call.mtu, .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
                       call.context.memory());
}

verbs::WcStatus UcService::check_start(const SendWqe& wqe, const UnreliableCall& call) {
  const verbs::AccessFault fault = wqe.sg_list.check(call.context.memory(), call.core.init().pd, wqe.local_access());
  return fault == verbs::AccessFault::kNone ? verbs::WcStatus::kSuccess : verbs::WcStatus::kLocProtErr;
}

void UcService::fill(const SendWqe& wqe, std::uint32_t index, TransmitSlot& slot, const UnreliableCall& call) {
  fill_message_packet({.wqe = wqe, .index = index, .service = wire::Service::kUc, .mtu = call.mtu}, slot,
                      call.context.memory());
}

template class UnreliableQueuePair<UcService>;

}  // namespace weft::transport
