// The exchangeable parts of one flow, and what engines do with them: mark, route and pace outgoing data packets, and
// notify of congestion.
#pragma once

#include "base/time.h"
#include "transport/congestion/congestion_control.h"
#include "transport/packet_io.h"
#include "transport/path/path_selector.h"
#include "wire/packet.h"

namespace weft::transport {

/// None is owned; null = none. They must outlive the queue pair.
struct FlowPolicies {
  CongestionControl* congestion_control = nullptr;
  CongestionReceiver* congestion_receiver = nullptr;
  PathSelector* path_selector = nullptr;
};

/// Finishes a data packet whose sizes and PSN are set, and that leaves now: ECN capability, path, pacing. `not_before`
/// is the earliest departure of this packet; the result is that of the next one.
[[nodiscard]] inline Time finish_with_policies(const FlowPolicies& policies, wire::Packet& packet, Time not_before,
                                               Time now) {
  if (policies.congestion_control != nullptr || policies.congestion_receiver != nullptr) {
    packet.common.ecn = wire::Ecn::kEct0;
  }
  if (policies.path_selector != nullptr) {
    packet.common.entropy = policies.path_selector->entropy_for(packet.ib.psn, now);
  }
  if (policies.congestion_control == nullptr)
    return not_before;
  const Duration gap = policies.congestion_control->transmit(Bytes(packet.common.wire_bytes), now);
  return gap > Duration::zero() ? later(not_before, now) + gap : not_before;
}

/// Makes room for telemetry in a packet whose sizes are set; the caller fills the cold record in.
inline void add_telemetry(const TransmitSlot& slot, wire::TelemetryKind kind) {
  wire::PacketCommon& common = slot.packet.common;
  const std::uint16_t bytes = wire::telemetry_bytes(kind);
  common.frame_bytes = static_cast<std::uint16_t>(common.frame_bytes + bytes);
  common.wire_bytes = static_cast<std::uint16_t>(common.wire_bytes + bytes);
  common.flags = static_cast<std::uint8_t>(common.flags | wire::kHasCold | wire::kTelemetry);
}

/// Whether the receiver half is to hear of a data packet that arrived.
[[nodiscard]] inline bool receiver_needs(const wire::Packet& packet, const CongestionReceiver* receiver) {
  return receiver != nullptr && receiver->wants(packet.common.ecn == wire::Ecn::kCe || packet.ib.has(wire::kBthFecn));
}

/// What the receiver side returns for an arrived data packet.
[[nodiscard]] CongestionSignal signal_of(const wire::Packet& packet, CongestionReceiver* receiver, Time now);

/// The pacing state of a flow. A rate limits it, a window does not: nothing tells what is still in flight.
class FlowPacer {
 public:
  /// When the next data packet may leave; Time::zero() = at once.
  [[nodiscard]] Time not_before() const { return not_before_; }
  /// Finishes a data packet whose sizes and PSN are set, and that leaves now.
  void send(wire::Packet& packet, const FlowPolicies& policies, Time now) {
    not_before_ = finish_with_policies(policies, packet, not_before_, now);
  }

 private:
  Time not_before_;
};

/// Whether the arrival of a data packet calls for a CNP. An echo in acknowledgements is not possible here, so a
/// receiver half that asks for one gets nothing.
[[nodiscard]] bool needs_cnp(const wire::Packet& packet, const FlowPolicies& policies, Time now);

/// Makes a CNP of a packet that has been started and addressed.
void make_cnp(wire::Packet& packet);

}  // namespace weft::transport
