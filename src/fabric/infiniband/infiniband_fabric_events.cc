// What happens to the ends of a cable that fails, and to packets that wait too long.
#include <algorithm>

#include "base/assert.h"
#include "fabric/infiniband/infiniband_fabric.h"

namespace weft::fabric {

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
        ++drops_here().link_down;
        packets_.release(handle);
      },
      [](std::uint32_t) {});
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    end_stall(port, index, lane, now);
    while (!queues_.empty(index * lanes_ + lane)) {
      remove_waiting(index, lane, queues_.pop(index * lanes_ + lane, now), drops_here().link_down, now);
    }
  }
  end_xmit_wait(port, now);
  WEFT_DCHECK(port.queued == 0 && port.queued_bytes == 0 && port.stalled == 0);
  if (port.has(kIsEndpoint)) {
    port.blocked = port.low_credit_lanes = 0;  // what it sends needs no credits, for it is lost
    request_wire(EndpointId(index), now);
  } else {
    port.blocked = 0xFFFF;
  }
}

// Link training sets the counters of both ends back; packets that are still in a buffer keep their blocks.
void InfiniBandFabric::bring_link_up(const CableEnds& ends, Time now) {
  if (!ports_[ends[0]].has(kLinkDown)) {
    return;
  }
  for (const PortIndex index : ends) {
    ports_[index].flags = static_cast<PortFlags>(ports_[index].flags & ~kLinkDown);
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      CreditReceiver& receiver = credits_of(index, lane).receiver;
      receiver.restart();
      credits_of(ports_[index].peer, lane).sender.restart(receiver.advertised());
    }
  }
  for (const PortIndex index : ends) {
    InfiniBandPort& port = ports_[index];
    refresh_permit(port, index);
    if (port.has(kIsEndpoint)) {
      request_wire(EndpointId(index), now);
    }
  }
}

void InfiniBandFabric::remove_waiting(PortIndex output, std::uint32_t lane, WaitingPacket entry, std::uint64_t& counter,
                                      Time now) {
  take_from_queue(ports_[output], output, lane, entry);
  if ((entry.input_lane & kSharesBuffer) != 0) {
    leave_copies(entry);
  }
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
                 [&](const WaitingPacket& entry) { remove_waiting(index, lane, entry, drops_here().lifetime, now); });
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
