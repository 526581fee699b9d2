// What a packet that finds no room comes to: limits of single queues, and packet trimming. Marks at the end of a
// transmission are here too, for they need the same record of what is on the wire.
#include <algorithm>

#include "base/assert.h"
#include "base/random.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/ethernet/ethernet_fabric_admission.h"

namespace weft::fabric {
namespace {

bool can_be_cut(const wire::PacketCommon& common, const TrimmingOptions& options) {
  return (common.flags & (wire::kTrimmable | wire::kTrimmed)) == wire::kTrimmable &&
         common.frame_bytes > options.size.count();
}

/// Without a limit at the ingress side: the queue alone says whether there is room.
bool is_unlimited(const IngressGroup& group) {
  return !group.lossless && group.has_fixed_limit && group.fixed_limit == 0xFFFFFFFF;
}

}  // namespace

void EthernetFabric::set_up_departures() {
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    EthernetPort& port = ports_[index];
    const EthernetPortOptions& profile = options_.ports[port.profile];
    const bool limits = std::ranges::any_of(
        profile.priorities, [](const PriorityOptions& priority) { return priority.egress_limit.has_value(); });
    const bool marks_late = profile.ecn_decision == EcnDecision::kEnd;
    if (port.has(kIsEndpoint) || (!limits && !marks_late && !profile.trimming)) {
      continue;
    }
    departures_.resize(ports_.size());
    departures_[index].coin_state = map_.port_hash(index);
    // Trimming alone has nothing to do with a packet that leaves.
    port.flags = static_cast<PortFlags>(port.flags | (limits || marks_late ? kExtended : 0));
  }
}

// True: the packet is on its way.
bool EthernetFabric::start_noted(EthernetPort& out, EgressQueue& queue, PacketHandle handle, std::uint32_t frame_bytes,
                                 Time now) {
  const PortIndex index = ports_[out.peer].peer;
  if (out.has(kTapped)) {
    tap_->on_frame(index, Tap::Direction::kSent, packets_[handle], now);
  }
  if (conga_ != nullptr) {
    note_conga_departure(index, handle, frame_bytes + gap_bytes_, now);
  }
  const auto priority = static_cast<std::uint8_t>(&queue - &queue_of(index, 0));
  if (!departures_.empty()) {
    DepartureRecord& record = departures_[index];
    record.sent_until = now + out.wire_time(frame_bytes + gap_bytes_);
    record.sent = handle;
    record.sent_bytes = frame_bytes;
    record.sent_priority = priority;
  }
  if (controls_.empty()) {
    return false;
  }
  consume_credits(index, priority, frame_bytes, now);
  if (!controls_[index].retry.is_on()) {
    return false;
  }
  send_with_retry(index, {.packet = handle, .frame_bytes = frame_bytes}, now);
  return true;
}

// The wire has just become idle, and something waits: otherwise nobody would ask, and nothing would be marked. The
// packet is under way to the peer, which has it later, for a cable has a length.
void EthernetFabric::mark_departed(PortIndex index, Time now) {
  const EthernetPort& port = ports_[index];
  if (departures_.empty()) {
    return;
  }
  const DepartureRecord& record = departures_[index];
  if (options_.ports[port.profile].ecn_decision != EcnDecision::kEnd || record.sent_until != now ||
      port.cut_through_bytes() != 0) {
    return;
  }
  EgressQueue& queue = queue_of(index, record.sent_priority);
  wire::Packet& packet = packets_[record.sent];
  if (packet.common.ecn != wire::Ecn::kNotEct &&
      markers_[index * kPriorities + record.sent_priority].marks(queue.bytes)) {
    packet.common.ecn = wire::Ecn::kCe;
    ++queue.marked;
  }
}

std::uint32_t EthernetFabric::on_wire(PortIndex index, std::uint32_t priority, Time now) const {
  const DepartureRecord& record = departures_[index];
  return record.sent_until > now && record.sent_priority == priority ? record.sent_bytes : 0;
}

bool EthernetFabric::fits_limit(const Passage& passage, std::uint32_t size, Time now) const {
  const EthernetPort& out = ports_[passage.egress];
  const std::optional<Bytes>& limit = options_.ports[out.profile].priorities[passage.priority].egress_limit;
  return limit &&
         queue(passage.egress, passage.priority).bytes + size + on_wire(passage.egress, passage.priority, now) <=
             static_cast<std::uint64_t>(limit->count());
}

