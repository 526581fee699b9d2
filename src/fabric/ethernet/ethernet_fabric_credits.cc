// Credit-based flow control of Ethernet: a priority with credits is a virtual channel whose sender never sends what the
// receiver has not granted. The receiver's part of the shared buffer is the reserve of its ingress group.
#include <fmt/core.h>

#include <vector>

#include "base/assert.h"
#include "base/bits.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/ethernet/ethernet_fabric_admission.h"

namespace weft::fabric {
namespace {

/// CC_Update: a frame of the smallest size, among the others.
constexpr std::uint32_t kConsumedFrameBytes = wire::kEthernetMinFrame;

}  // namespace

std::uint32_t EthernetFabric::credit_unit(PortIndex receiver) const {
  return static_cast<std::uint32_t>(options_.ports[ports_[receiver].profile].credit_link.unit.count());
}

Result<void> EthernetFabric::set_up_credits(const CableEnds& ends) {
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    bool both = true;
    for (const PortIndex index : ends) {
      const PriorityOptions& priority = options_.ports[ports_[index].profile].priorities[p];
      if (priority.credits && priority.lossless) {
        return fail("{}: priority {} has both PFC and credits; one protects it, not two",
                    port_name(graph_, map_.end_of(index)), p);
      }
      both = both && priority.credits;
    }
    for (const PortIndex index : ends) {
      const EthernetPortOptions& profile = options_.ports[ports_[index].profile];
      if (profile.trimming && profile.trimming->priority == p && both) {
        return fail("{}: priority {} is that of trimmed packets, which come without credits",
                    port_name(graph_, map_.end_of(index)), p);
      }
      if (both) {
        set_up_credit_lane(index, p);
      }
    }
  }
  return {};
}

// Of the wire that begins at `sender`.
void EthernetFabric::set_up_credit_lane(PortIndex sender, std::uint32_t priority) {
  const PortIndex receiver = ports_[sender].peer;
  const EthernetPortOptions& profile = options_.ports[ports_[receiver].profile];
  LoopTerms loop = loop_of(sender);
  loop.frame = std::max(loop.frame, profile.mtu_frame);
  const std::uint32_t unit = credit_unit(receiver);
  const auto frame = credits_of(static_cast<std::uint32_t>(loop.frame.count()), unit);
  // Every frame wastes up to a credit less a byte: the loop in credits has as many frames as in bytes.
  const std::int64_t bytes = credit_buffer(loop).count();
  const std::int64_t frames = (bytes + loop.frame.count() - 1) / loop.frame.count();
  const auto enough = static_cast<std::uint32_t>(frames) * frame;
  const std::optional<Bytes>& given = profile.priorities[priority].credits->buffer;
  const std::uint32_t buffer = std::max(given ? static_cast<std::uint32_t>(given->count()) / unit : enough, frame);
  const auto covered =
      static_cast<std::uint32_t>((credit_loop(loop).count() + loop.frame.count() - 1) / loop.frame.count()) * frame;
  controls_[sender].sends[priority] = CreditGrantee(buffer, frame);
  controls_[receiver].receives[priority] =
      CreditGranter({.buffer = buffer,
                     .largest_frame = frame,
                     .threshold = credit_threshold({.buffer = buffer, .largest_frame = frame, .loop = covered})});
  controls_[sender].credited_out = static_cast<std::uint8_t>(controls_[sender].credited_out | 1U << priority);
  controls_[receiver].credited_in = static_cast<std::uint8_t>(controls_[receiver].credited_in | 1U << priority);
}

