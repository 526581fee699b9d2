// Link layer retry: sequence numbers, acknowledgements and requests in control ordered sets, going back to the frame
// that was damaged. And what it shares with credits: messages of a link, and timers.
#include <algorithm>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

LoopTerms EthernetFabric::loop_of(PortIndex index) const {
  const EthernetPort& port = ports_[index];
  const EthernetPort& peer = ports_[port.peer];
  const std::optional<RetryOptions>& retry = options_.ports[port.profile].retry;
  Duration one_way = graph_.links[map_.link_of(index).value()].propagation;
  one_way += controls_[index].retry.is_on() ? retry->latency : Duration::zero();
  return {
      .rate = port.rate,
      .one_way = one_way,
      .pipeline = peer.has(kIsEndpoint)
                      ? (options_.endpoint_pipeline.empty() ? Duration::zero() : options_.endpoint_pipeline[peer.owner])
                      : options_.switches[switches_[peer.owner].profile].latency,
      .frame = options_.ports[port.profile].mtu_frame,
      .spacing = retry ? retry->spacing : Bytes::zero()};
}

Result<void> EthernetFabric::set_up_link_control() {
  const bool wanted = std::ranges::any_of(options_.ports, [](const EthernetPortOptions& profile) {
    return profile.retry || std::ranges::any_of(profile.priorities, [](const PriorityOptions& priority) {
             return priority.credits.has_value();
           });
  });
  if (!wanted) {
    return {};
  }
  controls_.resize(ports_.size());
  for (const Link& link : graph_.links) {
    const CableEnds ends{port_index(link.a), port_index(link.b)};
    set_up_retry(ends);
    if (Result<void> able = set_up_credits(ends); !able) {
      return able;
    }
    for (const PortIndex index : ends) {
      if (!has_link_control(index)) {
        continue;
      }
      EthernetPort& port = ports_[index];
      port.flags = static_cast<PortFlags>(port.flags | kExtended);
      // Ordered sets wait for no pause to be obeyed: that is deferred where it arrives.
      port.control_delay -= options_.ports[ports_[port.peer].profile].pause_response;
    }
  }
  return {};
}

void EthernetFabric::set_up_retry(const CableEnds& ends) {
  const bool on = std::ranges::all_of(
      ends, [this](PortIndex index) { return options_.ports[ports_[index].profile].retry.has_value(); });
  if (!on) {
    return;
  }
  for (const PortIndex index : ends) {
    EthernetPort& port = ports_[index];
    const RetryOptions& options = *options_.ports[port.profile].retry;
    RetryLink& retry = controls_[index].retry;
    retry.state = RetryLink::State::kAdvance;
    port.delay += options.latency;
    port.control_delay += options.latency;
    // Frames are judged as they begin; what arrives is undamaged.
    EthernetPort& peer = ports_[port.peer];
    if (errors_[port.peer] != nullptr) {
      const std::size_t link = map_.link_of(index).value();
      retry.errors = std::make_unique<BitErrors>(rate_of_link(options_.bit_error_rate, link),
                                                 stable_hash(map_.port_hash(port.peer), "llr"),
                                                 rate_of_link(options_.packet_error_rate, link));
      peer.flags = static_cast<PortFlags>(peer.flags & ~kHasErrors);
    }
  }
  for (const PortIndex index : ends) {
    RetryLink& retry = controls_[index].retry;
    const LoopTerms loop = loop_of(index);
    const Bytes enough = retry_buffer(loop);
    const Bytes buffer = options_.ports[ports_[index].profile].retry->buffer.value_or(enough);
    retry.buffer = static_cast<std::uint64_t>(std::max(buffer, loop.frame).count());
    retry.counts_buffer = buffer < enough || retry.errors != nullptr;
    retry.acknowledged_after = acknowledged_after(loop);
  }
}

