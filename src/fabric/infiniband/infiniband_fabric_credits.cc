// Credits on their way: when a port says a limit, how the packet travels, who may send again, and who waited how long.
#include <bit>

#include "base/assert.h"
#include "base/bits.h"
#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/routing/notification_content.h"

namespace weft::fabric {
namespace {

std::uint16_t with(std::uint16_t bits, std::uint32_t lane) { return static_cast<std::uint16_t>(bits | 1U << lane); }
std::uint16_t without(std::uint16_t bits, std::uint32_t lane) {
  return static_cast<std::uint16_t>(bits & ~(1U << lane));
}

}  // namespace

// At once if the wire is idle, otherwise as soon as it is, in front of all that waits. It says what is free now.
//= ibta-1.7 7.9.4
void InfiniBandFabric::send_credit_update(PortIndex index, std::uint32_t lane, Time now) {
  InfiniBandPort& port = ports_[index];
  if (port.has(kLinkDown)) {
    return;
  }
  LaneCredits& credits = credits_of(index, lane);
  const CreditContent content{.total_blocks_sent = static_cast<std::uint16_t>(credits.sender.total_sent()),
                              .lane = static_cast<std::uint8_t>(lane),
                              .credit_limit = static_cast<std::uint16_t>(credits.receiver.advertise())};
  const Time begin = later(port.free_at, now);
  if (port.has(kTapped)) [[unlikely]] {
    tap_->on_frame(index, Tap::Direction::kSent, CreditContent::record(), begin);
  }
  port.free_at = begin + port.wire_time(kCreditWireBytes);
  ++port.credits_sent;
  send_control(port, content.packed());
}

/// What is on the wire as the port has just begun to send it.
void InfiniBandFabric::send_control(const InfiniBandPort& port, std::uint32_t frame) {
  const ControlInFlight sent{port.free_at + port.control_delay, frame};
  if (!posts_control(kernel_, port, sent, ControlFrames::kLookedAt)) {
    take_control(port.peer, sent);
  }
}

void InfiniBandFabric::take_control(PortIndex index, const ControlInFlight& frame) {
  InfiniBandPort& port = ports_[index];
  WEFT_DCHECK(port.control.empty() || port.control.back().at <= frame.at);
  port.control.push_back(frame);
  if (port.needs_credit_events()) {
    schedule_credit_updates(port, index);
  }
}

void InfiniBandFabric::schedule_credit_updates(InfiniBandPort& port, PortIndex index) {
  if (!port.control.empty() && port.control_arrival.pending().is_never()) {
    kernel_.wake_always(port.control_arrival, sim::ActorId(kControlArrival, index), port.control.front().at);
  }
}

void InfiniBandFabric::on_control(PortIndex index, Time now) {
  InfiniBandPort& port = ports_[index];
  if (!port.control_arrival.fires(now)) {
    return;
  }
  for_each_bit(process_credit_updates(port, index, now),
               [&](std::uint32_t lane) { take_credits(port, index, lane, now); });
  if (port.needs_credit_events()) {
    schedule_credit_updates(port, index);
  }
}

// The limits that have come by now, and of which lanes they were. Of several the last counts; whoever does not wait for
// one need not be told of each.
std::uint32_t InfiniBandFabric::process_credit_updates(InfiniBandPort& port, PortIndex index, Time now) {
  std::uint32_t lanes = 0;
  while (!port.control.empty() && port.control.front().at <= now) {
    const ControlInFlight first = port.control.pop_front();
    if (NotificationContent::is_packed(first.frame)) [[unlikely]] {
      process_notification(port, index, first.frame, first.at);
      continue;
    }
    const CreditContent content = CreditContent::unpacked(first.frame);
    if ((port.flags & (kHasErrors | kTapped)) != 0 && is_lost(port, index, now)) [[unlikely]] {
      continue;
    }
    WEFT_DCHECK(content.lane < lanes_);
    ++port.credits_received;
    // Nothing is lost on a wire without errors: the receiver's own count is the same.
    if (port.has(kHasErrors)) {
      resynchronise(index, content, now);
    }
    credits_of(index, content.lane).sender.set_limit(content.credit_limit);
    lanes |= 1U << content.lane;
  }
  return lanes;
}

bool InfiniBandFabric::is_lost(InfiniBandPort& port, PortIndex index, Time now) {
  const bool damaged = port.has(kHasErrors) && errors_[index]->damages(kCreditWireBytes);
  port.symbol_errors += damaged ? 1 : 0;
  if (port.has(kTapped)) {
    wire::Packet packet = CreditContent::record();
    packet.common.flags |= damaged ? wire::kCorrupted : 0;
    tap_->on_frame(index, Tap::Direction::kReceived, packet, now);
  }
  return damaged;
}

// The flow control packet has overtaken what is in this port's pipeline, and what is still counted as such on the wire:
// packets that were sent before it and are not here yet are not lost.
//= ibta-1.7 7.9.4
void InfiniBandFabric::resynchronise(PortIndex index, const CreditContent& content, Time now) {
  const InfiniBandPort& port = ports_[index];
  const InfiniBandPort& peer = ports_[port.peer];
  const Time last = now - peer.control_delay + peer.delay;  // of what came onto the wire in front of it
  std::uint32_t coming = 0;
  const auto add = [&](PacketHandle handle, Time at) {
    const wire::PacketCommon& common = packets_[handle].common;
    coming += at <= last && common.priority == content.lane ? blocks_of(common.frame_bytes) : 0;
  };
  if (!port.arrival.pending().is_never()) {
    add(port.first, port.arrival.pending());
  }
  for (std::uint32_t i = 0; i < port.in_flight.size(); ++i) {
    add(port.in_flight[i].packet, port.in_flight[i].at);
  }
  CreditReceiver& receiver = credits_of(index, content.lane).receiver;
  receiver.resynchronise(content.total_blocks_sent - coming);
  if (receiver.update_due()) {
    send_credit_update(index, content.lane, now);
  }
}

// Which lanes of an endpoint have credits for the largest packet is looked at when the wire takes one.
void InfiniBandFabric::recheck_low_credit_lanes(InfiniBandPort& port, PortIndex index, Time now) {
  std::uint32_t blocked = port.blocked;
  for_each_bit(port.low_credit_lanes, [&](std::uint32_t lane) {
    if (!has_credits(port, index, credits_of(index, lane), largest_blocks_[port.profile], now)) {
      blocked |= 1U << lane;
    }
  });
  port.blocked = static_cast<std::uint16_t>(blocked);
  port.low_credit_lanes = 0;
}

// Whoever waited for these credits goes on.
void InfiniBandFabric::take_credits(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now) {
  const CreditSender& sender = credits_of(index, lane).sender;
  if (port.has(kIsEndpoint)) {
    if (((port.blocked >> lane) & 1U) != 0 && sender.admits(largest_blocks_[port.profile])) {
      port.blocked = without(port.blocked, lane);
      end_stall(port, index, lane, now);
      end_xmit_wait(port, now);
      request_wire(EndpointId(index), now);
    }
    return;
  }
  if (((port.stalled >> lane) & 1U) == 0 || !sender.admits(queues_.front(index * lanes_ + lane).blocks)) {
    return;
  }
  end_stall(port, index, lane, now);
  if (port.free_at <= now) {
    transmit_next(port, index, now);
  } else {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(port.free_at, now));
  }
}

