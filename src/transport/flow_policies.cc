#include "transport/flow_policies.h"

#include "transport/qp_core.h"
#include "wire/opcode.h"

namespace weft::transport {

Time send_under(const FlowPolicies& policies, wire::Packet& packet, Time not_before, Time now) {
  if (policies.congestion_control != nullptr || policies.congestion_receiver != nullptr) {
    packet.common.ecn = wire::Ecn::kEct0;
  }
  if (policies.path_selector != nullptr) {
    packet.common.entropy = policies.path_selector->entropy_for(packet.ib.psn, now);
  }
  CongestionControl* const control = policies.congestion_control;
  if (control == nullptr)
    return not_before;
  const Bytes wire_bytes(packet.common.wire_bytes);
  control->on_transmit(wire_bytes, now);
  const Rate rate = control->pacing_rate(now);
  return rate > Rate::zero() ? later(not_before, now) + rate.transmit_time(wire_bytes) : not_before;
}

bool calls_for_cnp(const wire::Packet& packet, const FlowPolicies& policies, Time now) {
  if (policies.congestion_receiver == nullptr)
    return false;
  const bool marked = packet.common.ecn == wire::Ecn::kCe || packet.ib.has(wire::kBthFecn);
  return policies.congestion_receiver->on_data(marked, now) == CongestionSignal::kCnp;
}

//= ibta-1.7 A17.9.3
void make_cnp(wire::Packet& packet) {
  packet.common.flags |= wire::kControl;
  packet.ib.opcode = is_infiniband(packet.common.encapsulation) ? wire::kOpcodeIbCnp : wire::kOpcodeRoceCnp;
  packet.ib.flags |= wire::kBthBecn;
  set_payload(packet, 0);
}

}  // namespace weft::transport
