// Ends of cables that fail, and what is watched from time to time: pauses that do not end, and circles of ports that
// wait for one another.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

// What is on the wire towards this port is lost, and so are the pauses that hold it and what waits to leave by it.
void EthernetFabric::take_link_down(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  port.flags |= kLinkDown;
  if (control_ != nullptr) {
    note_cable(index, now);
  }
  flush_wire(
      port, [&](PacketHandle handle) { drop(handle, drops_here().link_down, index); },
      [&](std::uint32_t frame) { packets_.release(PacketHandle(frame)); });
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    end_pause(port, index, priority, now);
  }
  port.pending_pauses = 0;
  if (!controls_.empty()) {
    reset_link_control(index, now);
  }
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    empty_queue(index, priority, drops_here().link_down, now);
  }
  WEFT_DCHECK(port.queued == 0 && port.queued_bytes == 0 && port.blocked == 0);
  if (port.has(kIsEndpoint)) {
    request_wire(EndpointId(port.owner), now);  // nothing holds it any more
  }
  if (control_ != nullptr) {
    note_cable_done();
  }
}

void EthernetFabric::bring_link_up(const CableEnds& ends, Time now) {
  for (const PortIndex index : ends) {
    EthernetPort& port = ports_[index];
    port.flags = static_cast<PortFlags>(port.flags & ~kLinkDown);
    port.pending_pauses = port.xoff;
    if (!controls_.empty()) {
      restart_link_control(index);
    }
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(now, port.free_at));
  }
  if (control_ != nullptr) {
    note_cable(ends[0], now);
  }
}

// With LLR the sender judges frames as they begin.
void EthernetFabric::set_bit_error_rate(PortIndex receiver, Probability rate) {
  errors_[receiver]->set_bit_error_rate(rate);
  const PortIndex sender = ports_[receiver].peer;
  if (!controls_.empty() && controls_[sender].retry.errors != nullptr) {
    controls_[sender].retry.errors->set_bit_error_rate(rate);
  }
}

void EthernetFabric::empty_queue(PortIndex index, std::uint32_t priority, std::uint64_t& counter, Time now) {
  EthernetPort& port = ports_[index];
  EgressQueue& queue = queue_of(index, priority);
  while (!queue.packets.empty()) {
    const QueuedPacket entry = queue.packets.pop_front();
    Switch& node = switches_[port.owner];
    WEFT_DCHECK(entry.frame_bytes <= queue.bytes && queue.bytes <= port.queued_bytes);
    queue.bytes -= entry.frame_bytes;
    port.queued_bytes -= entry.frame_bytes;
    const PortIndex ingress = node.first_port + entry.ingress;
    drop(entry.packet, counter, ingress);
    if (node.buffer.release(group_of(ingress, priority), entry.frame_bytes)) {
      on_room(ingress, priority, entry.frame_bytes, now);
    }
  }
  WEFT_DCHECK(queue.bytes == 0);
  port.queued = static_cast<std::uint16_t>(port.queued & ~(1U << priority));
}

// A pause has begun: from now on somebody looks whether it ends.
void EthernetFabric::watch_pause(PortIndex index, Time now) {
  const EthernetPort& port = ports_[index];
  const PfcWatchdogOptions& watchdog = options_.ports[port.profile].watchdog;
  if (watchdog.detect > Duration::zero() && !port.has(kIsEndpoint)) {
    kernel_.wake(switches_[port.owner].timer, sim::ActorId(kSwitchTimer, port.owner), now + watchdog.detect);
  }
  plan_deadlock_check(now);
}

// The first pause or stall of all counts, in whatever order partitions come by here.
void EthernetFabric::plan_deadlock_check(Time now) {
  const Time at = now + options_.deadlock_check;
  if (options_.deadlock_check == Duration::zero() || at >= deadlock_check_at_.load(std::memory_order_relaxed)) {
    return;
  }
  if (kernel_.in_window()) {
    kernel_.post(0, {.at = at, .kind = kDeadlockCheckCrosses});
  } else {
    check_deadlocks_at(at);
  }
}

void EthernetFabric::check_deadlocks_at(Time at) {
  if (at < deadlock_check_at_.load(std::memory_order_relaxed)) {
    deadlock_check_at_.store(at, std::memory_order_relaxed);
    plan_fabric_timer();
  }
}

void EthernetFabric::on_switch_timer(std::uint32_t ordinal, Time now) {
  Switch& node = switches_[ordinal];
  if (!node.timer.fires(now)) {
    return;
  }
  Time next = Time::never();
  for (PortIndex index = node.first_port; index < node.first_port + node.ports; ++index) {
    watch_storms(index, now, next);
  }
  next = earlier(next, end_waits(ordinal, now));
  if (!next.is_never()) {
    kernel_.wake(node.timer, sim::ActorId(kSwitchTimer, ordinal), next);
  }
}