// Everything that arrives at a port with LLR, credits, CONGA or an order to restore comes by here.
bool EthernetFabric::on_slow_arrival(EthernetPort& port, PortIndex index, PacketHandle handle, Time now) {
  if (control_ != nullptr && take_for_control(port, index, handle, now)) {
    return true;
  }
  if (conga_ != nullptr) {
    note_conga_arrival(index, handle, now);
  }
  if (controls_.empty()) {
    return order_ != nullptr && take_for_order(port, index, handle, now);
  }
  wire::Packet& packet = packets_[handle];
  if (packet.common.kind == wire::PacketKind::kFlowControl) {
    if (!packet.has(wire::kCorrupted)) {
      on_consumed(index, packet, now);
    }
    packets_.release(handle);
    return true;
  }
  const std::uint32_t priority = packet.common.priority;
  if (!receives_credits(index, priority)) {
    return order_ != nullptr && take_for_order(port, index, handle, now);
  }
  // A damaged frame is not counted: nobody can know whose it was. Its credits come back by CC_Update.
  if (packet.has(wire::kCorrupted)) {
    if (port.has(kIsEndpoint)) {
      return false;
    }
    drop(handle, drops_here().damaged, index);
    return true;
  }
  if (port.has(kMayBackUp) && hold_credits(port, index, handle, now)) {
    return true;
  }
  CreditGranter& lane = controls_[index].receives[priority];
  const std::uint32_t credits = credits_of(packet.common.frame_bytes, credit_unit(index));
  const IngressGroup& group = group_of(index, priority);
  const std::uint32_t held = group.held();
  if (port.has(kIsEndpoint)) {
    deliver(port, index, handle, now);
  } else if (order_ == nullptr || !take_for_order(port, index, handle, now)) {
    forward_later(port, handle, now);
  }
  if (group.held() > held) {
    lane.hold(credits);
    group_of(index, priority).xoff = true;  // so that every release is told of
  } else {
    lane.pass(credits);
    update_credits(index, priority, now);
  }
  return true;
}

// What finds no room in the NIC's receive buffer keeps its part of the buffer that the credits are of; the engine sees
// it nevertheless.
bool EthernetFabric::hold_credits(EthernetPort& port, PortIndex index, PacketHandle handle, Time now) {
  const Time until = endpoints_[port.owner]->room_at(handle, now);
  if (until <= now) {
    return false;
  }
  const wire::PacketCommon& common = packets_[handle].common;
  const std::uint32_t credits = credits_of(common.frame_bytes, credit_unit(index));
  LinkControl& control = controls_[index];
  control.receives[common.priority].hold(credits);
  control.held_arrivals.push_back({.until = until, .credits = credits, .lane = common.priority});
  kernel_.wake(port.timer, sim::ActorId(kPortTimer, index), until);
  deliver(port, index, handle, now);
  return true;
}

void EthernetFabric::release_held_credits(PortIndex index, Time now) {
  LinkControl& control = controls_[index];
  while (!control.held_arrivals.empty() && control.held_arrivals.front().until <= now) {
    const HeldArrival due = control.held_arrivals.pop_front();
    control.receives[due.lane].release(due.credits);
    update_credits(index, due.lane, now);
  }
  if (!control.held_arrivals.empty()) {
    kernel_.wake(ports_[index].timer, sim::ActorId(kPortTimer, index), control.held_arrivals.front().until);
  }
}

void EthernetFabric::consume_credits(PortIndex index, std::uint32_t priority, std::uint32_t frame_bytes, Time now) {
  LinkControl& control = controls_[index];
  if (((control.credited_out >> priority) & 1U) == 0) {
    return;
  }
  const PortIndex receiver = ports_[index].peer;
  control.sends[priority].consume(credits_of(frame_bytes, credit_unit(receiver)));
  update_stall(index, priority, now);
  if (control.resync_at.is_never() && (errors_[index] != nullptr || errors_[receiver] != nullptr)) {
    control.resync_at = now + options_.ports[ports_[index].profile].credit_link.resync;
    plan_link_timer(index, now);
  }
}

void EthernetFabric::update_stall(PortIndex index, std::uint32_t priority, Time now) {
  EthernetPort& port = ports_[index];
  PauseRecord& record = pauses_[index];
  const auto bit = static_cast<std::uint8_t>(1U << priority);
  const bool admits = controls_[index].sends[priority].admits();
  if (admits == ((port.stalled & bit) == 0)) {
    return;
  }
  port.stalled ^= bit;
  port.combine_blocks();
  if (!admits) {
    record.paused_since[priority] = now;
    return plan_deadlock_check(now);
  }
  record.paused_total[priority] += now - record.paused_since[priority];
  if ((port.queued & bit) != 0 || port.has(kIsEndpoint)) {
    kernel_.wake(port.transmit, sim::ActorId(kTransmit, index), later(port.free_at, now));
  }
}

