#include "fabric/scale_up/scale_up_fabric.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {

SendPermit ScaleUpFabric::permit(EndpointId endpoint, Time now) {
  Port& port = endpoints_[local(endpoint)];
  if (port.out_wires == 1) {
    ScaleUpWire& wire = wires_[port.first_out];
    if (wire.free_at > now) {
      return {.lanes = 0, .free_at = wire.free_at};
    }
    const bool open = may_start(wire, options_.largest_packet, now);
    return {.lanes = static_cast<std::uint16_t>(open ? 0xFFFF : 0), .free_at = now};
  }
  SendPermit result{.lanes = 0, .free_at = Time::never()};
  Time next = Time::never();
  for (std::uint32_t i = 0; i < port.out_wires; ++i) {
    ScaleUpWire& wire = wires_[port.first_out + i];
    if (wire.free_at > now) {
      next = earlier(next, wire.free_at);
      continue;
    }
    result.free_at = now;
    if (may_start(wire, options_.largest_packet, now)) {
      result.lanes = static_cast<std::uint16_t>(result.lanes | 1U << i);
    }
  }
  if (result.free_at.is_never()) {
    result.free_at = next;
  } else if (!next.is_never()) {
    // What the NIC has may be for the wires that are busy: it is asked again when the first of them is idle.
    kernel_.wake(port.transmit, sim::ActorId(kScaleUpTransmit, local(endpoint)), next);
  }
  return result;
}

Time ScaleUpFabric::send(EndpointId endpoint, PacketHandle packet, Time now) {
  const Port& from = endpoints_[local(endpoint)];
  const std::uint32_t to = local(packets_[packet].common.destination);
  WEFT_DCHECK(to < endpoints_.size() && endpoints_[to].domain == from.domain);
  const WireIndex index = out_wire(from, endpoints_[to]);
  start(wires_[index], index, packet, now);
  return now;  // on another wire
}

void ScaleUpFabric::request_wire(EndpointId endpoint, Time at) {
  Port& port = endpoints_[local(endpoint)];
  Time idle = Time::never();
  for (std::uint32_t i = 0; i < port.out_wires; ++i) {
    idle = earlier(idle, wires_[port.first_out + i].free_at);
  }
  kernel_.wake(port.transmit, sim::ActorId(kScaleUpTransmit, local(endpoint)), later(at, idle));
}

bool ScaleUpFabric::may_start(ScaleUpWire& wire, std::uint64_t bytes, Time now) {
  wire.take_returns(now);
  if (wire.has_room(bytes)) {
    wire.waits = false;
    if (wire.stalls) {
      wire.stalls = false;
      wire.counters.stalled += now - wire.stalled_since;
    }
    return true;
  }
  await_credits(wire, now);
  return false;
}

void ScaleUpFabric::await_credits(ScaleUpWire& wire, Time now) {
  if (!wire.stalls) {
    wire.stalls = true;
    wire.stalled_since = now;
  }
  wire.waits = true;
  if (!wire.returns.empty()) {
    wake_sender(wire, wire.returns.front().at);
  }
}

void ScaleUpFabric::wake_sender(ScaleUpWire& wire, Time at) {
  sim::Wake& wake = wire.from_switch ? wire.transmit : endpoints_[wire.sender].transmit;
  kernel_.wake(wake, sim::ActorId(kScaleUpTransmit, wire.sender), at);
}

void ScaleUpFabric::start(ScaleUpWire& wire, WireIndex index, PacketHandle packet, Time now) {
  const wire::PacketCommon& common = packets_[packet].common;
  const std::uint32_t bytes = common.wire_bytes;
  const Duration occupied = wire.wire_time(bytes);
  WEFT_DCHECK(wire.has_room(bytes) && wire.free_at <= now);
  const bool early = cuts_through(wire, common.destination, bytes);
  const Time at = now + wire.delay + (early ? wire.rate.transmit_time(Bytes(wire.cut_through_bytes)) : occupied);
  wire.free_at = now + occupied;
  wire.used += bytes;
  ++wire.counters.packets;
  wire.counters.payload_bytes += common.payload_bytes;
  wire.counters.wire_bytes += bytes;
  wire.counters.busy += occupied;
  if (wire.arrival.pending().is_never()) {
    wire.first = packet;
    kernel_.wake_always(wire.arrival, sim::ActorId(kScaleUpArrival, index), at);
  } else {
    WEFT_DCHECK((wire.in_flight.empty() ? wire.arrival.pending() : wire.in_flight.back().at) <= at);
    wire.in_flight.push_back({at, packet});
  }
}

