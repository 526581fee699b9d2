#include "fabric/infiniband/infiniband_fabric.h"

#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "fabric/routing/path_choice.h"

namespace weft::fabric {

// Every packet of every hop comes through here: inlined by order. Does not look at the packet: one that waited would
// have to be fetched from memory for that. It begins as soon as the wire is idle.
[[gnu::always_inline]] inline void InfiniBandFabric::start_packet(InfiniBandPort& out, LaneCredits& lane,
                                                                  PacketHandle handle, const Sizes& sizes, Time now) {
  const Time begin = out.transmission_start(now);
  out.begun_at = begin;
  lane.sender.spend(blocks_of(sizes.frame));
  ++lane.packets_sent;
  lane.bytes_sent += sizes.frame;
  InfiniBandPort& peer = ports_[out.peer];
  if (out.has(kTapped)) [[unlikely]] {
    tap_->on_frame(peer.peer, Tap::Direction::kSent, packets_[handle], begin);
  }
  start_transmission(kernel_, out, peer, out.peer, handle, sizes.wire, begin);
}

void InfiniBandFabric::on_arrival(PortIndex index, Time now) { receive(index, now); }

// What is damaged where packets are stored is not counted as received: not even its length can be trusted. The sender's
// FCTBS makes its credits good.
bool InfiniBandFabric::on_damaged(InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now) {
  ++port.receive_errors;
  if (port.has(kCutThrough)) {
    return false;
  }
  if (port.has(kIsEndpoint)) {
    FabricCore::deliver(port, index, handle, now);
  } else {
    ++drops_here().damaged;
    packets_.release(handle);
  }
  return true;
}

// Only choices that depend on nothing but the packet and the routes may be made beforehand.
[[gnu::noinline]] void InfiniBandFabric::look_up_egress(PortIndex index) {
  InfiniBandPort& in = ports_[index];
  Switch& node = switches_[in.owner];
  const wire::PacketCommon& common = packets_[in.first].common;
  if (node.look_ahead == LookAhead::kNever) {
    return;
  }
  const NextHops hops = hops_to(in.owner, lid_of(common.destination, common.entropy));
  if (hops.empty() || (node.look_ahead == LookAhead::kOneHop && (hops.size() > 1 || node.detours))) {
    return;
  }
  in.egress = static_cast<std::uint16_t>(choose(in, node, hops, common, Time{}));
  const PortIndex out = node.first_port + in.egress;
  __builtin_prefetch(&ports_[out]);
  __builtin_prefetch(&ports_[out].free_at);
  __builtin_prefetch(&ports_[peers_[out]]);
  __builtin_prefetch(&credits_of(index, common.priority));
  __builtin_prefetch(&credits_of(out, common.priority));
  queues_.prefetch_input(index);
}

void InfiniBandFabric::forward(InfiniBandPort& in, PortIndex in_index, std::uint32_t egress, PacketHandle handle,
                               Time now) {
  Switch& node = switches_[in.owner];
  wire::Packet& packet = packets_[handle];
  const std::uint32_t in_lane = packet.common.priority;
  const std::uint32_t blocks = blocks_of(packet.common.frame_bytes);
  const bool damaged = packet.has(wire::kCorrupted) && !in.has(kCutThrough);
  if (egress == kNoEgress || damaged) [[unlikely]] {
    const NextHops hops = hops_to(in.owner, lid_of(packet.common.destination, packet.common.entropy));
    if (hops.empty() || damaged) {
      ++(hops.empty() ? drops_here().unreachable : drops_here().damaged);
      packets_.release(handle);
      return pass_through(in_index, in_lane, blocks, now);
    }
    egress =
        node.detours ? choose_detour(in, node, hops, packet.common, now) : choose(in, node, hops, packet.common, now);
  }
  WEFT_DCHECK(egress < node.ports && in_lane < lanes_);
  const PortIndex index = node.first_port + egress;
  InfiniBandPort& out = ports_[index];
  const std::uint16_t map = node.map != Switch::kMixedProfiles ? node.map : out.profile;
  std::uint32_t lane = lane_maps_[map][packet.common.traffic_class & (kServiceLevels - 1)];
  if (lane >= lanes_ || out.blocked != 0) [[unlikely]] {
    lane = lane_in_phase(lane, {.in = in_index, .out = index, .in_lane = in_lane});
    if (lane >= lanes_ || out.blocked != 0) {
      discard(handle, lane >= lanes_ ? drops_here().unreachable : drops_here().link_down, index);
      return pass_through(in_index, in_lane, blocks, now);
    }
  }
  LaneCredits& credits = credits_of(index, lane);
  // An output stage takes a packet that waits for the wire alone, which saves it a second event.
  const bool is_next = out.free_at <= now || (out.has(kHasStage) && out.begun_at <= now);
  if (out.queued == 0 && is_next && has_credits(out, index, credits, blocks, now)) {
    WEFT_DCHECK(out.queued_bytes == 0);
    if (lanes_ > 1) {
      (void)out.arbiter.pick(options_.ports[out.profile].arbitration, 1U << lane);
      out.arbiter.charge(blocks);
    }
    packet.common.priority = static_cast<std::uint8_t>(lane);
    start_packet(out, credits, handle, sizes_of(packet), now);
    return pass_through(in_index, in_lane, blocks, now);
  }
  wait_in_buffer(in_index, handle, {.port = index, .lane = lane}, now);
}

std::uint32_t InfiniBandFabric::lane_in_phase(std::uint32_t mapped, const PhasedHop& hop) const {
  if ((mapped & kPhased) == 0) {
    return mapped;
  }
  const std::uint32_t set = lanes_ / options_.lane_phases;
  const std::uint32_t phase = phases_.next({.in = hop.in, .out = hop.out, .phase = hop.in_lane / set});
  return phase < options_.lane_phases ? phase * set + (mapped & ~std::uint32_t{kPhased}) : kDropLane;
}

std::uint32_t InfiniBandFabric::choose_slow(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                            const wire::PacketCommon& common, Time now) {
  if (node.balances) {
    return balance(in, node, hops, common, now);
  }
  return node.path == PathPolicy::kEcmp ? ecmp(hops, switch_hash(common.flow_hash, node.hash_seed))
                                        : spray(hops, node.hash_seed, ++node.sprayed);
}

NextHops InfiniBandFabric::ports_taken(std::uint32_t switch_ordinal, const LeafFlow& flow,
                                       std::uint16_t entropy) const {
  const Switch& node = switches_[switch_ordinal];
  const NextHops hops = hops_to(switch_ordinal, lid_of(flow.destination, entropy));
  if (hops.size() <= 1) {
    return hops;
  }
  if (node.path == PathPolicy::kTable) {
    return {std::ranges::find(hops, table_.choose(switch_ordinal, lid_of(flow.destination, entropy), hops)), 1};
  }
  return node.path == PathPolicy::kEcmp ? hashed_hop(switch_ordinal, hops, flow) : hops;
}

[[gnu::always_inline]] inline void InfiniBandFabric::wait_in_queue(const WaitingPacket& entry, EgressLane egress,
                                                                   const wire::PacketCommon& common, Time now) {
  const PortIndex index = egress.port;
  const std::uint32_t lane = egress.lane;
  queues_.push(index * lanes_ + lane, entry);
  InfiniBandPort& out = ports_[index];
  OutputLane& output = output_of(index, lane);
  output.bytes += common.frame_bytes;
  output.peak_bytes = std::max(output.peak_bytes, output.bytes);
  out.queued_bytes += common.frame_bytes;
  out.queued = static_cast<std::uint16_t>(out.queued | 1U << lane);
  Switch& node = switches_[out.owner];
  if (out.queued_bytes >= node.notify_from && !is_endpoint(out.peer) && !wire::is_multicast(common.destination))
      [[unlikely]] {
    notify(entry.input, common.destination, now);
  }
  if (node.expires) {
    kernel_.wake(node.timer, sim::ActorId(kSwitchTimer, out.owner), now + node.lifetime);
  }
  if (((out.stalled >> lane) & 1U) != 0) {
    return;
  }
  if (out.free_at <= now) {
    transmit_next(out, index, now);
  } else {
    kernel_.wake(out.transmit, sim::ActorId(kTransmit, index), out.free_at);
  }
}

[[gnu::noinline]] void InfiniBandFabric::wait_in_buffer(PortIndex in_index, PacketHandle handle, EgressLane egress,
                                                        Time now) {
  const wire::PacketCommon& common = packets_[handle].common;
  const std::uint32_t blocks = blocks_of(common.frame_bytes);
  CreditReceiver& receiver = credits_of(in_index, common.priority).receiver;
  receiver.count(blocks);
  receiver.store(blocks);
  // Only where the buffer is larger than what may be advertised: what is free behind that moves up.
  if (receiver.update_due()) [[unlikely]] {
    send_credit_update(in_index, common.priority, now);
  }
  wait_in_queue({.packet = handle,
                 .frame_bytes = common.frame_bytes,
                 .blocks = static_cast<std::uint16_t>(blocks),
                 .input = in_index,
                 .wire_bytes = common.wire_bytes,
                 .input_lane = common.priority,
                 .since = now},
                egress, common, now);
}

void InfiniBandFabric::on_transmit(PortIndex index, Time now) {
  InfiniBandPort& port = ports_[index];
  const bool is_endpoint = port.has(kIsEndpoint);
  if (!port.transmit.fires(now) || (port.has(kLinkDown) && !is_endpoint)) {
    return;
  }
  const bool wants = is_endpoint ? !port.wanted_at.is_never() : (port.queued & ~port.stalled) != 0;
  if (!wants) {
    return;
  }
  const Time at = later(port.free_at, is_endpoint ? port.wanted_at : now);
  if (at > now) {
    return kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), at);
  }
  if (is_endpoint) {
    port.wanted_at = Time::never();
    endpoints_[port.owner]->on_wire_ready(now);
  } else {
    transmit_next(port, index, now);
  }
}