void InfiniBandFabric::begin_stalls(InfiniBandPort& port, PortIndex index, std::uint32_t lanes, Time now) {
  if (port.has(kLinkDown)) {
    return;
  }
  WEFT_DCHECK((lanes & ~std::uint32_t{all_lanes_}) == 0);
  for_each_bit(lanes & ~std::uint32_t{port.stalled}, [&](std::uint32_t lane) {
    port.stalled = with(port.stalled, lane);
    output_of(index, lane).stalled_since = now;
  });
  if (port.has(kIsEndpoint) && port.blocked == endpoint_lanes_) {
    begin_xmit_wait(port, now);
  }
  schedule_credit_updates(port, index);
}

void InfiniBandFabric::end_stall(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now) {
  if (((port.stalled >> lane) & 1U) == 0) {
    return;
  }
  OutputLane& output = output_of(index, lane);
  WEFT_DCHECK(output.stalled_since <= now);
  port.stalled = without(port.stalled, lane);
  output.stalled_total += now - output.stalled_since;
  output.stalled_since = Time::never();
  output.last_stall_end = now;
}

void InfiniBandFabric::release_input(const WaitingPacket& entry, Time now) {
  CreditReceiver& receiver = credits_of(entry.input, entry.input_lane).receiver;
  receiver.release(entry.blocks);
  if (receiver.update_due()) {
    send_credit_update(entry.input, entry.input_lane, now);
  }
}

