#include "transport/ud_queue_pair.h"

#include "base/assert.h"
#include "transport/message_packet.h"
#include "transport/unreliable_queue_pair_impl.h"
#include "wire/multicast.h"

namespace weft::transport {
namespace {

constexpr std::uint32_t kPrivilegedQueueKey = 1U << 31;

// A packet to a group has a GRH, and takes no part in congestion control: many would answer one mark.
//= ibta-1.7 10.5
void set_group(wire::PacketCommon& common) {
  common.encapsulation = wire::Encapsulation::kIbGlobal;
  common.ecn = wire::Ecn::kNotEct;
}

/// A group is named by both: its LID or address, and the number that stands for all queue pairs.
Result<void> check_multicast(const verbs::SendWr& request, const verbs::AddressVector& address, const QpCore& core) {
  const bool is_group = wire::is_multicast(address.destination);
  if (is_group && !is_infiniband(core.identity().encapsulation))
    return fail("post_send: a multicast group is for InfiniBand; send to each member");
  if (is_group != (request.ud.remote_qpn.value() == wire::kMulticastQpn)) {
    return fail("post_send: remote_qpn is {:#x}, and the address is that of a {}; 0xffffff goes with a multicast group",
                request.ud.remote_qpn.value(), is_group ? "group" : "port");
  }
  return {};
}

}  // namespace

Result<void> UdService::check_request(const verbs::SendWr& request, const UnreliableCall& call) {
  if (request.opcode != verbs::WrOpcode::kSend && request.opcode != verbs::WrOpcode::kSendWithImm)
    return fail("post_send: a UD queue pair has SEND, with or without immediate data, and nothing else");
  std::uint64_t length = 0;
  for (const verbs::Sge& element : request.sg_list)
    length += element.length;
  if (const auto mtu = static_cast<std::uint64_t>(verbs::to_bytes(call.mtu).count()); length > mtu)
    return fail("post_send: a datagram of {} bytes; at most the port's MTU of {}", length, mtu);
  const verbs::AddressVector* const address = call.context.find_ah(request.ud.ah);
  if (address == nullptr)
    return fail("post_send: no such address handle: {:#x}", request.ud.ah.value());
  if (const std::uint32_t qpn = request.ud.remote_qpn.value(); qpn == 0 || qpn > Psn::kMask)
    return fail("post_send: remote_qpn is {:#x}; it must be 1 to 0xffffff", qpn);
  return check_multicast(request, *address, call.core);
}

UdWqe UdService::make_wqe(const verbs::SendWr& request, const UnreliableCall& call) {
  return UdWqe{
      make_send_wqe(request,
                    {.path_mtu = call.mtu, .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
                    call.context.memory()),
      request.ud.ah, request.ud.remote_qpn, request.ud.remote_qkey};
}

verbs::WcStatus UdService::check_start(const UdWqe& wqe, const UnreliableCall& call) {
  const verbs::PdHandle domain = call.core.init().pd;
  // A handle that is gone has the invalid domain.
  if (call.context.pd_of(wqe.ah) != domain)
    return verbs::WcStatus::kLocQpOpErr;
  const verbs::AccessFault fault = wqe.sg_list.check(call.context.memory(), domain, wqe.local_access());
  return fault == verbs::AccessFault::kNone ? verbs::WcStatus::kSuccess : verbs::WcStatus::kLocProtErr;
}

void UdService::fill(const UdWqe& wqe, std::uint32_t index, TransmitSlot& slot, const UnreliableCall& call) {
  const verbs::AddressVector* const address = call.context.find_ah(wqe.ah);
  WEFT_DCHECK(address != nullptr);
  set_address(slot.packet.common, *address);
  if (wire::is_multicast(address->destination))
    set_group(slot.packet.common);
  fill_message_packet({.wqe = wqe, .index = index, .service = wire::Service::kUd, .mtu = call.mtu}, slot,
                      call.context.memory());
  wire::IbTransportHeader& header = slot.packet.ib;
  header.destination_qp = wqe.remote_qpn.value();
  //= ibta-1.7 10.2.5
  const bool own_key = (wqe.remote_qkey & kPrivilegedQueueKey) != 0;
  header.deth = {.queue_key = own_key ? call.attributes().queue_key : wqe.remote_qkey,
                 .source_qp = call.core.identity().qpn.value()};
}

template class UnreliableQueuePair<UdService>;

}  // namespace weft::transport
