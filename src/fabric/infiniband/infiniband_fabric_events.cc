// What happens to an InfiniBand fabric from outside, and to packets that wait too long.
#include <algorithm>

#include "base/assert.h"
#include "fabric/infiniband/infiniband_fabric.h"

namespace weft::fabric {

void InfiniBandFabric::plan_fabric_timer() {
  if (const Time next = links_.next(); !next.is_never()) {
    kernel_.wake(fabric_timer_, sim::ActorId(kFabricTimer, 0), next);
  }
}

void InfiniBandFabric::on_fabric_timer(Time now) {
  if (!fabric_timer_.fires(now)) {
    return;
  }
  links_.run_due(
      now, routes_, [&](const LinkEvent& event) { apply_link_event(event, now); },
      [&](LinkIndex link) { return ports_[port_index(graph_.links[link.value()].a)].has(kLinkDown); });
  // Routes may have changed.
  for (InfiniBandPort& port : ports_) {
    port.egress = kNoEgress;
  }
  compute_port_weights();
  plan_fabric_timer();
}

void InfiniBandFabric::apply_link_event(const LinkEvent& event, Time now) {
  const Link& link = graph_.links[event.link.value()];
  const PortIndex a = port_index(link.a);
  const PortIndex b = port_index(link.b);
  switch (event.kind) {
    case LinkEvent::Kind::kFail:
      take_link_down(a, now);
      take_link_down(b, now);
      break;
    case LinkEvent::Kind::kDegrade:
      ports_[a].set_rate(event.rate);
      ports_[b].set_rate(event.rate);
      break;
    case LinkEvent::Kind::kRestore:
      ports_[a].set_rate(link.rate);
      ports_[b].set_rate(link.rate);
      if (ports_[a].has(kLinkDown)) {
        bring_link_up(link, now);
      }
      break;
  }
  for (const PortIndex index : {a, b}) {
    if (!ports_[index].has(kIsEndpoint)) {
      allow_cut_through(switches_[ports_[index].owner]);
    }
  }
}

// What is on the wire towards this port is lost, and what waits to leave by it; what came in by it goes on.
void InfiniBandFabric::take_link_down(PortIndex index, Time now) {
  InfiniBandPort& port = ports_[index];
  if (port.has(kLinkDown)) {
    return;
  }
  (void)process_credit_updates(port, index, now);
  port.flags |= kLinkDown;
  flush_wire(
      port,
      [&](PacketHandle handle) {
        ++drops_.link_down;
        packets_.release(handle);
      },
      [](std::uint32_t) {});
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    end_stall(port, index, lane, now);
    while (!queues_.empty(index * lanes_ + lane)) {
      remove_waiting(index, lane, queues_.pop(index * lanes_ + lane, now), drops_.link_down, now);
    }
  }
  end_xmit_wait(port, now);
  port.blocked = 0xFFFF;
}

// Link training sets the counters of both ends back; packets that are still in a buffer keep their blocks.
void InfiniBandFabric::bring_link_up(const Link& link, Time now) {
  for (const PortIndex index : {port_index(link.a), port_index(link.b)}) {
    ports_[index].flags = static_cast<std::uint8_t>(ports_[index].flags & ~kLinkDown);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      CreditReceiver& receiver = credits_of(index, lane).receiver;
      receiver.restart();
      credits_of(ports_[index].peer, lane).sender.restart(receiver.advertised());
    }
  }
  for (const PortIndex index : {port_index(link.a), port_index(link.b)}) {
    InfiniBandPort& port = ports_[index];
    refresh_permit(port, index);
    if (port.has(kIsEndpoint)) {
      request_wire(EndpointId(index), now);
    }
  }
}

void InfiniBandFabric::remove_waiting(PortIndex output, std::uint32_t lane, const WaitingPacket& entry,
                                      std::uint64_t& counter, Time now) {
  take_from_queue(ports_[output], output, lane, entry);
  discard(entry.packet, counter, output);
  release_input(entry, now);
}

//= ibta-1.7 18.2.5.4
void InfiniBandFabric::on_switch_timer(std::uint32_t ordinal, Time now) {
  Switch& node = switches_[ordinal];
  if (!node.timer.fires(now)) {
    return;
  }
  Time oldest = Time::never();
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    for (std::uint32_t lane = 0; ports_[index].queued >> lane != 0; ++lane) {
      expire_heads(index, lane, now);
      oldest = earlier(oldest, queues_.oldest_head(index * lanes_ + lane));
    }
  }
  if (!oldest.is_never()) {
    kernel_.wake(node.timer, sim::ActorId(kSwitchTimer, ordinal), oldest + node.lifetime);
  }
}

void InfiniBandFabric::expire_heads(PortIndex index, std::uint32_t lane, Time now) {
  InfiniBandPort& port = ports_[index];
  const OutputLaneIndex output = index * lanes_ + lane;
  const Time limit = now - switches_[port.owner].lifetime;
  queues_.expire(output, limit, now,
                 [&](const WaitingPacket& entry) { remove_waiting(index, lane, entry, drops_.lifetime, now); });
  if (((port.stalled >> lane) & 1U) == 0) {
    return;
  }
  // A smaller packet may be first now.
  if (queues_.empty(output)) {
    end_stall(port, index, lane, now);
  } else if (credits_of(index, lane).sender.admits(queues_.front(output).blocks)) {
    end_stall(port, index, lane, now);
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(port.free_at, now));
  }
  if (port.queued == 0) {
    end_xmit_wait(port, now);
  }
}

}  // namespace weft::fabric
