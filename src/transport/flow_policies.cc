#include "transport/flow_policies.h"

#include "transport/qp_core.h"
#include "wire/opcode.h"

namespace weft::transport {

CongestionSignal signal_of(const wire::Packet& packet, CongestionReceiver* receiver, Time now) {
  const bool marked = packet.common.ecn == wire::Ecn::kCe || packet.ib.has(wire::kBthFecn);
  return receiver_needs(packet, receiver) ? receiver->on_data(marked, now) : CongestionSignal::kNone;
}

bool needs_cnp(const wire::Packet& packet, const FlowPolicies& policies, Time now) {
  return signal_of(packet, policies.congestion_receiver, now) == CongestionSignal::kCnp;
}

//= ibta-1.7 A17.9.3
void make_cnp(wire::Packet& packet) {
  packet.common.flags |= wire::kControl;
  packet.ib.opcode = is_infiniband(packet.common.encapsulation) ? wire::kOpcodeIbCnp : wire::kOpcodeRoceCnp;
  packet.ib.flags |= wire::kBthBecn;
  set_payload(packet, 0);
}

}  // namespace weft::transport