// A queue that has waited for the whole detection time is a storm: its priority leaves the lossless service until no
// pause has come for the restoration time.
void EthernetFabric::watch_storms(PortIndex index, Time now, Time& next) {
  EthernetPort& port = ports_[index];
  PauseRecord& record = pauses_[index];
  const PfcWatchdogOptions& watchdog = options_.ports[port.profile].watchdog;
  if (watchdog.detect == Duration::zero()) {
    return;
  }
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    const auto bit = static_cast<std::uint8_t>(1U << priority);
    if ((port.watchdog_tripped & bit) != 0) {
      const Time until = record.ignored_pause_at[priority] + watchdog.restore;
      if (until > now) {
        next = earlier(next, until);
        continue;
      }
      port.watchdog_tripped = static_cast<std::uint8_t>(port.watchdog_tripped & ~bit);
    } else if ((port.paused & bit) != 0) {
      const Time storm_at = record.paused_since[priority] + watchdog.detect;
      if (storm_at > now || (port.queued & bit) == 0) {
        next = earlier(next, storm_at > now ? storm_at : now + watchdog.detect);
        continue;
      }
      ++record.storms[priority];
      record.ignored_pause_at[priority] = now;
      port.watchdog_tripped |= bit;
      next = earlier(next, now + watchdog.restore);
      end_pause(port, index, priority, now);
      if (watchdog.action == PfcWatchdogOptions::Action::kDrop) {
        empty_queue(index, priority, drops_here().watchdog, now);
      }
    }
  }
  port.flags = static_cast<PortFlags>(port.watchdog_tripped != 0 ? port.flags | kWatchdogTripped
                                                                 : port.flags & ~kWatchdogTripped);
}

void EthernetFabric::check_fabric(Time now) {
  if (deadlock_check_at_.load(std::memory_order_relaxed) <= now) {
    check_deadlocks(now);
  }
  if (next_round() <= now) {
    pinned_->controller->act(now);
    WEFT_ASSERT(next_round() > now);
  }
}

// Whoever has been paused since before the last check, and still has something to send, waits.
bool EthernetFabric::find_waits(std::uint32_t priority, Time now, std::vector<WaitGraph::Wait>& waits) const {
  bool any_pause = false;
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    const EthernetPort& port = ports_[index];
    if (((port.paused | port.stalled) & bit) == 0 || kernel_.is_foreign(port.transmit.partition())) {
      continue;
    }
    any_pause = true;
    const bool long_enough = pauses_[index].paused_since[priority] + options_.deadlock_check <= now;
    if (!long_enough || (port.queued & bit) == 0) {
      continue;
    }
    // Its queue holds packets of these ingress ports: whoever feeds them waits for this one.
    const Switch& node = switches_[port.owner];
    const Ring<QueuedPacket>& packets = queue(index, priority).packets;
    for (std::uint32_t i = 0; i < packets.size(); ++i) {
      waits.push_back({.waiting = ports_[node.first_port + packets[i].ingress].peer, .for_port = index});
    }
  }
  return any_pause;
}

// In the order of ports, wherever they are simulated.
bool EthernetFabric::gather_waits(bool any_pause, std::vector<WaitGraph::Wait>& waits) const {
  std::vector<std::string> told;
  const std::string own(reinterpret_cast<const char*>(waits.data()), waits.size() * sizeof(WaitGraph::Wait));
  if (!kernel_.peers()->gather((any_pause ? "p" : "-") + own, told)) {
    return any_pause;  // the run is over
  }
  for (const std::string& bytes : told) {
    for (std::size_t at = 1; at + sizeof(WaitGraph::Wait) <= bytes.size(); at += sizeof(WaitGraph::Wait)) {
      std::memcpy(&waits.emplace_back(), bytes.data() + at, sizeof(WaitGraph::Wait));
    }
    any_pause = any_pause || bytes.front() == 'p';
  }
  std::ranges::stable_sort(waits, {}, &WaitGraph::Wait::for_port);
  return any_pause;
}

void EthernetFabric::check_deadlocks(Time now) {
  bool any_pause = false;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    WaitGraph graph;
    std::vector<WaitGraph::Wait> waits;
    const bool any_here = find_waits(priority, now, waits);
    any_pause |= kernel_.peers() == nullptr ? any_here : gather_waits(any_here, waits);
    for (const WaitGraph::Wait& wait : waits) {
      graph.add_wait(wait);
    }
    for (std::vector<PortIndex>& cycle : graph.cycles()) {
      const bool known = std::any_of(deadlocks_.begin(), deadlocks_.end(), [&](const DeadlockReport& report) {
        return report.priority == priority && report.cycle == cycle;
      });
      if (!known) {
        deadlocks_.push_back({now, static_cast<std::uint8_t>(priority), std::move(cycle)});
      }
    }
  }
  deadlock_check_at_.store(any_pause ? now + options_.deadlock_check : Time::never(), std::memory_order_relaxed);
}

}  // namespace weft::fabric
