#include "transport/ud_responder.h"

#include <array>

#include "transport/segmentation.h"
#include "wire/opcode.h"

namespace weft::transport {
namespace {

constexpr std::array<std::byte, kGrhBytes> kNoGrh{};

}  // namespace

void UdResponder::reset() {
  requests_.reset();
  notified_ = EndpointId::invalid();
  failed_ = false;
}

//= ibta-1.7 9.8.3
void UdResponder::on_request(const ReceivedPacket& received, const UnreliableCall& call) {
  const wire::Packet& packet = received.packet;
  const std::uint32_t payload = packet.common.payload_bytes;
  //= ibta-1.7 10.2.5
  if (packet.ib.deth.queue_key != call.attributes().queue_key) {
    ++call.counters.qkey_violations;
    return;
  }
  if (payload > full_payload(call.mtu)) {
    ++call.counters.discarded;
    return;
  }
  if (needs_cnp(packet, call.flow, call.now)) {
    notified_ = packet.common.source;
    notified_qp_ = Qpn(packet.ib.deth.source_qp);
    notified_class_ = packet.common.traffic_class;
  }
  if (!requests_.take(call.core, call.context)) {
    ++call.counters.no_receive;
    ++call.counters.dropped_messages;
    return;
  }
  if (kGrhBytes + payload > requests_.room()) {
    ++call.counters.dropped_messages;
    failed_ = !requests_.fail(verbs::WcStatus::kLocLenErr, call.core, call.context);
    return;
  }
  if (!requests_.writable(call.core, call.context)) {
    ++call.counters.dropped_messages;
    (void)requests_.fail(verbs::WcStatus::kLocProtErr, call.core, call.context);
    failed_ = true;
    return;
  }
  requests_.write(0, kNoGrh, call.context);
  if (!received.payload.empty())
    requests_.write(kGrhBytes, received.payload, call.context);
  complete(received, call);
}

void UdResponder::complete(const ReceivedPacket& received, const UnreliableCall& call) {
  const wire::PacketCommon& common = received.packet.common;
  const wire::IbTransportHeader& header = received.packet.ib;
  verbs::WorkCompletion completion;
  completion.opcode = verbs::WcOpcode::kRecv;
  completion.byte_len = kGrhBytes + common.payload_bytes;
  completion.src_qp = Qpn(header.deth.source_qp);
  completion.source_endpoint = common.source.value();
  if (wire::describe(header.opcode).immediate) {
    completion.imm_data = header.immediate;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (common.encapsulation != wire::Encapsulation::kIbLocal)
    completion.wc_flags |= verbs::kWcGrh;
  if (header.has(wire::kBthSolicited))
    completion.wc_flags |= verbs::kWcSolicited;
  failed_ = !requests_.complete(completion, call.core, call.context);
}

bool UdResponder::poll_transmit(TransmitSlot& slot, const UnreliableCall& call) {
  if (!notified_.is_valid())
    return false;
  ++call.counters.cnp_sent;
  call.core.start_packet(slot.packet);
  set_address(slot.packet.common, {.destination = notified_,
                                   .service_level = notified_class_,
                                   .traffic_class = static_cast<std::uint8_t>(notified_class_ << 2)});
  slot.packet.ib.destination_qp = notified_qp_.value();
  make_cnp(slot.packet);
  notified_ = EndpointId::invalid();
  return true;
}

}  // namespace weft::transport
