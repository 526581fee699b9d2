// Priority flow control between a leaf and its endpoints: a leaf pauses an endpoint whose packets fill its buffer.
#include "base/bits.h"
#include "fabric/scheduled/scheduled_fabric.h"
#include "wire/pfc_frame.h"

namespace weft::fabric {

void ScheduledFabric::update_xoff(PortIndex ingress, std::uint32_t priority, Time now) {
  ScheduledPort& port = ports_[ingress];
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  port.xoff = static_cast<std::uint8_t>(group_of(ingress, priority).xoff ? port.xoff | bit : port.xoff & ~bit);
  port.pending_pauses = static_cast<std::uint8_t>(port.pending_pauses | bit);
  if (port.free_at <= now) {
    send_pause(port, ingress, now);
  } else {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, ingress), port.free_at);
  }
}

//= ieee-802.1Q 36
void ScheduledFabric::send_pause(ScheduledPort& port, PortIndex index, Time now) {
  if (port.has(kLinkDown)) {
    port.pending_pauses = 0;  // said when the link comes back
    return;
  }
  const std::uint16_t quanta = options_.ports[port.profile].pause_quanta;
  PauseRecord& record = pauses_[index];
  PauseContent content;
  content.enabled = port.pending_pauses;
  for_each_bit(port.pending_pauses & port.xoff, [&](std::uint32_t priority) {
    content.quanta[priority] = quanta;
    ++record.pauses_sent[priority];
  });
  port.pending_pauses = 0;
  send_control_frame(index, wire::PacketKind::kFlowControl, PauseContent::kFrameBytes, PauseContent::kWireBytes,
                     content, now);
  // Said again at half the time that a pause lasts, for as long as it must.
  record.refresh_at = port.xoff != 0 ? now + wire::pause_time(port.rate, quanta) / 2 : Time::never();
  if (port.xoff != 0) {
    kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.refresh_at);
  }
  if (port.queued != 0) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
}

// Of a leaf's port: credits are due, or a pause is to be said again.
void ScheduledFabric::on_port_timer(PortIndex index, Time now) {
  ScheduledPort& port = ports_[index];
  if (!port.timer.fires(now)) {
    return;
  }
  refresh_pause(port, index, now);
  give_credits(EndpointId(port.peer), now);
}

void ScheduledFabric::refresh_pause(ScheduledPort& port, PortIndex index, Time now) {
  PauseRecord& record = pauses_[index];
  if (port.xoff == 0) {
    return;
  }
  if (record.refresh_at > now) {
    return kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.refresh_at);
  }
  port.pending_pauses = static_cast<std::uint8_t>(port.pending_pauses | port.xoff);
  if (port.free_at <= now) {
    return send_pause(port, index, now);
  }
  record.refresh_at = port.free_at;
  kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), port.free_at);
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
}

void ScheduledFabric::on_control(PortIndex index, Time now) {
  ScheduledPort& port = ports_[index];
  const PacketHandle handle = take_control_arrival(kernel_, port, now);
  if (!handle.is_valid()) {
    return;
  }
  wire::Packet& frame = packets_[handle];
  if ((port.flags & (kHasErrors | kTapped)) != 0) [[unlikely]] {
    (void)damage(port, index, frame);
    if (port.has(kTapped)) {
      tap_->on_frame(index, Tap::Direction::kReceived, frame, now);
    }
  }
  if (!frame.has(wire::kCorrupted)) {
    process_pause(port, index, PauseContent::load(frame), now);
  }
  packets_.release(handle);
}

// A packet that is on the wire goes on; the next one of a paused priority does not start.
void ScheduledFabric::process_pause(ScheduledPort& port, PortIndex index, const PauseContent& content, Time now) {
  PauseRecord& record = pauses_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  for_each_bit(content.enabled, [&](std::uint32_t priority) {
    if (!profile.priorities[priority].lossless) {
      return;
    }
    if (content.quanta[priority] == 0) {
      return end_pause(port, index, priority, now);
    }
    ++record.pauses_received[priority];
    record.paused_until[priority] = now + wire::pause_time(port.rate, content.quanta[priority]);
    if (((port.blocked >> priority) & 1U) == 0) {
      port.blocked = static_cast<std::uint16_t>(port.blocked | 1U << priority);
      record.paused_since[priority] = now;
    }
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(record.paused_until[priority], port.free_at));
  });
}

void ScheduledFabric::end_pause(ScheduledPort& port, PortIndex index, std::uint32_t priority, Time now) {
  if (((port.blocked >> priority) & 1U) == 0) {
    return;
  }
  PauseRecord& record = pauses_[index];
  port.blocked = static_cast<std::uint16_t>(port.blocked & ~(1U << priority));
  record.paused_total[priority] += now - record.paused_since[priority];
  kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(port.free_at, now));
}

void ScheduledFabric::expire_pauses(ScheduledPort& port, PortIndex index, Time now) {
  for_each_bit(port.blocked, [&](std::uint32_t priority) {
    if (pauses_[index].paused_until[priority] <= now) {
      end_pause(port, index, priority, now);
    }
  });
}

void ScheduledFabric::schedule_pause_expiry(ScheduledPort& port, PortIndex index) {
  Time first = Time::never();
  for_each_bit(port.blocked,
               [&](std::uint32_t priority) { first = earlier(first, pauses_[index].paused_until[priority]); });
  if (!first.is_never()) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(first, port.free_at));
  }
}

}  // namespace weft::fabric
