// How a packet gets into an egress queue: what every packet that waits goes through, inlined where it is called.
#pragma once

#include <algorithm>

#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

// Whether there is room; counted to the ingress group then.
[[gnu::always_inline]] inline bool EthernetFabric::admit(const Passage& passage, std::uint32_t size, Time now) {
  SharedBuffer& buffer = passage.node.buffer;
  IngressGroup& group = group_of(passage.ingress, passage.priority);
  if (!group.lossless) {
    const EgressQueue& queue = queue_of(passage.egress, passage.priority);
    if (queue.bytes >= buffer.threshold(queue.alpha_shift) && !fits_limit(passage, size, now)) [[unlikely]] {
      return false;
    }
  }
  switch (buffer.admit(group, size)) {
    case SharedBuffer::Admission::kDropped:
      return false;
    case SharedBuffer::Admission::kAdmittedPause:
      update_xoff(passage.ingress, passage.priority, now);
      break;
    case SharedBuffer::Admission::kAdmitted:
      break;
  }
  return true;
}

[[gnu::always_inline]] inline void EthernetFabric::append(const Passage& passage, PacketHandle handle,
                                                          const wire::Packet& packet, Time now) {
  const PortIndex index = passage.egress;
  const std::uint32_t priority = passage.priority;
  const std::uint32_t size = packet.common.frame_bytes;
  EgressQueue& queue = queue_of(index, priority);
  EthernetPort& out = ports_[index];
  WEFT_DCHECK(size > 0 && queue.bytes <= out.queued_bytes && (queue.bytes == 0) == queue.packets.empty());
  queue.packets.push_back({handle, static_cast<std::uint16_t>(size),
                           static_cast<std::uint16_t>(passage.ingress - passage.node.first_port)});
  queue.bytes += size;
  queue.peak_bytes = std::max(queue.peak_bytes, queue.bytes);
  out.queued_bytes += size;
  out.queued = static_cast<std::uint16_t>(out.queued | 1U << priority);
  if (out.queued_bytes >= passage.node.notify_from && !is_endpoint(out.peer)) [[unlikely]] {
    notify(passage.ingress, packet.common.destination, now);
  }
  // Behind a paused queue nothing happens until the pause ends; its end, or its expiry, wakes the port.
  if (((out.blocked >> priority) & 1U) == 0) {
    kernel_.wake(out.transmit, sim::ActorId(kTransmit, index), out.transmission_start(now));
  }
}

}  // namespace weft::fabric
