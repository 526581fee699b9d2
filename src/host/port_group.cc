#include "host/port_group.h"

#include <algorithm>

#include "base/assert.h"
#include "host/actors.h"

namespace weft::host {

PortGroup::PortGroup(const Environment& environment, std::vector<EndpointId> ports)
    : kernel_(environment.kernel),
      wires_(environment.wires),
      packets_(environment.packets),
      view_(environment.view),
      index_(environment.index),
      ports_(ports.size()) {
  WEFT_ASSERT(ports.size() >= 2);
  for (Place place = 0; place < ports_.size(); ++place) {
    Port& port = ports_[place];
    port.group = this;
    port.endpoint = ports[place];
    port.place = place;
    port.plane = view_.graph[view_.graph.node_of(port.endpoint)].plane;
    in_planes_ = in_planes_ || port.plane != ports_.front().plane;
  }
}

fabric::Endpoint& PortGroup::attach(EndpointId port, Nic& nic) {
  Port& own = ports_[place_of(port)];
  own.nic = &nic;
  return own;
}

void PortGroup::register_actor(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition) {
  ranks.add({name_hash, kPortNews}, news_, partition);
}

PortGroup::Place PortGroup::place_of(EndpointId endpoint) const {
  const auto found = std::ranges::find(ports_, endpoint, &Port::endpoint);
  WEFT_ASSERT(found != ports_.end());
  return found->place;
}

PortGroup::Place PortGroup::way_out(Place from, Time now) const {
  for (Place i = 0; i < ports_.size(); ++i) {
    const Place place = (from + i) % static_cast<Place>(ports_.size());
    if (view_.own.is_up(ports_[place].endpoint, now)) {
      return place;
    }
  }
  return from;
}

bool PortGroup::reaches(std::uint16_t plane, EndpointId destination, Time now) const {
  EndpointId at = destination;
  do {
    if (view_.graph[view_.graph.node_of(at)].plane == plane && view_.others.is_up(at, now)) {
      return true;
    }
    at = view_.next_port[at.value()];
  } while (at != destination);
  return false;
}

// A receiver that no plane reaches is sent to all the same, as nobody has told its sender to wait; what is sent is
// lost.
PortGroup::Place PortGroup::way_to(Place from, EndpointId destination, Time now) const {
  for (Place i = 0; in_planes_ && i < ports_.size(); ++i) {
    const Port& port = ports_[(from + i) % ports_.size()];
    if (view_.own.is_up(port.endpoint, now) && reaches(port.plane, destination, now)) {
      return port.place;
    }
  }
  return way_out(from, now);
}

fabric::SendPermit PortGroup::permit(EndpointId endpoint, Time now) {
  const Port& port = ports_[place_of(endpoint)];
  if (port.waiting) {
    return {.lanes = 0, .free_at = wires_.permit(ports_[port.waits_for].endpoint, now).free_at};
  }
  return wires_.permit(ports_[way_out(port.place, now)].endpoint, now);
}

Time PortGroup::send(EndpointId endpoint, fabric::PacketHandle packet, Time now) {
  Port& port = ports_[place_of(endpoint)];
  WEFT_DCHECK(!port.waiting);
  const Place way = way_to(port.place, packets_[packet].common.destination, now);
  if (way != port.place) {
    port.nic->note_moved();
  }
  if (way == way_out(port.place, now)) {
    return wires_.send(ports_[way].endpoint, packet, now);
  }
  port.waiting = packet;
  port.waits_for = way;
  try_waiting(port, now);
  return now;  // the wire that was permitted is still free
}

void PortGroup::try_waiting(Port& port, Time now) {
  const EndpointId wire = ports_[port.waits_for].endpoint;
  const fabric::SendPermit permit = wires_.permit(wire, now);
  if (permit.free_at > now) {
    wires_.request_wire(wire, permit.free_at);
  } else if (((permit.lanes >> packets_[*port.waiting].common.priority) & 1U) != 0) {
    wires_.send(wire, *port.waiting, now);
    port.waiting.reset();
  }  // else the end of a pause calls
}

void PortGroup::request_wire(EndpointId endpoint, Time at) {
  const Port& port = ports_[place_of(endpoint)];
  const Place wire = port.waiting ? port.waits_for : way_out(port.place, kernel_.now());
  wires_.request_wire(ports_[wire].endpoint, at);
}

Nic& PortGroup::receiver_of(fabric::PacketHandle packet) {
  Port& port = ports_[place_of(packets_[packet].common.destination)];
  WEFT_DCHECK(port.nic != nullptr);
  return *port.nic;
}

// Calls that find nothing to do are harmless, and what still wants a wire asks for it again.
void PortGroup::offer(Place place, Time now) {
  const auto count = static_cast<Place>(ports_.size());
  turn_ = (turn_ + 1) % count;
  for (Place i = 0; i < count; ++i) {
    Port& port = ports_[(turn_ + i) % count];
    if (port.waiting && port.waits_for == place) {
      try_waiting(port, now);
    }
  }
  for (Place i = 0; i < count; ++i) {
    ports_[(turn_ + i) % count].nic->on_wire_ready(now);
  }
}

void PortGroup::on_news(Time now) {
  if (!news_.fires(now)) {
    return;
  }
  for (Port& port : ports_) {
    if (port.waiting) {
      port.waits_for = way_to(port.place, packets_[*port.waiting].common.destination, now);
      try_waiting(port, now);
    }
  }
  for (const Port& port : ports_) {
    port.nic->on_wire_ready(now);
  }
  await_news(now + Duration::picoseconds(1));
}

std::uint32_t PortGroup::packets_kept() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(ports_, [](const Port& port) { return port.waiting.has_value(); }));
}

void PortGroup::await_news(Time from) {
  Time next = Time::never();
  for (const Port& port : ports_) {
    next = earlier(next, view_.own.next_news(port.endpoint, from));
  }
  if (!next.is_never()) {
    kernel_.wake(news_, sim::ActorId(kPortNews, index_), next);
  }
}

}  // namespace weft::host
