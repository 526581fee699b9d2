#include "fabric/ethernet/ethernet_fabric.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric_admission.h"
#include "fabric/routing/path_choice.h"
#include "wire/encapsulation.h"

namespace weft::fabric {
namespace {

/// The smallest weight may send about this many bytes in its turn of DWRR.
constexpr std::int32_t kQuantumBytes = 256;

}  // namespace

// Only choices that depend on nothing but the packet and the routes may be made beforehand.
[[gnu::noinline]] void EthernetFabric::look_up_egress(PortIndex index) {
  EthernetPort& in = ports_[index];
  Switch& node = switches_[in.owner];
  const wire::PacketCommon& common = packets_[in.first].common;
  const NextHops hops = routes_.next_hops(in.owner, common.destination);
  if (hops.empty() || (!node.hashes && (hops.size() > 1 || node.detours))) {
    return;
  }
  in.egress = hops.size() == 1 ? hops[0] : ecmp(hops, switch_hash(common.flow_hash, node.hash_seed));
  const PortIndex out = node.first_port + in.egress;
  __builtin_prefetch(&ports_[out]);
  __builtin_prefetch(&ports_[out].free_at);
  __builtin_prefetch(&ports_[peers_[out]]);
  __builtin_prefetch(&queue_of(out, common.priority));
  __builtin_prefetch(&group_of(index, common.priority));
}

// Does not look at the packet: one that waited would have to be fetched from memory for that.
inline void EthernetFabric::start_packet_here(EthernetPort& out, EgressQueue& queue, PacketHandle handle,
                                              std::uint32_t frame_bytes, Time now) {
  ++queue.tx_packets;
  queue.tx_bytes += frame_bytes;
  if ((out.flags & (kTapped | kExtended)) != 0) [[unlikely]] {
    if (start_noted(out, queue, handle, frame_bytes, now)) {
      return;
    }
  }
  start_transmission(kernel_, out, ports_[out.peer], out.peer, handle, frame_bytes + gap_bytes_, now);
}

void EthernetFabric::start_packet(EthernetPort& out, EgressQueue& queue, PacketHandle handle, std::uint32_t frame_bytes,
                                  Time now) {
  start_packet_here(out, queue, handle, frame_bytes, now);
}

inline void EthernetFabric::enqueue_here(EthernetPort& in, PortIndex index, PacketHandle handle, wire::Packet& packet,
                                         Time now) {
  Switch& node = switches_[in.owner];
  const Passage passage{
      .node = node, .ingress = node.first_port + in.number, .egress = index, .priority = packet.common.priority};
  if (!admit(passage, packet.common.frame_bytes, now)) [[unlikely]] {
    return refuse(passage, handle, packet, now);
  }
  append(passage, handle, packet, now);
}

void EthernetFabric::enqueue(EthernetPort& in, PortIndex index, PacketHandle handle, wire::Packet& packet, Time now) {
  enqueue_here(in, index, handle, packet, now);
}

inline void EthernetFabric::forward(EthernetPort& in, PortIndex, std::uint32_t egress, PacketHandle handle, Time now) {
  Switch& node = switches_[in.owner];
  wire::Packet& packet = packets_[handle];
  if (egress == kNoEgress) {
    NextHops hops = routes_.next_hops(in.owner, packet.common.destination);
    if (hops.empty()) [[unlikely]] {
      hops = routes_.next_hops(in.owner, routes_.seen_as(in.owner, packet.common.destination));
      if (hops.empty()) {
        return drop(handle, drops_here().unreachable, node.first_port + in.number);
      }
    }
    egress = hops.size() == 1 && !node.detours ? hops[0]
             : node.hashes                     ? ecmp(hops, switch_hash(packet.common.flow_hash, node.hash_seed))
                                               : choose(in, node, hops, handle, now);
  }
  WEFT_DCHECK(egress < node.ports && packet.common.priority < kPriorities);
  const PortIndex index = node.first_port + egress;
  EthernetPort& out = ports_[index];
  // Whatever is rare lies behind one branch.
  constexpr std::uint8_t kSlowPathFlags = wire::kCorrupted | wire::kTelemetry;
  if (((in.flags | out.flags) & (kRoutedHop | kLinkDown | kWatchdogTripped)) != 0 ||
      (packet.common.flags & kSlowPathFlags) != 0) [[unlikely]] {
    if (packet.has(wire::kCorrupted) && node.forwarding == Forwarding::kStoreAndForward) {
      return drop(handle, drops_here().damaged, node.first_port + in.number);
    }
    if (out.has(kLinkDown)) {
      return drop(handle, drops_here().link_down, node.first_port + in.number);
    }
    if (((out.watchdog_tripped >> packet.common.priority) & 1U) != 0 &&
        options_.ports[out.profile].watchdog.action == PfcWatchdogOptions::Action::kDrop) {
      return drop(handle, drops_here().watchdog, node.first_port + in.number);
    }
    // A router does not pass on what has no hops left.
    if (((in.flags | out.flags) & kRoutedHop) != 0 && --packet.common.hop_limit == 0) {
      return drop(handle, drops_here().hop_limit, node.first_port + in.number);
    }
  }
  const std::uint32_t priority = packet.common.priority;
  own_[this_worker].usual_priority = priority;
  // What leaves at once is charged to no buffer and needs no event here.
  if (out.queued == 0 && out.free_at <= now && ((out.blocked >> priority) & 1U) == 0 && out.pending_pauses == 0) {
    WEFT_DCHECK(out.queued_bytes == 0);
    if (packet.has(wire::kTelemetry)) [[unlikely]] {
      write_telemetry(index, packet, {.queued = 0, .now = now});
    }
    start_packet_here(out, queue_of(index, priority), handle, packet.common.frame_bytes, now);
  } else {
    enqueue_here(in, index, handle, packet, now);
  }
}

void EthernetFabric::on_arrival(PortIndex index, Time now) { receive(index, now); }

void EthernetFabric::forward_later(EthernetPort& in, PacketHandle handle, Time now) {
  forward(in, switches_[in.owner].first_port + in.number, kNoEgress, handle, now);
}

std::uint32_t EthernetFabric::choose(EthernetPort& in, Switch& node, NextHops hops, PacketHandle handle, Time now) {
  return node.balances ? choose_balanced(in, node, hops, handle, now) : spray(hops, node.hash_seed, ++node.sprayed);
}

std::uint32_t EthernetFabric::choose_balanced(EthernetPort& in, Switch& node, const NextHops& hops, PacketHandle handle,
                                              Time now) {
  wire::PacketCommon& common = packets_[handle].common;
  if (node.detours) {
    return choose_detour(in, node, hops, common, now);
  }
  switch (node.path) {
    case PathPolicy::kConga:
      return choose_conga(in, node, hops, common, now);
    case PathPolicy::kConWeave:
      return choose_conweave(in, node, hops, handle, now);
    case PathPolicy::kPinned:
      return choose_pinned(in, hops, common);
    case PathPolicy::kCentral:
      return choose_central(in, hops, common, now);
    case PathPolicy::kEcmp:
    case PathPolicy::kSpray:
    case PathPolicy::kAdaptive:
    case PathPolicy::kTable:
    case PathPolicy::kDrill:
      break;
  }
  return balance(in, node, hops, common, now);
}

std::uint32_t EthernetFabric::in_order_hop(const EthernetPort&, const Switch& node, const NextHops& hops,
                                           const wire::PacketCommon& common, const std::uint32_t* weights) const {
  return hops[pick_weighted(weights, hops.size(), switch_hash(common.flow_hash, node.hash_seed))];
}

NextHops EthernetFabric::ports_taken(std::uint32_t switch_ordinal, const LeafFlow& flow,
                                     std::uint16_t /*entropy*/) const {
  const Switch& node = switches_[switch_ordinal];
  const NextHops hops = routes_.next_hops(switch_ordinal, flow.destination);
  if (pinned_ != nullptr && hops.size() > 1) {
    return {std::ranges::find(hops, pinned_port(switch_ordinal, hops, flow).port), 1};
  }
  if (const HashGroups& groups = hash_groups();
      hops.size() > 1 && node.path == PathPolicy::kEcmp && !groups.empty() && groups.covers(switch_ordinal)) {
    const std::uint16_t port =
        groups.choose({.switch_ordinal = switch_ordinal, .leaf = routes_.leaf_of(flow.destination), .hash = flow.hash});
    return {std::ranges::find(hops, port), 1};
  }
  const bool by_hash = node.path == PathPolicy::kEcmp && !node.detours;
  return by_hash && hops.size() > 1 ? hashed_hop(switch_ordinal, hops, flow) : hops;
}

bool EthernetFabric::spreads_hashes_evenly() const {
  if (!hash_groups().empty() || pinned_ != nullptr) {
    return false;
  }
  // One seed is for all switches, or each has its own.
  return switches_.size() < 2 || switches_[0].hash_seed != switches_[1].hash_seed;
}

inline void EthernetFabric::dequeue(PortIndex index, std::uint32_t priority, Time now) {
  EthernetPort& port = ports_[index];
  EgressQueue& queue = queue_of(index, priority);
  Switch& node = switches_[port.owner];
  WEFT_DCHECK((((port.queued & ~port.blocked) >> priority) & 1) != 0);  // a paused priority starts nothing
  const QueuedPacket entry = queue.packets.pop_front();
  WEFT_DCHECK(entry.frame_bytes <= queue.bytes && queue.bytes <= port.queued_bytes && entry.ingress < node.ports);
  // Otherwise the packet is not looked at: it has waited, and would have to be fetched from memory.
  if (queue.bytes > queue.mark_above) {
    wire::Packet& packet = packets_[entry.packet];
    if (packet.common.ecn != wire::Ecn::kNotEct && markers_[index * kPriorities + priority].marks(queue.bytes)) {
      packet.common.ecn = wire::Ecn::kCe;
      ++queue.marked;
    }
    if (packet.has(wire::kTelemetry)) {
      write_telemetry(index, packet, {.queued = port.queued_bytes - entry.frame_bytes, .now = now});
    }
  }
  queue.bytes -= entry.frame_bytes;
  port.queued_bytes -= entry.frame_bytes;
  WEFT_DCHECK(queue.packets.empty() == (queue.bytes == 0));
  if (queue.packets.empty()) {
    port.queued = static_cast<std::uint16_t>(port.queued & ~(1U << priority));
  }
  const PortIndex ingress = node.first_port + entry.ingress;
  if (node.buffer.release(group_of(ingress, priority), entry.frame_bytes)) {
    on_room(ingress, priority, entry.frame_bytes, now);
  }
  start_packet_here(port, queue, entry.packet, entry.frame_bytes, now);
}

void EthernetFabric::on_transmit(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  if (!port.transmit.fires(now)) {
    return;
  }
  if (port.free_at > now) {
    return kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
  if (port.blocked != 0) {
    expire_pauses(port, index, now);
  }
  if (port.pending_pauses != 0) [[unlikely]] {
    return send_pause(port, index, now);
  }
  if ((port.flags & (kIsEndpoint | kExtended)) != 0) {
    if (port.held != 0 && retransmits(index, now)) {
      return;
    }
    if (port.has(kIsEndpoint)) {
      endpoints_[port.owner]->on_wire_ready(now);
      return schedule_pause_expiry(port, index);
    }
    mark_departed(index, now);
  }
  const std::uint32_t eligible = port.queued & ~std::uint32_t{port.blocked};
  if (eligible != 0) {
    const bool alone = (eligible & (eligible - 1)) == 0;
    dequeue(index, alone ? static_cast<std::uint32_t>(std::countr_zero(eligible)) : pick(port, index, eligible), now);
  }
  if ((port.queued & ~std::uint32_t{port.blocked}) != 0) {
    if (port.transmit.pending().is_never()) [[likely]] {
      kernel_.reschedule_current(port.transmit, port.free_at);
    } else {
      kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
    }
  } else {
    schedule_pause_expiry(port, index);
  }
}

// As the packet begins to leave. Acknowledgements bring telemetry back and are not written to.
void EthernetFabric::write_telemetry(PortIndex out, wire::Packet& packet, const EgressState& left) {
  if (packet.has(wire::kControl) || speed_codes_.empty()) {
    return;
  }
  std::uint64_t sent = 0;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    sent += queue_of(out, priority).tx_bytes;
  }
  packets_.cold_of(packet).telemetry.pass(
      map_.port_hash(out),
      wire::TelemetryHop({.speed_code = speed_codes_[out], .time = left.now, .sent = sent, .queued = left.queued}));
}

// Of several eligible priorities: strict ones first, the highest foremost; then deficit weighted round robin (Shreedhar
// and Varghese, 1995).
std::uint32_t EthernetFabric::pick(EthernetPort& port, PortIndex index, std::uint32_t eligible) {
  WEFT_DCHECK(eligible != 0 && eligible < (1U << kPriorities));
  const EthernetPortOptions& profile = options_.ports[port.profile];
  const std::uint32_t strict = eligible & strict_[port.profile];
  if (strict != 0) {
    return static_cast<std::uint32_t>(std::bit_width(strict)) - 1;
  }
  // A turn adds at least kQuantumBytes: the loop ends within (largest frame / quantum + 1) rounds of eight.
  for (;;) {
    const std::uint32_t turn = port.dwrr_turn;
    EgressQueue& queue = queue_of(index, turn);
    if (((eligible >> turn) & 1U) != 0) {
      const std::int32_t head = queue.packets.front().frame_bytes;
      if (queue.deficit >= head) {
        queue.deficit -= head;
        return turn;
      }
    } else {
      queue.deficit = 0;
    }
    port.dwrr_turn = static_cast<std::uint8_t>((turn + 1) % kPriorities);
    EgressQueue& following = queue_of(index, port.dwrr_turn);
    if (((eligible >> port.dwrr_turn) & 1U) != 0) {
      WEFT_DCHECK(profile.priorities[port.dwrr_turn].dwrr_weight > 0);  // or its turn would never come
      following.deficit += kQuantumBytes * profile.priorities[port.dwrr_turn].dwrr_weight;
    }
  }
}

void EthernetFabric::drop(PacketHandle handle, std::uint64_t& counter, PortIndex ingress) {
  ++counter;
  ++port_drops_[ingress];
  if (control_ != nullptr) [[unlikely]] {
    count_control_loss(handle, counter);
  }
  packets_.release(handle);
}

// Where its own link is down, an adapter goes on and nothing of it arrives, so that its queue pairs count their
// retries: every fabric takes its packets at the speed of the wire, no pause or lack of credit holds them, and they are
// lost.
SendPermit EthernetFabric::permit(EndpointId endpoint, Time now) {
  EthernetPort& port = ports_[endpoint.value()];
  if (port.free_at > now) {
    return {.lanes = 0, .free_at = port.free_at};
  }
  if (port.blocked != 0) {
    expire_pauses(port, endpoint.value(), now);
  }
  return {.lanes = static_cast<std::uint16_t>(~port.blocked & 0xFF), .free_at = port.free_at};
}

Time EthernetFabric::send(EndpointId endpoint, PacketHandle handle, Time now) {
  EthernetPort& port = ports_[endpoint.value()];
  wire::Packet& packet = packets_[handle];
  WEFT_DCHECK(port.free_at <= now && ((port.blocked >> packet.common.priority) & 1U) == 0);
  if (port.has(kLinkDown)) [[unlikely]] {
    port.free_at = now + port.wire_time(packet.common.frame_bytes + gap_bytes_);
    drop(handle, drops_here().link_down, endpoint.value());
    return port.free_at;
  }
  start_packet(port, queue_of(endpoint.value(), packet.common.priority), handle, packet.common.frame_bytes, now);
  return port.free_at;
}

void EthernetFabric::request_wire(EndpointId endpoint, Time at) {
  EthernetPort& port = ports_[endpoint.value()];
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, endpoint.value()), later(at, port.free_at));
}

}  // namespace weft::fabric