// A frame that is new to the link.
void EthernetFabric::send_with_retry(PortIndex index, const RetryFrame& frame, Time now) {
  RetryLink& retry = controls_[index].retry;
  WEFT_DCHECK(retry.state == RetryLink::State::kAdvance ||
              (retry.state == RetryLink::State::kWaiting && retry.sent_again == retry.lost.size()));
  if (retry.state == RetryLink::State::kAdvance &&
      (retry.errors == nullptr || !retry.errors->damages(frame.frame_bytes + gap_bytes_))) {
    put_on_wire(index, frame, now);
  } else {
    retry.lost.push_back(frame);
    retry.lost_bytes += frame.frame_bytes;
    retry.sent_again = retry.lost.size();
    lose_on_wire(index, frame, now);
    if (retry.state == RetryLink::State::kAdvance) {
      note_damage(index, now);
    }
  }
  send_ordered_sets(index, frame.frame_bytes + gap_bytes_);
  update_hold(index, now);
}

void EthernetFabric::put_on_wire(PortIndex index, const RetryFrame& frame, Time now) {
  EthernetPort& port = ports_[index];
  RetryLink& retry = controls_[index].retry;
  start_transmission(kernel_, port, ports_[port.peer], port.peer, frame.packet, frame.frame_bytes + gap_bytes_, now);
  if (retry.counts_buffer) {
    retry.unacknowledged.push_back({port.free_at + retry.acknowledged_after, frame.frame_bytes});
    retry.unacknowledged_bytes += frame.frame_bytes;
  }
}

// The frame occupies the wire and is taken by nobody; its record stays here.
void EthernetFabric::lose_on_wire(PortIndex index, const RetryFrame& frame, Time now) {
  EthernetPort& port = ports_[index];
  WEFT_DCHECK(port.free_at <= now && !port.has(kLinkDown));
  port.free_at = now + port.wire_time(frame.frame_bytes + gap_bytes_);
}

// While frames leave, ordered sets leave between them, one for each target spacing.
void EthernetFabric::send_ordered_sets(PortIndex index, std::uint32_t after_bytes) {
  EthernetPort& port = ports_[index];
  RetryLink& retry = controls_[index].retry;
  const auto spacing = static_cast<std::uint32_t>(options_.ports[port.profile].retry->spacing.count());
  retry.since_set += after_bytes;
  const std::uint32_t sets = retry.since_set / spacing;
  retry.since_set -= sets * spacing;
  port.free_at += port.wire_time(sets * kOrderedSetBytes);
}

// The receiver finds out when the frame has ended, and asks for it once; if that does not help, the replay timer does.
void EthernetFabric::note_damage(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  RetryLink& retry = controls_[index].retry;
  retry.state = RetryLink::State::kWaiting;
  retry.deadline = port.free_at + options_.ports[port.profile].retry->replay_timer;
  plan_link_timer(index, now);
  if (retry.receiver_waits) {
    return;
  }
  retry.receiver_waits = true;
  const PacketHandle handle = packets_.allocate();
  LinkContent{.value = ++retry.damage, .priority = 0}.store(packets_[handle], LinkMessage::kDamage);
  const ControlInFlight sent{port.free_at + port.control_delay, handle.value()};
  if (!posts_control(kernel_, port, sent)) {
    put_control_on_wire(kernel_, ports_[port.peer], port.peer, sent);
  }
}

// Of a port that LLR holds, when its wire is free. True: nothing else may be sent.
bool EthernetFabric::retransmits(PortIndex index, Time now) {
  if (controls_[index].retry.replays_now()) {
    replay_next(index, now);
    return true;
  }
  update_hold(index, now);
  return ports_[index].held != 0;
}

void EthernetFabric::replay_next(PortIndex index, Time now) {
  RetryLink& retry = controls_[index].retry;
  ++retry.frames_replayed;
  const std::uint32_t next = retry.state == RetryLink::State::kReplay ? 0 : retry.sent_again;
  const RetryFrame frame = retry.lost[next];
  const std::uint32_t wire_bytes = frame.frame_bytes + gap_bytes_;
  if (retry.state == RetryLink::State::kWaiting) {
    lose_on_wire(index, frame, now);
    ++retry.sent_again;
  } else if (retry.errors != nullptr && retry.errors->damages(wire_bytes)) {
    lose_on_wire(index, frame, now);
    retry.sent_again = 1;
    note_damage(index, now);
  } else {
    (void)retry.lost.pop_front();
    retry.lost_bytes -= frame.frame_bytes;
    retry.replays = 0;
    retry.receiver_waits = false;
    put_on_wire(index, frame, now);
    if (retry.lost.empty()) {
      retry.state = RetryLink::State::kAdvance;
      retry.deadline = Time::never();
    }
  }
  send_ordered_sets(index, wire_bytes);
  update_hold(index, now);
}

