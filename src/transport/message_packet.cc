#include "transport/message_packet.h"

#include <algorithm>

#include "base/assert.h"
#include "transport/qp_core.h"
#include "transport/segmentation.h"

namespace weft::transport {

Result<void> check_inline(const verbs::SendWr& request, verbs::PdHandle pd, const verbs::MemoryTable& memory) {
  if ((request.send_flags & verbs::kSendInline) == 0)
    return {};
  for (const verbs::Sge& element : request.sg_list) {
    const auto checked =
        memory.check({.pd = pd, .key = element.lkey, .address = element.address, .length = element.length});
    if (checked.fault != verbs::AccessFault::kNone) {
      return fail("post_send: inline data at {:#x}, {} bytes, are outside the memory region of key {:#x}",
                  element.address, element.length, element.lkey);
    }
  }
  return {};
}

void fill_message_packet(const MessagePacket& message, TransmitSlot& slot, const verbs::MemoryTable& memory) {
  const SendWqe& wqe = message.wqe;
  const std::uint32_t mtu = full_payload(message.mtu);
  const std::uint32_t offset = message.index * mtu;
  WEFT_DCHECK(offset < wqe.length || message.index == 0);
  const std::uint32_t payload = std::min(wqe.length - offset, mtu);
  wire::IbTransportHeader& header = slot.packet.ib;
  header.opcode = wire::make_opcode(message.service, packet_operation(wqe, message.index));
  if (message.index == 0 && wqe.is_write())
    header.reth = {wqe.remote_address, wqe.rkey, wqe.length};
  if (message.index + 1 == wqe.packets) {
    header.immediate = wqe.immediate;
    if ((wqe.flags & verbs::kSendSolicited) != 0)
      header.flags |= wire::kBthSolicited;
  }
  if (!slot.payload.empty())
    wqe.sg_list.gather(memory, offset, slot.payload.first(payload));
  set_payload(slot.packet, payload);
}

}  // namespace weft::transport