void InfiniBandFabric::transmit_next(InfiniBandPort& port, PortIndex index, Time now) {
  const std::uint32_t lane = pick_lane(port, index, now);
  if (lane == VlArbiter::kNobody) {
    begin_xmit_wait(port, now);
    return;
  }
  end_xmit_wait(port, now);
  dequeue(port, index, lane, now);
  // An acknowledgement is gone at once: no event of its own for what follows it.
  while (port.has(kHasStage) && port.queued != 0 && takes_next(port, now) &&
         has_credits(port, index, credits_of(index, 0), queues_.front(index).blocks, now)) {
    dequeue(port, index, 0, now);
  }
  if ((port.queued & ~port.stalled) != 0) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
}

// Lanes that lack credits stall until some come; nobody asks again before.
std::uint32_t InfiniBandFabric::pick_lane(InfiniBandPort& port, PortIndex index, Time now) {
  std::uint32_t eligible = port.queued & ~std::uint32_t{port.stalled};
  for (std::uint32_t left = eligible; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
    if (!has_credits(port, index, credits_of(index, lane), queues_.front(index * lanes_ + lane).blocks, now)) {
      eligible &= ~(1U << lane);
      begin_stalls(port, index, 1U << lane, now);
    }
  }
  if (eligible == 0) {
    return VlArbiter::kNobody;
  }
  return lanes_ == 1 ? 0 : port.arbiter.pick(options_.ports[port.profile].arbitration, eligible);
}