void InfiniBandFabric::refresh_permit(InfiniBandPort& port, PortIndex index) {
  port.blocked = 0;
  port.low_credit_lanes = 0;
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    if (port.has(kIsEndpoint) && !credits_of(index, lane).sender.admits(largest_blocks_[port.profile])) {
      port.blocked = with(port.blocked, lane);
    }
  }
}

// A symbol is taken as a byte on each of four wires; the interval is the longest that is allowed.
//= ibta-1.7 7.9.4
Duration InfiniBandFabric::repetition(const InfiniBandPort& port) const {
  constexpr Bytes kInterval = Bytes(65'536 * 4);
  return options_.credit_repetition.value_or(port.rate.transmit_time(kInterval));
}

// What finds no room in the receive buffer stays in the buffer of its lane. The engine sees it nevertheless: it answers
// at once, as it does whatever the host is like.
bool InfiniBandFabric::hold_back_peer(InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now) {
  const Time until = endpoints_[port.owner]->room_at(handle, now);
  if (until <= now) {
    return false;
  }
  const wire::PacketCommon& common = packets_[handle].common;
  const std::uint32_t blocks = blocks_of(common.frame_bytes);
  CreditReceiver& receiver = credits_of(index, common.priority).receiver;
  receiver.count(blocks);
  receiver.store(blocks);
  if (receiver.update_due()) {
    send_credit_update(index, common.priority, now);
  }
  holds_[index].arrivals.push_back({.until = until, .credits = blocks, .lane = common.priority});
  kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), until);
  FabricCore::deliver(port, index, handle, now);
  return true;
}

void InfiniBandFabric::on_endpoint_timer(const InfiniBandPort& port, PortIndex index, Time now) {
  EndpointHold& hold = holds_[index];
  while (!hold.arrivals.empty() && hold.arrivals.front().until <= now) {
    const HeldArrival due = hold.arrivals.pop_front();
    CreditReceiver& receiver = credits_of(index, due.lane).receiver;
    receiver.release(due.credits);
    if (receiver.update_due()) {
      send_credit_update(index, due.lane, now);
    }
  }
  if (hold.repeat_at <= now) {
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      send_credit_update(index, lane, now);
    }
    hold.repeat_at = now + repetition(port);
  }
  const Time next = hold.arrivals.empty() ? hold.repeat_at : earlier(hold.repeat_at, hold.arrivals.front().until);
  if (!next.is_never()) {
    kernel_.wake(ports_[index].timer, sim::ActorId(kPortTimer, index), next);
  }
}

// Where packets may be lost, all limits are said again and again.
void InfiniBandFabric::on_port_timer(PortIndex index, Time now) {
  InfiniBandPort& port = ports_[index];
  if (!port.timer.fires(now)) {
    return;
  }
  if (port.has(kMayBackUp)) {
    return on_endpoint_timer(port, index, now);
  }
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    send_credit_update(index, lane, now);
  }
  kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), now + repetition(port));
}

}  // namespace weft::fabric