void EthernetFabric::begin_replay(PortIndex index, Time now) {
  RetryLink& retry = controls_[index].retry;
  WEFT_DCHECK(retry.state == RetryLink::State::kWaiting && !retry.lost.empty());
  if (++retry.replays > options_.ports[ports_[index].profile].retry->replays) {
    return flush_retry(index, now);
  }
  ++retry.replays_begun;
  retry.state = RetryLink::State::kReplay;
  retry.sent_again = 0;
  retry.deadline = Time::never();
  update_hold(index, now);
}

// What was sent and is not acknowledged is lost; then both ends begin anew, which takes a round trip.
void EthernetFabric::flush_retry(PortIndex index, Time now) {
  RetryLink& retry = controls_[index].retry;
  while (!retry.lost.empty()) {
    drop(retry.lost.pop_front().packet, drops_here().replays, index);
    ++retry.flushed;
  }
  retry.lost_bytes = 0;
  retry.replays = 0;
  retry.sent_again = 0;
  retry.receiver_waits = false;
  retry.state = RetryLink::State::kFlush;
  retry.deadline = now + loop_of(index).one_way * 2;
  plan_link_timer(index, now);
  update_hold(index, now);
}

// New frames wait while old ones are sent again, and where the replay buffer has no room for one.
void EthernetFabric::update_hold(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  RetryLink& retry = controls_[index].retry;
  const Time next = later(now, port.free_at);
  while (!retry.unacknowledged.empty() && retry.unacknowledged.front().until <= next) {
    retry.unacknowledged_bytes -= retry.unacknowledged.pop_front().bytes;
  }
  const auto largest = static_cast<std::uint64_t>(options_.ports[port.profile].mtu_frame.count());
  const bool is_full = retry.counts_buffer && retry.unacknowledged_bytes + retry.lost_bytes + largest > retry.buffer;
  const bool replays = retry.replays_now();
  const bool held = replays || is_full || retry.state == RetryLink::State::kFlush;
  const bool was_held = port.held != 0;
  port.held = held ? 0xFF : 0;
  port.combine_blocks();
  if (replays || was_held != held) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), next);
  }
  if (is_full && !retry.unacknowledged.empty()) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(next, retry.unacknowledged.front().until));
  }
}

// Messages of a link.

// As soon as the wire is free, in front of all that waits.
void EthernetFabric::send_message(PortIndex index, LinkMessage kind, const LinkContent& content, Time now) {
  EthernetPort& port = ports_[index];
  if (port.has(kLinkDown)) {
    return;
  }
  const PacketHandle handle = packets_.allocate();
  wire::Packet& message = packets_[handle];
  content.store(message, kind);
  message.common.frame_bytes = kOrderedSetBytes;
  message.common.wire_bytes = kOrderedSetBytes;
  start_control_transmission(kernel_, port, ports_[port.peer], port.peer, handle, kOrderedSetBytes,
                             port.transmission_start(now));
}