void InfiniBandFabric::dequeue(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now) {
  OutputLane& output = output_of(index, lane);
  WEFT_DCHECK((((port.queued & ~port.stalled) >> lane) & 1) != 0);
  const WaitingPacket entry = queues_.pop(index * lanes_ + lane, now);
  queues_.prefetch_turn(index * lanes_ + lane);  // the next one's
  const auto cause = output.last_stall_end > entry.since ? Fecn::Cause::kVictim : Fecn::Cause::kRoot;
  if (output.marker.marks({.depth = output.bytes, .frame_bytes = entry.frame_bytes, .cause = cause}) &&
      packets_[entry.packet].common.ecn != wire::Ecn::kNotEct) {
    packets_[entry.packet].common.ecn = wire::Ecn::kCe;
    ++output.marked;
  }
  take_from_queue(port, index, lane, entry);
  if (lanes_ > 1) {
    port.arbiter.charge(entry.blocks);
  }
  if (entry.input_lane != lane) [[unlikely]] {
    return dequeue_from_other_lane(port, {.port = index, .lane = lane}, entry, now);
  }
  start_packet(port, credits_of(index, lane), entry.packet, {.frame = entry.frame_bytes, .wire = entry.wire_bytes},
               now);
  release_input(entry, now);
}

// Copies for a group come by here, too: their entries name no lane.
[[gnu::noinline]] void InfiniBandFabric::dequeue_from_other_lane(InfiniBandPort& port, EgressLane egress,
                                                                 WaitingPacket entry, Time now) {
  if ((entry.input_lane & kSharesBuffer) != 0) {
    leave_copies(entry);
  }
  packets_[entry.packet].common.priority = static_cast<std::uint8_t>(egress.lane);
  start_packet(port, credits_of(egress.port, egress.lane), entry.packet,
               {.frame = entry.frame_bytes, .wire = entry.wire_bytes}, now);
  release_input(entry, now);
}

