// Link-level frames. Priority flow control: when a port's ingress group asks for a pause, how the frame travels, and
// who obeys it. Notifications of congestion travel alike.
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "base/bits.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/ethernet/pause_content.h"
#include "wire/encapsulation.h"
#include "wire/pfc_frame.h"

namespace weft::fabric {

// The group's own record has changed already; the port says so as soon as its wire is free.
void EthernetFabric::update_xoff(PortIndex ingress, std::uint32_t priority, Time now) {
  EthernetPort& port = ports_[ingress];
  WEFT_DCHECK(!receives_credits(ingress, priority));
  const bool pausing = group_of(ingress, priority).xoff;
  WEFT_DCHECK(group_of(ingress, priority).lossless);
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  port.xoff = static_cast<std::uint8_t>(pausing ? port.xoff | bit : port.xoff & ~bit);
  port.pending_pauses |= bit;
  say_pauses(port, ingress, now);
}

void EthernetFabric::pause_peer(EndpointId endpoint, PauseCause cause, std::uint8_t priorities, Time now) {
  EthernetPort& port = ports_[endpoint.value()];
  WEFT_DCHECK(port.has(kIsEndpoint));
  std::array<std::uint8_t, 2>& asked = pauses_[endpoint.value()].asked;
  asked[static_cast<std::size_t>(cause)] = priorities;
  const auto paused = static_cast<std::uint8_t>(asked[0] | asked[1]);
  port.pending_pauses |= static_cast<std::uint8_t>(port.xoff ^ paused);
  port.xoff = paused;
  if (port.pending_pauses != 0) {
    say_pauses(port, endpoint.value(), now);
  }
}

// All lossless priorities share the receive buffer: whichever fills it, all are paused.
bool EthernetFabric::hold_back_peer(EthernetPort& port, PortIndex index, PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  const std::uint8_t lossless = lossless_[port.profile];
  if (((lossless >> packet.common.priority) & 1U) == 0 || packet.has(wire::kCorrupted)) {
    return false;
  }
  const Time room_at = endpoints_[port.owner]->room_at(handle, now);
  if (room_at <= now) {
    return false;
  }
  PauseRecord& record = pauses_[index];
  const bool is_first = record.room_at.is_never();
  record.room_at = is_first ? room_at : later(record.room_at, room_at);
  kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.room_at);
  if (is_first) {
    pause_peer(EndpointId(port.owner), PauseCause::kReceiveBuffer, lossless, now);
  }
  return false;
}

void EthernetFabric::on_endpoint_timer(EthernetPort& port, PortIndex index, Time now) {
  PauseRecord& record = pauses_[index];
  if (record.room_at <= now) {
    record.room_at = Time::never();
    pause_peer(EndpointId(port.owner), PauseCause::kReceiveBuffer, 0, now);
  } else if (!record.room_at.is_never()) {
    kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.room_at);
  }
  if (!controls_.empty()) {
    release_held_credits(index, now);
  }
}

void EthernetFabric::say_pauses(EthernetPort& port, PortIndex index, Time now) {
  if (port.free_at <= now) {
    send_pause(port, index, now);
  } else {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
}

//= ieee-802.1Q 36
void EthernetFabric::send_pause(EthernetPort& port, PortIndex index, Time now) {
  if (port.has(kLinkDown)) [[unlikely]] {
    port.pending_pauses = 0;  // said when the link comes back
    return;
  }
  const EthernetPortOptions& profile = options_.ports[port.profile];
  PauseRecord& record = pauses_[index];
  WEFT_DCHECK(port.pending_pauses != 0 && port.free_at <= now);
  PauseContent content;
  content.enabled = port.pending_pauses;
  for_each_bit(port.pending_pauses & port.xoff, [&](std::uint32_t priority) {
    content.quanta[priority] = profile.pause_quanta;
    ++record.pauses_sent[priority];
  });
  port.pending_pauses = 0;
  send_control_frame(index, wire::PacketKind::kFlowControl, PauseContent::kFrameBytes, PauseContent::kWireBytes,
                     content, now);
  // Said again at half the time that a pause lasts, for as long as it must.
  if (port.xoff != 0) {
    record.refresh_at = now + wire::pause_time(port.rate, profile.pause_quanta) / 2;
    kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.refresh_at);
  } else {
    record.refresh_at = Time::never();
  }
  // A NIC may have asked for the wire.
  if (port.queued != 0 || port.held != 0 || port.has(kIsEndpoint)) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
}

void EthernetFabric::send_endpoint_pause(EndpointId endpoint, std::uint8_t priorities, std::uint16_t quanta, Time now) {
  WEFT_DCHECK(is_endpoint(endpoint.value()) && ports_[endpoint.value()].free_at <= now);
  PauseContent content;
  content.enabled = priorities;
  for_each_bit(priorities, [&](std::uint32_t priority) { content.quanta[priority] = quanta; });
  send_control_frame(endpoint.value(), wire::PacketKind::kFlowControl, PauseContent::kFrameBytes,
                     PauseContent::kWireBytes, content, now);
}

