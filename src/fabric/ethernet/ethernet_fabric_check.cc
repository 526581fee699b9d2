// The counters of an Ethernet fabric, and whether they agree with what it holds.
#include <fmt/core.h>

#include <bit>
#include <vector>

#include "fabric/ethernet/ethernet_fabric.h"

namespace weft::fabric {

LaneCounters EthernetFabric::lane_counters(PortIndex port, std::uint32_t priority, Time now) const {
  const EgressQueue& egress = queue(port, priority);
  const PauseRecord& record = pauses_[port];
  LaneCounters counters{.tx_packets = egress.tx_packets,
                        .tx_bytes = egress.tx_bytes,
                        .marked = egress.marked,
                        .queue_peak = egress.peak_bytes,
                        .ingress_peak = group(port, priority).peak,
                        .pauses_sent = record.pauses_sent[priority],
                        .pauses_received = record.pauses_received[priority],
                        .storms = record.storms[priority],
                        .held = record.paused_total[priority]};
  if (((ports_[port].paused >> priority) & 1U) != 0) {
    counters.held += earlier(record.paused_until[priority], now) - record.paused_since[priority];
  } else if (((ports_[port].stalled >> priority) & 1U) != 0) {
    counters.held += now - record.paused_since[priority];
  }
  return counters;
}

PortCounters EthernetFabric::port_counters(PortIndex port, Time) const {
  PortCounters counters{.drops = port_drops_[port]};
  if (!departures_.empty()) {
    counters.trimmed = departures_[port].trimmed;
    counters.trimmed_bytes = departures_[port].trimmed_bytes;
  }
  if (order_ != nullptr) {
    const OrderPort& order = order_->ports[port];
    counters.reordered = order.held;
    counters.reorder_queues = order.queues_peak;
    counters.reorder_peak = order.bytes_peak;
    counters.reorder_overflows = order.overflows;
    counters.reorder_timeouts = order.timeouts;
    counters.reorder_late = order.late;
    counters.reorder_latest = order.latest;
  }
  if (!controls_.empty()) {
    const LinkControl& control = controls_[port];
    counters.credits_sent = control.sets_sent;
    counters.replays = control.retry.replays_begun;
    counters.replayed = control.retry.frames_replayed;
  }
  return counters;
}

std::string EthernetFabric::check_invariants() const {
  std::vector<std::uint64_t> held(groups_.size());
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    const EthernetPort& port = ports_[index];
    std::uint64_t queued_bytes = 0;
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      const EgressQueue& queue = queues_[index * kPriorities + priority];
      std::uint64_t bytes = 0;
      for (std::uint32_t i = 0; i < queue.packets.size(); ++i) {
        const QueuedPacket& entry = queue.packets[i];
        bytes += entry.frame_bytes;
        held[(switches_[port.owner].first_port + entry.ingress) * kPriorities + priority] += entry.frame_bytes;
      }
      if (bytes != queue.bytes) {
        return fmt::format("port {} priority {}: {} bytes queued, {} counted", index, priority, bytes, queue.bytes);
      }
      if (((port.queued >> priority) & 1U) != (queue.packets.empty() ? 0U : 1U)) {
        return fmt::format("port {} priority {}: the mark of a waiting queue is wrong", index, priority);
      }
      queued_bytes += bytes;
    }
    if (queued_bytes != port.queued_bytes) {
      return fmt::format("port {}: {} bytes queued, {} counted", index, queued_bytes, port.queued_bytes);
    }
  }
  add_held(held);
  if (std::string wrong = check_credits(); !wrong.empty()) {
    return wrong;
  }
  for (const Switch& node : switches_) {
    std::int64_t used = 0;
    for (std::size_t i = std::size_t{node.first_port} * kPriorities;
         i < std::size_t{node.first_port + node.ports} * kPriorities; ++i) {
      const IngressGroup& group = groups_[i];
      if (held[i] != group.held()) {
        return fmt::format("ingress group {}: {} bytes held, {} counted", i, held[i], group.held());
      }
      if (group.headroom > group.headroom_limit) {
        return fmt::format("ingress group {}: headroom of {} exceeded", i, group.headroom_limit);
      }
      used += group.bytes > group.reserve ? group.bytes - group.reserve : 0;
    }
    if (used != node.buffer.used()) {
      return fmt::format("shared buffer: {} bytes used, {} counted", used, node.buffer.used());
    }
  }
  return {};
}

std::uint64_t EthernetFabric::packets_inside() const {
  std::uint64_t inside = packets_on_wires() + packets_held();
  for (const EthernetPort& port : ports_) {
    inside += port.control.size();
  }
  for (const EgressQueue& queue : queues_) {
    inside += queue.packets.size();
  }
  for (const LinkControl& control : controls_) {
    inside += control.retry.lost.size();
  }
  return inside;
}

}  // namespace weft::fabric