void InfiniBandFabric::take_from_queue(InfiniBandPort& port, PortIndex index, std::uint32_t lane,
                                       const WaitingPacket& entry) {
  OutputLane& output = output_of(index, lane);
  WEFT_DCHECK(entry.frame_bytes <= output.bytes && output.bytes <= port.queued_bytes);
  output.bytes -= entry.frame_bytes;
  port.queued_bytes -= entry.frame_bytes;
  WEFT_DCHECK(queues_.empty(index * lanes_ + lane) == (output.bytes == 0));
  if (queues_.empty(index * lanes_ + lane)) {
    port.queued = static_cast<std::uint16_t>(port.queued & ~(1U << lane));
  }
}

// Of a switch with multicast tables: packets to groups never come to forward().
bool InfiniBandFabric::on_slow_arrival(InfiniBandPort& in, PortIndex index, PacketHandle handle, Time now) {
  const wire::PacketCommon& common = packets_[handle].common;
  if (!wire::is_multicast(common.destination)) {
    return false;
  }
  Arrived arrived{.in = index, .lane = common.priority, .blocks = blocks_of(common.frame_bytes)};
  if (packets_[handle].has(wire::kCorrupted) && !in.has(kCutThrough)) {
    ++drops_here().damaged;
    packets_.release(handle);
  } else {
    replicate(in, arrived, handle, now);
  }
  if (arrived.place == kNoPlace) {
    pass_through(index, arrived.lane, arrived.blocks, now);
    return true;
  }
  // The hold of this call, so that the place outlived copies which left at once.
  WaitingPacket last{.packet = {}, .blocks = static_cast<std::uint16_t>(arrived.blocks), .input = index, .since = {}};
  last.input_lane = static_cast<std::uint8_t>(arrived.lane | kSharesBuffer);
  leave_place(arrived.place, last);
  release_input(last, now);
  return true;
}

// To all ports of the entry but the one by which it came. The copies are made before any of them is sent, since a
// packet that is on its way belongs to others.
//= ibta-1.7 10.5
void InfiniBandFabric::replicate(const InfiniBandPort& in, Arrived& arrived, PacketHandle handle, Time now) {
  const Switch& node = switches_[in.owner];
  const std::span<const std::uint16_t> ports = options_.multicast.ports(
      {.switch_ordinal = in.owner, .lid = wire::multicast_lid(packets_[handle].common.destination)});
  if (ports.empty()) {
    ++ports_[arrived.in].relay_errors;
    ++drops_here().unreachable;
  }
  for (const std::uint16_t port : ports) {
    if (port == in.number) {
      continue;
    }
    WEFT_DCHECK(port < node.ports && !packets_[handle].has(wire::kHasCold));
    const PacketHandle copy = packets_.allocate();
    packets_[copy] = packets_[handle];
    forward_copy(arrived, copy, node.first_port + port, now);
  }
  packets_.release(handle);
}

