// The egress leaf: credits for those who ask, and what leaves for endpoints. Ends of cables that fail.
#include <algorithm>
#include <bit>

#include "fabric/scheduled/scheduled_fabric.h"

namespace weft::fabric {
namespace {

constexpr std::int64_t kThousand = 1'000;

}  // namespace

void ScheduledFabric::on_request(EndpointId destination, CreditSource source, std::uint32_t bytes, Time now) {
  egress_[destination.value()].scheduler.request(source, bytes);
  give_credits(destination, now);
}

// One credit after the other, at the rate of the port. Those of all ports of a leaf, for what comes from other leaves,
// also come no faster than its links to spines bring cells; ports take turns there in the order in which they ask.
void ScheduledFabric::give_credits(EndpointId destination, Time now) {
  EgressRecord& egress = egress_[destination.value()];
  const PortIndex index = port_of(destination);
  ScheduledPort& port = ports_[index];
  while (egress.scheduler.wants()) {
    if (egress.next_credit > now) {
      return kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), egress.next_credit);
    }
    const std::optional<CreditGrant> grant = egress.scheduler.grant();
    if (!grant) {
      return;  // until something has left
    }
    Leaf& leaf = leaf_at(port.owner);
    Leaf& from = leaves_[grant->source / kPriorities];
    Time begin = now;
    if (&from != &leaf) {
      begin = later(now, leaf.downlinks_free);
      leaf.downlinks_free = begin + leaf.fabric_rate.transmit_time(Bytes(cells_.wire_bytes_of(grant->bytes)));
    }
    const Duration line = port.wire_time(grant->bytes);
    egress.next_credit = begin + line * kThousand / (kThousand + excess_);
    const std::uint32_t voq = voq_of(from, destination, grant->source % kPriorities);
    if (&from == &leaf && begin == now) {
      on_grant(leaf, voq, grant->bytes, now);
    } else {
      plan(from, {.at = begin + transit_time(leaf, from),
                  .kind = LeafEvent::Kind::kGrant,
                  .destination = destination,
                  .subject = voq,
                  .bytes = grant->bytes});
    }
  }
}

void ScheduledFabric::release_credit(EndpointId destination, std::uint32_t bytes, Time now) {
  egress_[destination.value()].scheduler.release(bytes);
  give_credits(destination, now);
}

// A whole packet is at its port.
void ScheduledFabric::leave(CreditSource source, PacketHandle handle, Time now) {
  const wire::PacketCommon& common = packets_[handle].common;
  const EndpointId destination = common.destination;
  const PortIndex index = port_of(destination);
  ScheduledPort& port = ports_[index];
  const std::uint32_t size = common.frame_bytes;
  egress_[destination.value()].scheduler.arrive(source, size);
  if (port.has(kLinkDown)) {
    drop(handle, drops_here().link_down, index);
    return release_credit(destination, size, now);
  }
  if (port.queued == 0 && port.free_at <= now && port.pending_pauses == 0) {
    start_packet(index, handle, size, common.priority, now);
    return release_credit(destination, size, now);
  }
  EgressQueue& queue = queue_of(index, common.priority);
  queue.packets.push_back({handle, common.frame_bytes, 0});
  queue.bytes += size;
  queue.peak_bytes = std::max(queue.peak_bytes, queue.bytes);
  port.queued_bytes += size;
  port.queued = static_cast<std::uint16_t>(port.queued | 1U << common.priority);
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.transmission_start(now));
}

// Credits have shared the port out by weight already.
std::uint32_t ScheduledFabric::pick(ScheduledPort& port, std::uint32_t eligible, std::uint32_t strict) {
  if ((eligible & strict) != 0) {
    return static_cast<std::uint32_t>(std::bit_width(eligible & strict)) - 1;
  }
  while (((eligible >> port.turn) & 1U) == 0) {
    port.turn = static_cast<std::uint8_t>((port.turn + 1) % kPriorities);
  }
  const std::uint32_t picked = port.turn;
  port.turn = static_cast<std::uint8_t>((port.turn + 1) % kPriorities);
  return picked;
}

void ScheduledFabric::start_packet(PortIndex index, PacketHandle handle, std::uint32_t frame_bytes,
                                   std::uint32_t priority, Time now) {
  ScheduledPort& port = ports_[index];
  EgressQueue& queue = queue_of(index, priority);
  ++queue.tx_packets;
  queue.tx_bytes += frame_bytes;
  if (port.has(kTapped)) [[unlikely]] {
    tap_->on_frame(index, Tap::Direction::kSent, packets_[handle], now);
  }
  start_transmission(kernel_, port, ports_[port.peer], port.peer, handle, frame_bytes + gap_bytes_, now);
}