// What an early end of a wire sees comes in the order of sending, a short unit behind a long one too.
void ScaleUpFabric::on_arrival(std::uint32_t index, Time now) {
  if (index >= wires_.size()) [[unlikely]] {
    on_written(index - wires(), now);
    return;
  }
  ScaleUpWire& wire = wires_[index];
  if (!wire.arrival.fires(now)) {
    return;
  }
  const PacketHandle packet = wire.first;
  if (!wire.in_flight.empty()) {
    const InFlight next = wire.in_flight.pop_front();
    wire.first = next.packet;
    kernel_.reschedule_current(wire.arrival, next.at);
  }
  if (wire.ends_at_switch) {
    forward(index, packet, now);
  } else {
    deliver(index, packet, now);
  }
}

void ScaleUpFabric::deliver(WireIndex index, PacketHandle packet, Time now) {
  ScaleUpWire& wire = wires_[index];
  Port& port = endpoints_[wire.to];
  const wire::PacketCommon& common = packets_[packet].common;
  const bool passes = port.memory == nullptr || (common.payload_bytes == 0 && port.pending_writes.empty());
  if (passes) {
    return_credits(wire, common.wire_bytes, now + wire.back);
    port.nic->on_packet(packet, now);
    return;
  }
  port.pending_writes.push_back({.packet = packet, .wire = index});
  if (port.pending_writes.size() == 1) {
    write_next(wire.to, now);
  }
}

// One at a time: so the memory serves its users in turns, however much waits here.
void ScaleUpFabric::write_next(std::uint32_t endpoint, Time now) {
  Port& port = endpoints_[endpoint];
  const Bytes payload(packets_[port.pending_writes.front().packet].common.payload_bytes);
  const Time end = payload > Bytes::zero() ? later(port.memory->write(payload, now), now) : now;
  kernel_.wake_always(port.written, sim::ActorId(kScaleUpArrival, wires() + endpoint), end);
}

void ScaleUpFabric::on_written(std::uint32_t endpoint, Time now) {
  Port& port = endpoints_[endpoint];
  if (!port.written.fires(now)) {
    return;
  }
  const PendingWrite first = port.pending_writes.pop_front();
  ScaleUpWire& wire = wires_[first.wire];
  return_credits(wire, packets_[first.packet].common.wire_bytes, now + wire.back);
  port.nic->on_packet(first.packet, now);
  if (!port.pending_writes.empty()) {
    write_next(endpoint, now);
  }
}

void ScaleUpFabric::return_credits(ScaleUpWire& wire, std::uint32_t bytes, Time at) {
  WEFT_DCHECK(bytes <= wire.used);
  wire.last_return = later(at, wire.last_return);
  // Without anybody waiting, what has come back is taken in here: the list stays as short as the way back.
  if (!wire.returns.empty()) {
    wire.take_returns(kernel_.now());
  }
  wire.returns.push_back({wire.last_return, bytes});
  if (wire.waits) {
    wake_sender(wire, wire.last_return);
  }
}

void ScaleUpFabric::forward(WireIndex input, PacketHandle packet, Time now) {
  const wire::PacketCommon& common = packets_[packet].common;
  const WireIndex output = endpoints_[local(common.destination)].from_switch;
  ScaleUpWire& out = wires_[output];
  const std::uint32_t bytes = common.wire_bytes;
  const bool alone = queues_.empty(output);
  if (alone && out.free_at <= now && may_start(out, bytes, now)) {
    start(out, output, packet, now);
    return_credits(wires_[input], bytes, now + wires_[input].back);
    return;
  }
  queues_.push(output, {.packet = packet,
                        .frame_bytes = common.wire_bytes,
                        .input = input,
                        .wire_bytes = common.wire_bytes,
                        .since = now});
  out.queued += bytes;
  out.counters.queue_peak = std::max(out.counters.queue_peak, out.queued);
  if (alone && out.free_at > now) {
    wake_sender(out, out.free_at);
  }
}

void ScaleUpFabric::on_transmit(std::uint32_t sender, Time now) {
  if (sender < endpoints_.size()) {
    Port& port = endpoints_[sender];
    if (port.transmit.fires(now)) {
      port.nic->on_wire_ready(now);
    }
    return;
  }
  const WireIndex output = sender - static_cast<std::uint32_t>(endpoints_.size());
  if (wires_[output].transmit.fires(now)) {
    transmit_next(output, now);
  }
}

void ScaleUpFabric::transmit_next(WireIndex output, Time now) {
  ScaleUpWire& out = wires_[output];
  if (queues_.empty(output)) {
    return;
  }
  if (out.free_at > now) {
    wake_sender(out, out.free_at);
    return;
  }
  if (!may_start(out, queues_.front(output).wire_bytes, now)) {
    return;
  }
  const WaitingPacket next = queues_.pop(output, now);
  WEFT_DCHECK(next.wire_bytes <= out.queued);
  out.queued -= next.wire_bytes;
  WEFT_DCHECK(queues_.empty(output) == (out.queued == 0));
  start(out, output, next.packet, now);
  return_credits(wires_[next.input], next.wire_bytes, now + wires_[next.input].back);
  if (!queues_.empty(output)) {
    wake_sender(out, out.free_at);
  }
}

}  // namespace weft::fabric