void EthernetFabric::send_notification(PortIndex ingress, const NotificationContent& content, Time now) {
  constexpr std::uint32_t kWireBytes = NotificationContent::kFrameBytes + wire::kEthernetGapBytes;
  EthernetPort& port = ports_[ingress];
  send_control_frame(ingress, wire::PacketKind::kManagement, NotificationContent::kFrameBytes, kWireBytes, content,
                     port.transmission_start(now));
}

void EthernetFabric::on_port_timer(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  if (!port.timer.fires(now)) {
    return;
  }
  if (port.has(kExtended)) [[unlikely]] {
    on_link_timer(index, now);
  }
  if (port.has(kMayBackUp)) [[unlikely]] {
    on_endpoint_timer(port, index, now);
  }
  if (port.xoff == 0) {
    return;
  }
  PauseRecord& record = pauses_[index];
  if (record.refresh_at > now) {
    kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), record.refresh_at);
    return;
  }
  port.pending_pauses |= port.xoff;
  if (port.free_at <= now) {
    send_pause(port, index, now);
  } else {
    record.refresh_at = port.free_at;
    kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), port.free_at);
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), port.free_at);
  }
}

void EthernetFabric::on_control(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  const PacketHandle handle = take_control_arrival(kernel_, port, now);
  if (!handle.is_valid()) {
    return;
  }
  wire::Packet& frame = packets_[handle];
  if (port.has(kExtended) && has_link_control(index)) [[unlikely]] {
    on_link_message(index, frame, now);
    return packets_.release(handle);
  }
  if ((port.flags & (kHasErrors | kTapped)) != 0) [[unlikely]] {
    (void)damage(port, index, frame);
    if (port.has(kTapped)) {
      tap_->on_frame(index, Tap::Direction::kReceived, frame, now);
    }
  }
  take_link_frame(port, index, frame, now);
  packets_.release(handle);
}

void EthernetFabric::take_link_frame(EthernetPort& port, PortIndex index, const wire::Packet& frame, Time now) {
  if (frame.has(wire::kCorrupted)) {
    return;
  }
  if (frame.common.kind == wire::PacketKind::kManagement) {
    mark_congested(port, NotificationContent::load(frame), now);
  } else {
    process_pause(port, index, PauseContent::load(frame), now);
  }
}

// A packet that is on the wire goes on; the next one of a paused priority does not start.
void EthernetFabric::process_pause(EthernetPort& port, PortIndex index, const PauseContent& content, Time now) {
  PauseRecord& record = pauses_[index];
  const EthernetPortOptions& profile = options_.ports[port.profile];
  for_each_bit(content.enabled, [&](std::uint32_t priority) {
    // A port obeys pauses only of priorities that it keeps lossless, and that its watchdog has not taken out.
    const auto bit = static_cast<std::uint8_t>(1U << priority);
    if (!profile.priorities[priority].lossless) {
      return;
    }
    if ((port.watchdog_tripped & bit) != 0) {
      record.ignored_pause_at[priority] = now;
      return;
    }
    if (content.quanta[priority] == 0) {
      end_pause(port, index, priority, now);
      return;
    }
    ++record.pauses_received[priority];
    record.paused_until[priority] = now + wire::pause_time(port.rate, content.quanta[priority]);
    if ((port.paused & bit) == 0) {
      port.paused |= bit;
      port.combine_blocks();
      record.paused_since[priority] = now;
      watch_pause(index, now);
    }
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(record.paused_until[priority], port.free_at));
  });
}

void EthernetFabric::end_pause(EthernetPort& port, PortIndex index, std::uint32_t priority, Time now) {
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  if ((port.paused & bit) == 0) {
    return;
  }
  PauseRecord& record = pauses_[index];
  WEFT_DCHECK(record.paused_since[priority] <= now);
  port.paused = static_cast<std::uint8_t>(port.paused & ~bit);
  port.combine_blocks();
  record.paused_total[priority] += now - record.paused_since[priority];
  if ((port.queued & bit) != 0 || port.has(kIsEndpoint)) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(port.free_at, now));
  }
}

void EthernetFabric::expire_pauses(EthernetPort& port, PortIndex index, Time now) {
  for_each_bit(port.paused, [&](std::uint32_t priority) {
    if (pauses_[index].paused_until[priority] <= now) {
      end_pause(port, index, priority, now);
    }
  });
}

void EthernetFabric::schedule_pause_expiry(EthernetPort& port, PortIndex index) {
  Time first = Time::never();
  for_each_bit(port.paused,
               [&](std::uint32_t priority) { first = earlier(first, pauses_[index].paused_until[priority]); });
  if (!first.is_never()) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(first, port.free_at));
  }
}

}  // namespace weft::fabric