void ScheduledFabric::on_transmit(PortIndex index, Time now) {
  ScheduledPort& port = ports_[index];
  if (!port.transmit.fires(now)) {
    return;
  }
  if (port.free_at > now) {
    return kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
  if (port.has(kIsEndpoint)) {
    expire_pauses(port, index, now);
    endpoints_[port.owner]->on_wire_ready(now);
    return schedule_pause_expiry(port, index);
  }
  if (port.pending_pauses != 0) {
    return send_pause(port, index, now);
  }
  if (port.queued == 0) {
    return;
  }
  const std::uint32_t priority = pick(port, port.queued, strict_[port.profile]);
  EgressQueue& queue = queue_of(index, priority);
  const QueuedPacket entry = queue.packets.pop_front();
  queue.bytes -= entry.frame_bytes;
  port.queued_bytes -= entry.frame_bytes;
  if (queue.packets.empty()) {
    port.queued = static_cast<std::uint16_t>(port.queued & ~(1U << priority));
  }
  start_packet(index, entry.packet, entry.frame_bytes, priority, now);
  if (port.queued != 0) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
  release_credit(EndpointId(port.peer), entry.frame_bytes, now);
}

SendPermit ScheduledFabric::permit(EndpointId endpoint, Time now) {
  ScheduledPort& port = ports_[endpoint.value()];
  if (port.free_at > now) {
    return {.lanes = 0, .free_at = port.free_at};
  }
  expire_pauses(port, endpoint.value(), now);
  return {.lanes = static_cast<std::uint16_t>(~port.blocked & 0xFF), .free_at = port.free_at};
}

Time ScheduledFabric::send(EndpointId endpoint, PacketHandle handle, Time now) {
  ScheduledPort& port = ports_[endpoint.value()];
  const wire::PacketCommon& common = packets_[handle].common;
  WEFT_DCHECK(port.free_at <= now && ((port.blocked >> common.priority) & 1U) == 0);
  if (port.has(kLinkDown)) [[unlikely]] {
    port.free_at = now + port.wire_time(common.frame_bytes + gap_bytes_);
    drop(handle, drops_here().link_down, endpoint.value());
    return port.free_at;
  }
  start_packet(endpoint.value(), handle, common.frame_bytes, common.priority, now);
  return port.free_at;
}

void ScheduledFabric::request_wire(EndpointId endpoint, Time at) {
  ScheduledPort& port = ports_[endpoint.value()];
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, endpoint.value()), later(at, port.free_at));
}

// What is on the wire towards this port is lost, and what waits to leave by it.
void ScheduledFabric::take_link_down(PortIndex index, Time now) {
  ScheduledPort& port = ports_[index];
  if (port.has(kLinkDown)) {
    return;
  }
  port.flags |= kLinkDown;
  if (is_fabric_port(index)) {
    return lose_cells(index, now);
  }
  flush_wire(
      port, [&](PacketHandle handle) { drop(handle, drops_here().link_down, index); },
      [&](std::uint32_t frame) { packets_.release(PacketHandle(frame)); });
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    end_pause(port, index, priority, now);
  }
  port.pending_pauses = 0;
  if (port.has(kIsEndpoint)) {
    request_wire(EndpointId(port.owner), now);
  }
  std::uint32_t gone = 0;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    EgressQueue& queue = queue_of(index, priority);
    while (!queue.packets.empty()) {
      drop(queue.packets.pop_front().packet, drops_here().link_down, index);
    }
    gone += queue.bytes;
    queue.bytes = 0;
  }
  port.queued = 0;
  port.queued_bytes = 0;
  if (gone > 0) {
    release_credit(EndpointId(port.peer), gone, now);
  }
}

void ScheduledFabric::bring_link_up(const CableEnds& ends, Time now) {
  for (const PortIndex index : ends) {
    ScheduledPort& port = ports_[index];
    port.flags = static_cast<PortFlags>(port.flags & ~kLinkDown);
    if (!is_fabric_port(index)) {
      port.pending_pauses = port.xoff;
      kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(now, port.free_at));
    }
  }
}

}  // namespace weft::fabric
