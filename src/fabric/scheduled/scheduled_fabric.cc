// The ingress leaf: packets wait in virtual output queues until their bytes are granted.
#include "fabric/scheduled/scheduled_fabric.h"

#include <algorithm>

namespace weft::fabric {

void ScheduledFabric::forward(ScheduledPort& in, PortIndex index, std::uint32_t, PacketHandle handle, Time now) {
  wire::Packet& packet = packets_[handle];
  const EndpointId destination = packet.common.destination;
  WEFT_DCHECK(switches_[in.owner].leaf < leaves_.size() && packet.common.priority < kPriorities);
  if (packet.has(wire::kCorrupted)) [[unlikely]] {
    return drop(handle, drops_here().damaged, index);
  }
  if (routes_.next_hops(in.owner, destination).empty()) [[unlikely]] {
    return drop(handle, drops_here().unreachable, index);
  }
  Leaf& leaf = leaf_at(in.owner);
  Leaf& to = leaf_of(destination);
  // The whole fabric is one router.
  const bool is_routed = in.has(kRoutedHop) || ports_[port_of(destination)].has(kRoutedHop) ||
                         (&leaf != &to && ports_[leaf.uplinks.front()].has(kRoutedHop));
  if (is_routed && --packet.common.hop_limit == 0) {
    return drop(handle, drops_here().hop_limit, index);
  }
  const std::uint32_t number = voq_of(leaf, destination, packet.common.priority);
  Voq& voq = leaf.voqs[number];
  if (!admit(leaf, index, voq, packet.common, now)) {
    return drop(handle, drops_here().buffer_full, index);
  }
  const std::uint32_t bytes = packet.common.frame_bytes;
  voq.packets.push_back({handle, packet.common.frame_bytes, in.number, now});
  voq.bytes += bytes;
  ++waiting_packets_;
  EgressRecord& egress = egress_[destination.value()];
  egress.voq_peak = std::max<std::uint64_t>(egress.voq_peak, voq.bytes);
  const CreditSource source = switches_[leaf.ordinal].leaf * kPriorities + packet.common.priority;
  plan(to, {.at = now + transit_time(leaf, to) + options_.credit.latency,
            .kind = LeafEvent::Kind::kRequest,
            .destination = destination,
            .subject = source,
            .bytes = bytes});
}

std::uint32_t ScheduledFabric::voq_of(Leaf& leaf, EndpointId destination, std::uint32_t priority) {
  std::uint32_t& row = leaf.rows[destination.value()];
  if (row == Leaf::kNoRow) {
    row = static_cast<std::uint32_t>(leaf.voqs.size());
    leaf.voqs.resize(row + kPriorities);
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      leaf.voqs[row + p].destination = destination;
    }
  }
  return row + priority;
}

// Of lossy priorities a single queue has its own limit, as an egress queue of a shared buffer has.
bool ScheduledFabric::admit(Leaf& leaf, PortIndex ingress, const Voq& voq, const wire::PacketCommon& common, Time now) {
  IngressGroup& group = group_of(ingress, common.priority);
  const PriorityOptions& own = options_.ports[ports_[ingress].profile].priorities[common.priority];
  if (!group.lossless) {
    const std::uint64_t limit = own.egress_limit ? static_cast<std::uint64_t>(own.egress_limit->count())
                                                 : leaf.buffer.threshold(own.egress_alpha_shift);
    if (own.egress_limit ? voq.bytes + common.frame_bytes > limit : voq.bytes >= limit) {
      return false;
    }
  }
  switch (leaf.buffer.admit(group, common.frame_bytes)) {
    case SharedBuffer::Admission::kDropped:
      return false;
    case SharedBuffer::Admission::kAdmittedPause:
      update_xoff(ingress, common.priority, now);
      break;
    case SharedBuffer::Admission::kAdmitted:
      break;
  }
  return true;
}

// A packet goes as soon as any of its bytes are granted; the credits that come next pay for the others first.
void ScheduledFabric::on_grant(Leaf& leaf, std::uint32_t number, std::uint32_t bytes, Time now) {
  Voq& voq = leaf.voqs[number];
  voq.balance += bytes;
  const bool is_local = &leaf_of(voq.destination) == &leaf;
  while (voq.released < voq.packets.size() && voq.balance > 0) {
    const std::uint32_t size = voq.packets[voq.released].frame_bytes;
    voq.balance -= size;
    voq.released_bytes += size;
    ++voq.released;
    if (is_local) {
      const CreditSource source = switches_[leaf.ordinal].leaf * kPriorities + number % kPriorities;
      leave(source, take_released(leaf, voq, number % kPriorities, now), now);
    } else {
      leaf.ready.push_back(number);
    }
  }
  feed_uplinks(leaf, now);
}

// In the order of the grants; a packet stays in its queue until the uplinks are about to be free.
void ScheduledFabric::feed_uplinks(Leaf& leaf, Time now) {
  while (!leaf.ready.empty()) {
    if (const Time at = leaf.uplinks_free - leaf.lead; at > now) {
      if (at < leaf.next_feed) {
        leaf.next_feed = at;
        plan(leaf, {.at = at, .kind = LeafEvent::Kind::kUplinks, .destination = {}, .subject = 0, .bytes = 0});
      }
      return;
    }
    const std::uint32_t number = leaf.ready.pop_front();
    const PacketHandle handle = take_released(leaf, leaf.voqs[number], number % kPriorities, now);
    const std::uint32_t wire_bytes = cells_.wire_bytes_of(packets_[handle].common.frame_bytes);
    leaf.uplinks_free = later(leaf.uplinks_free, now) + leaf.fabric_rate.transmit_time(Bytes(wire_bytes));
    send_cells(leaf, handle, now);
  }
}

PacketHandle ScheduledFabric::take_released(Leaf& leaf, Voq& voq, std::uint32_t priority, Time now) {
  WEFT_DCHECK(voq.released > 0);
  // What marks see is the queue with the packet itself, as in other switches.
  const std::uint32_t depth = voq.bytes;
  const VoqPacket entry = voq.packets.pop_front();
  --voq.released;
  --waiting_packets_;
  voq.released_bytes -= entry.frame_bytes;
  voq.bytes -= entry.frame_bytes;
  EgressRecord& egress = egress_[voq.destination.value()];
  egress.waited += now - entry.at;
  wire::Packet& packet = packets_[entry.packet];
  Red& marker = leaf.markers[priority];
  if (marker.may_mark(depth) && packet.common.ecn != wire::Ecn::kNotEct && marker.marks(depth)) {
    packet.common.ecn = wire::Ecn::kCe;
    ++queue_of(port_of(voq.destination), priority).marked;
  }
  const PortIndex ingress = switches_[leaf.ordinal].first_port + entry.ingress;
  if (leaf.buffer.release(group_of(ingress, priority), entry.frame_bytes)) {
    update_xoff(ingress, priority, now);
  }
  return entry.packet;
}

void ScheduledFabric::drop(PacketHandle handle, std::uint64_t& counter, PortIndex port) {
  ++counter;
  ++drops_at_[port];
  packets_.release(handle);
}

}  // namespace weft::fabric