void InfiniBandFabric::forward_copy(Arrived& arrived, PacketHandle copy, PortIndex index, Time now) {
  InfiniBandPort& out = ports_[index];
  wire::Packet& packet = packets_[copy];
  const Switch& node = switches_[out.owner];
  const std::uint16_t map = node.map != Switch::kMixedProfiles ? node.map : out.profile;
  const std::uint32_t lane = lane_maps_[map][packet.common.traffic_class & (kServiceLevels - 1)];
  if (lane >= lanes_ || out.blocked != 0) {
    return discard(copy, lane >= lanes_ ? drops_here().unreachable : drops_here().link_down, index);
  }
  LaneCredits& credits = credits_of(index, lane);
  const bool is_next = out.free_at <= now || (out.has(kHasStage) && out.begun_at <= now);
  if (out.queued != 0 || !is_next || !has_credits(out, index, credits, arrived.blocks, now)) {
    return wait_as_copy(arrived, copy, {.port = index, .lane = lane}, now);
  }
  if (lanes_ > 1) {
    (void)out.arbiter.pick(options_.ports[out.profile].arbitration, 1U << lane);
    out.arbiter.charge(arrived.blocks);
  }
  packet.common.priority = static_cast<std::uint8_t>(lane);
  start_packet(out, credits, copy, sizes_of(packet), now);
}

// The first copy that waits takes the place in the input buffer for all of them.
void InfiniBandFabric::wait_as_copy(Arrived& arrived, PacketHandle copy, const EgressLane& egress, Time now) {
  if (arrived.place == kNoPlace) {
    arrived.place = waiting_copies_.allocate();
    waiting_copies_[arrived.place] = 1;
    CreditReceiver& receiver = credits_of(arrived.in, arrived.lane).receiver;
    receiver.count(arrived.blocks);
    receiver.store(arrived.blocks);
    if (receiver.update_due()) {
      send_credit_update(arrived.in, arrived.lane, now);
    }
  }
  ++waiting_copies_[arrived.place];
  wire::PacketCommon& common = packets_[copy].common;
  common.cold = arrived.place;
  wait_in_queue({.packet = copy,
                 .frame_bytes = common.frame_bytes,
                 .blocks = static_cast<std::uint16_t>(arrived.blocks),
                 .input = arrived.in,
                 .wire_bytes = common.wire_bytes,
                 .input_lane = static_cast<std::uint8_t>(arrived.lane | kSharesBuffer),
                 .since = now},
                egress, common, now);
}

void InfiniBandFabric::leave_copies(WaitingPacket& entry) { leave_place(packets_[entry.packet].common.cold, entry); }

void InfiniBandFabric::leave_place(std::uint32_t place, WaitingPacket& entry) {
  entry.input_lane = static_cast<std::uint8_t>(entry.input_lane & ~kSharesBuffer);
  if (--waiting_copies_[place] > 0) {
    entry.blocks = 0;
  } else {
    waiting_copies_.release(place);
  }
}

void InfiniBandFabric::discard(PacketHandle handle, std::uint64_t& counter, PortIndex output) {
  ++counter;
  ++ports_[output].discards;
  packets_.release(handle);
}

Time InfiniBandFabric::send(EndpointId endpoint, PacketHandle handle, Time now) {
  const PortIndex index = endpoint.value();
  InfiniBandPort& port = ports_[index];
  const wire::Packet& packet = packets_[handle];
  const std::uint32_t lane = packet.common.priority;
  LaneCredits& credits = credits_of(index, lane);
  if (port.has(kLinkDown)) [[unlikely]] {
    port.free_at = later(now, port.free_at) + port.wire_time(packet.common.wire_bytes);
    discard(handle, drops_here().link_down, index);
    return port.free_at;
  }
  WEFT_DCHECK(lane < lanes_ && takes_next(port, now) && credits.sender.admits(blocks_of(packet.common.frame_bytes)));
  start_packet(port, credits, handle, sizes_of(packet), now);
  if (!credits.sender.admits(largest_blocks_[port.profile])) {
    port.low_credit_lanes = static_cast<std::uint16_t>(port.low_credit_lanes | 1U << lane);
  }
  return takes_next(port, now) ? now : port.free_at;
}

void InfiniBandFabric::request_wire(EndpointId endpoint, Time at) {
  InfiniBandPort& port = ports_[endpoint.value()];
  port.wanted_at = earlier(port.wanted_at, at);
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, endpoint.value()), later(at, port.free_at));
}

}  // namespace weft::fabric