void EthernetFabric::on_room(PortIndex ingress, std::uint32_t priority, std::uint32_t frame_bytes, Time now) {
  if (!receives_credits(ingress, priority)) {
    return update_xoff(ingress, priority, now);
  }
  controls_[ingress].receives[priority].release(credits_of(frame_bytes, credit_unit(ingress)));
  group_of(ingress, priority).xoff = true;
  update_credits(ingress, priority, now);
}

void EthernetFabric::update_credits(PortIndex ingress, std::uint32_t priority, Time now) {
  LinkControl& control = controls_[ingress];
  if (control.receives[priority].owes_update() && !ports_[ingress].has(kLinkDown)) {
    ++control.sets_sent;
    send_message(ingress, LinkMessage::kFreed,
                 {.value = control.receives[priority].say(), .priority = static_cast<std::uint8_t>(priority)}, now);
  }
}

// What came before it is counted, what will come after it is not in it: it keeps its place among the frames.
void EthernetFabric::on_consumed(PortIndex index, const wire::Packet& message, Time now) {
  const LinkContent content = LinkContent::load(message);
  LinkControl& control = controls_[index];
  control.receives[content.priority].on_consumed(content.value);
  ++control.sets_sent;
  send_message(index, LinkMessage::kFreed,
               {.value = control.receives[content.priority].say(), .priority = content.priority}, now);
}

// For as long as credits are outstanding: either they are of frames, or something was lost.
void EthernetFabric::resync_credits(PortIndex index, Time now) {
  EthernetPort& port = ports_[index];
  LinkControl& control = controls_[index];
  control.resync_at = Time::never();
  if (port.has(kLinkDown)) {
    return;
  }
  bool outstanding = false;
  for_each_bit(control.credited_out, [&](std::uint32_t priority) {
    if (control.sends[priority].outstanding() == 0) {
      return;
    }
    outstanding = true;
    // While LLR sends again, frames are under way that would seem to be lost.
    if (control.retry.lost.empty()) {
      send_consumed(index, priority, now);
    }
  });
  if (outstanding) {
    control.resync_at = now + options_.ports[port.profile].credit_link.resync;
  }
}

// As soon as the wire is free, in front of all that waits.
void EthernetFabric::send_consumed(PortIndex index, std::uint32_t priority, Time now) {
  EthernetPort& port = ports_[index];
  LinkControl& control = controls_[index];
  const PacketHandle handle = packets_.allocate();
  wire::Packet& message = packets_[handle];
  LinkContent{.value = control.sends[priority].consumed(), .priority = static_cast<std::uint8_t>(priority)}.store(
      message, LinkMessage::kConsumed);
  message.common.source = message.common.destination = EndpointId(0);
  message.common.frame_bytes = kConsumedFrameBytes;
  message.common.wire_bytes = kConsumedFrameBytes + wire::kEthernetGapBytes;
  const Time begin = port.transmission_start(now);
  start_transmission(kernel_, port, ports_[port.peer], port.peer, handle, message.common.wire_bytes, begin);
  --port.packets_sent;  // nobody's packet
  ++control.sets_sent;
}

std::string EthernetFabric::check_credits() const {
  if (controls_.empty()) {
    return {};
  }
  std::vector<std::uint64_t> held(groups_.size());
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      const Ring<QueuedPacket>& packets = queue(index, priority).packets;
      for (std::uint32_t i = 0; i < packets.size(); ++i) {
        const PortIndex ingress = switches_[ports_[index].owner].first_port + packets[i].ingress;
        held[ingress * kPriorities + priority] += credits_of(packets[i].frame_bytes, credit_unit(ingress));
      }
    }
    const HeldArrivals& arrivals = controls_[index].held_arrivals;
    for (std::uint32_t i = 0; i < arrivals.size(); ++i) {
      held[index * kPriorities + arrivals[i].lane] += arrivals[i].credits;
    }
  }
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      if (!receives_credits(index, priority)) {
        continue;
      }
      const CreditGranter& lane = controls_[index].receives[priority];
      if (held[index * kPriorities + priority] != lane.held() || lane.held() > lane.buffer()) {
        return fmt::format("port {} priority {}: frames hold {} credits, {} counted of {}", index, priority,
                           held[index * kPriorities + priority], lane.held(), lane.buffer());
      }
    }
  }
  return {};
}

}  // namespace weft::fabric