void EthernetFabric::refuse(const Passage& passage, PacketHandle handle, wire::Packet& packet, Time now) {
  const std::optional<TrimmingOptions>& options = options_.ports[ports_[passage.egress].profile].trimming;
  if (!options || !can_be_cut(packet.common, *options)) {
    return drop(handle, drops_here().buffer_full, passage.ingress);
  }
  if (options->victim == TrimmingOptions::Victim::kCoin && trims_tail(passage, packet.common.frame_bytes)) {
    return trade_places(passage, handle, packet, now);
  }
  trim(passage, handle, packet, now);
}

/// Whether the coin has fallen against the last packet of the queue, and that can be cut and leaves room enough. Only
/// of queues with a limit of their own: in a shared buffer the room of one group is not that of another.
bool EthernetFabric::trims_tail(const Passage& passage, std::uint32_t size) {
  const TrimmingOptions& options = *options_.ports[ports_[passage.egress].profile].trimming;
  const Ring<QueuedPacket>& waiting = queue_of(passage.egress, passage.priority).packets;
  SplitMix64 coin(departures_[passage.egress].coin_state++);
  if ((coin.next() & 1U) == 0 || waiting.empty()) {
    return false;
  }
  const QueuedPacket& last = waiting.back();
  return last.frame_bytes >= size && is_unlimited(group_of(passage.ingress, passage.priority)) &&
         is_unlimited(group_of(passage.node.first_port + last.ingress, passage.priority)) &&
         can_be_cut(packets_[last.packet].common, options);
}

// The newcomer stands where the last one of the queue was, and that one is cut.
void EthernetFabric::trade_places(const Passage& passage, PacketHandle handle, const wire::Packet& packet, Time now) {
  SharedBuffer& buffer = passage.node.buffer;
  EthernetPort& out = ports_[passage.egress];
  EgressQueue& queue = queue_of(passage.egress, passage.priority);
  const std::uint32_t size = packet.common.frame_bytes;
  const QueuedPacket last = queue.packets.back();
  const PortIndex ingress = passage.node.first_port + last.ingress;
  const bool tells = buffer.release(group_of(ingress, passage.priority), last.frame_bytes);
  const SharedBuffer::Admission admitted = buffer.admit(group_of(passage.ingress, passage.priority), size);
  WEFT_ASSERT(!tells && admitted == SharedBuffer::Admission::kAdmitted);  // such a queue has groups without a limit
  queue.packets.back() = {handle, static_cast<std::uint16_t>(size),
                          static_cast<std::uint16_t>(passage.ingress - passage.node.first_port)};
  queue.bytes -= last.frame_bytes - size;
  out.queued_bytes -= last.frame_bytes - size;
  trim({.node = passage.node, .ingress = ingress, .egress = passage.egress, .priority = passage.priority}, last.packet,
       packets_[last.packet], now);
}

// The headers go on in a class of their own, if that has room.
void EthernetFabric::trim(const Passage& passage, PacketHandle handle, wire::Packet& packet, Time now) {
  const EthernetPort& out = ports_[passage.egress];
  const TrimmingOptions& options = *options_.ports[out.profile].trimming;
  DepartureRecord& record = departures_[passage.egress];
  wire::PacketCommon& common = packet.common;
  const auto cut = static_cast<std::uint16_t>(common.frame_bytes - options.size.count());
  ++record.trimmed;
  record.trimmed_bytes += cut;
  common.frame_bytes = static_cast<std::uint16_t>(common.frame_bytes - cut);
  common.wire_bytes = static_cast<std::uint16_t>(common.wire_bytes - cut);
  common.payload_bytes = 0;
  const bool is_last_hop = is_endpoint(out.peer);
  common.flags = static_cast<std::uint8_t>(common.flags | wire::kTrimmed | (is_last_hop ? wire::kTrimmedLastHop : 0));
  common.traffic_class = is_last_hop ? options.last_dscp : options.dscp;
  common.priority = options.priority;
  const Passage onward{
      .node = passage.node, .ingress = passage.ingress, .egress = passage.egress, .priority = options.priority};
  if (!admit(onward, common.frame_bytes, now)) {
    return drop(handle, drops_here().buffer_full, passage.ingress);
  }
  append(onward, handle, packet, now);
}

}  // namespace weft::fabric