void EthernetFabric::on_link_message(PortIndex index, wire::Packet& frame, Time now) {
  EthernetPort& port = ports_[index];
  const auto kind = static_cast<LinkMessage>(frame.common.hop_scratch);
  const bool is_frame = frame.common.kind != wire::PacketKind::kFlowControl || kind == LinkMessage::kPause;
  if (kind != LinkMessage::kDamage && errors_[index] != nullptr && errors_[index]->damages(frame.common.wire_bytes)) {
    frame.common.flags |= wire::kCorrupted;
  }
  if (is_frame && port.has(kTapped)) {
    tap_->on_frame(index, Tap::Direction::kReceived, frame, now);
  }
  if (frame.has(wire::kCorrupted)) {
    return;
  }
  if (frame.common.kind != wire::PacketKind::kFlowControl) {
    return take_link_frame(port, index, frame, now);
  }
  const LinkContent content = LinkContent::load(frame);
  switch (kind) {
    case LinkMessage::kPause:
      return defer_pause(index, PauseContent::load(frame), now);
    case LinkMessage::kDamage:
      return send_message(index, LinkMessage::kNack, content, now);
    case LinkMessage::kNack:
      if (RetryLink& retry = controls_[index].retry;
          retry.state == RetryLink::State::kWaiting && content.value == retry.damage) {
        begin_replay(index, now);
      }
      return;
    case LinkMessage::kFreed:
      controls_[index].sends[content.priority].on_freed(content.value);
      return update_stall(index, content.priority, now);
    case LinkMessage::kConsumed:
      return;  // comes among the frames
  }
}

void EthernetFabric::defer_pause(PortIndex index, const PauseContent& content, Time now) {
  const Duration response = options_.ports[ports_[index].profile].pause_response;
  if (response == Duration::zero()) {
    return process_pause(ports_[index], index, content, now);
  }
  controls_[index].pauses.push_back({now + response, content});
  plan_link_timer(index, now);
}

// Timers.

void EthernetFabric::on_link_timer(PortIndex index, Time now) {
  if (controls_.empty()) {
    return;
  }
  LinkControl& control = controls_[index];
  while (!control.pauses.empty() && control.pauses.front().at <= now) {
    const DeferredPause due = control.pauses.pop_front();
    process_pause(ports_[index], index, due.content, now);
  }
  if (control.retry.deadline <= now) {
    control.retry.deadline = Time::never();
    if (control.retry.state == RetryLink::State::kWaiting) {
      begin_replay(index, now);
    } else if (control.retry.state == RetryLink::State::kFlush) {
      control.retry.state = RetryLink::State::kAdvance;
      update_hold(index, now);
    }
  }
  if (control.resync_at <= now) {
    resync_credits(index, now);
  }
  plan_link_timer(index, now);
}

void EthernetFabric::plan_link_timer(PortIndex index, Time now) {
  const LinkControl& control = controls_[index];
  Time next = earlier(control.retry.deadline, control.resync_at);
  if (!control.pauses.empty()) {
    next = earlier(next, control.pauses.front().at);
  }
  if (ports_[index].xoff != 0) {
    next = earlier(next, pauses_[index].refresh_at);  // the wake-up that has come may have been for something else
  }
  if (!next.is_never()) {
    kernel_.wake(ports_[index].timer, sim::ActorId(kPortTimer, index), later(now, next));
  }
}

// A link that fails takes with it what was to be sent again.
void EthernetFabric::reset_link_control(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  LinkControl& control = controls_[index];
  RetryLink& retry = control.retry;
  while (!retry.lost.empty()) {
    drop(retry.lost.pop_front().packet, drops_here().link_down, index);
  }
  retry.unacknowledged.clear();
  retry.unacknowledged_bytes = retry.lost_bytes = 0;
  retry.sent_again = retry.replays = 0;
  retry.receiver_waits = false;
  retry.deadline = Time::never();
  if (retry.is_on()) {
    retry.state = RetryLink::State::kAdvance;
  }
  control.pauses.clear();
  control.resync_at = Time::never();
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    if (((port.stalled >> priority) & 1U) != 0) {
      pauses_[index].paused_total[priority] += now - pauses_[index].paused_since[priority];
    }
  }
  port.held = 0;
  port.stalled = 0;
  port.combine_blocks();
}

void EthernetFabric::restart_link_control(PortIndex index) {
  const PortIndex peer = ports_[index].peer;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    if (((controls_[index].credited_out >> priority) & 1U) != 0) {
      controls_[index].sends[priority].restart(controls_[peer].receives[priority].held());
      controls_[peer].receives[priority].restart();
    }
  }
}

}  // namespace weft::fabric
