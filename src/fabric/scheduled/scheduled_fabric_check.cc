// The counters of a scheduled fabric, times without load, and whether everything in it adds up.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "fabric/scheduled/scheduled_fabric.h"

namespace weft::fabric {

LaneCounters ScheduledFabric::lane_counters(PortIndex port, std::uint32_t priority, Time now) const {
  const EgressQueue& egress = queue_at(port, priority);
  const PauseRecord& record = pauses_[port];
  LaneCounters counters{.tx_packets = egress.tx_packets,
                        .tx_bytes = egress.tx_bytes,
                        .marked = egress.marked,
                        .queue_peak = egress.peak_bytes,
                        .ingress_peak = groups_[port * kPriorities + priority].peak,
                        .pauses_sent = record.pauses_sent[priority],
                        .pauses_received = record.pauses_received[priority],
                        .storms = 0,
                        .held = record.paused_total[priority]};
  if (((ports_[port].blocked >> priority) & 1U) != 0) {
    counters.held += earlier(record.paused_until[priority], now) - record.paused_since[priority];
  }
  return counters;
}

PortCounters ScheduledFabric::port_counters(PortIndex port, Time) const {
  PortCounters counters{.drops = drops_at_[port]};
  const PortIndex peer = ports_[port].peer;
  if (!is_endpoint(port) && is_endpoint(peer)) {
    const EgressRecord& egress = egress_[peer];
    counters.credits_sent = egress.scheduler.granted();
    counters.voq_peak = egress.voq_peak;
    counters.voq_wait = egress.waited;
    counters.incomplete = egress.incomplete;
  }
  return counters;
}

// Of links between switches, what has been given to the wire and has not left.
std::uint32_t ScheduledFabric::queued_bytes(PortIndex index, Time now) const {
  const ScheduledPort& port = ports_[index];
  if (!is_fabric_port(index)) {
    return port.queued_bytes;
  }
  return port.free_at > now ? static_cast<std::uint32_t>(port.rate.bytes_in(port.free_at - now).count()) : 0;
}

std::uint32_t ScheduledFabric::voq_bytes(const VoqName& name) const {
  const Leaf& leaf = leaf_of(name.source);
  const std::uint32_t row = leaf.rows[name.destination.value()];
  return row == Leaf::kNoRow ? 0 : leaf.voqs[row + name.priority].bytes;
}

Rate ScheduledFabric::frame_rate(PortIndex index) const {
  if (!is_fabric_port(index)) {
    return ports_[index].rate;
  }
  const Bytes frame = options_.ports[ports_[index].profile].mtu_frame;
  const std::uint32_t cells = cells_.wire_bytes_of(static_cast<std::uint32_t>(frame.count()));
  // With the gap that frames have elsewhere: rates of links are compared by what they carry of the same frames.
  return Rate::bits_per_second(ports_[index].rate.bits_per_second() / cells * (frame.count() + gap_bytes_));
}

Duration ScheduledFabric::idle_time(EndpointId source, EndpointId destination, Bytes total, Bytes last) const {
  const ScheduledPort& first = ports_[source.value()];
  const ScheduledPort& final = ports_[port_of(destination)];
  const Leaf& from = leaf_of(source);
  const Leaf& to = leaf_of(destination);
  const auto frame = static_cast<std::uint32_t>(last.count() - gap_bytes_);
  Duration sum = first.rate.transmit_time(last) + first.delay + options_.credit.latency +
                 final.rate.transmit_time(last) + final.delay;
  Duration slowest = std::max(first.rate.transmit_time(total) - first.rate.transmit_time(last),
                              final.rate.transmit_time(total) - final.rate.transmit_time(last));
  if (&from == &to) {
    return sum + slowest;
  }
  const ScheduledPort& up = ports_[from.uplinks.front()];
  const ScheduledPort& down = ports_[ports_[to.uplinks.front()].peer];
  const NextHops hops = routes_.next_hops(from.ordinal, destination);
  const std::uint32_t cells = cells_.cells_of(frame);
  const std::uint32_t on_one = (cells + std::max(hops.size(), 1U) - 1) / std::max(hops.size(), 1U);
  const std::uint32_t wire = cells_.wire_bytes_of(frame);
  sum += transit_time(from, to) * 2;  // the request, and the grant
  sum += up.wire_time(wire * on_one / cells) + up.delay + down.wire_time(wire / cells) + down.delay;
  const auto in_cells = Bytes(total.count() * wire / std::max<std::int64_t>(last.count(), 1));
  const Rate narrow = std::min(from.fabric_rate, to.fabric_rate);
  slowest = std::max(slowest, narrow.transmit_time(in_cells) - narrow.transmit_time(Bytes(wire)));
  return sum + slowest;
}

std::uint64_t ScheduledFabric::packets_inside() const {
  std::uint64_t inside = packets_on_wires() + waiting_packets_ + transits_.size() - free_transits_.size();
  for (const ScheduledPort& port : ports_) {
    inside += port.control.size();
  }
  for (const EgressQueue& queue : queues_) {
    inside += queue.packets.size();
  }
  return inside;
}

std::string ScheduledFabric::check_invariants() const {
  std::string wrong = check_queues();
  return wrong.empty() ? check_credits() : wrong;
}

std::string ScheduledFabric::check_queues() const {
  std::vector<std::uint64_t> held(groups_.size());
  for (const Leaf& leaf : leaves_) {
    std::uint64_t released = 0;
    for (std::size_t number = 0; number < leaf.voqs.size(); ++number) {
      const Voq& voq = leaf.voqs[number];
      std::uint64_t bytes = 0;
      for (std::uint32_t i = 0; i < voq.packets.size(); ++i) {
        bytes += voq.packets[i].frame_bytes;
        held[(switches_[leaf.ordinal].first_port + voq.packets[i].ingress) * kPriorities + number % kPriorities] +=
            voq.packets[i].frame_bytes;
      }
      if (bytes != voq.bytes || voq.released > voq.packets.size()) {
        return fmt::format("leaf {} queue {}: {} bytes wait, {} are counted", leaf.ordinal, number, bytes, voq.bytes);
      }
      released += voq.released;
    }
    if (released != leaf.ready.size()) {
      return fmt::format("leaf {}: {} packets are released, {} are ready", leaf.ordinal, released, leaf.ready.size());
    }
  }
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (held[i] != groups_[i].held() || groups_[i].headroom > groups_[i].headroom_limit) {
      return fmt::format("ingress group {}: {} bytes held, {} counted", i, held[i], groups_[i].held());
    }
  }
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    std::uint64_t bytes = 0;
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      bytes += is_fabric_port(index) ? 0 : queue_at(index, p).bytes;
    }
    if (bytes != ports_[index].queued_bytes) {
      return fmt::format("port {}: {} bytes queued, {} counted", index, bytes, ports_[index].queued_bytes);
    }
  }
  return {};
}

// What waits in a virtual output queue has been asked for, or granted; what a port has granted is under way, or has
// come.
std::string ScheduledFabric::check_credits() const {
  // By ingress leaf, endpoint and priority: what has been said of the queue's packets, and what of them is under way.
  struct Sums {
    std::int64_t asked = 0;
    std::int64_t granted = 0;
    std::int64_t sent = 0;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sums> sums;
  for (const Leaf& leaf : leaves_) {
    for (const LeafEvent& event : leaf.agenda.entries()) {
      const std::uint32_t priority = event.subject % kPriorities;
      if (event.kind == LeafEvent::Kind::kRequest) {
        sums[{event.subject / kPriorities, event.destination.value(), priority}].asked += event.bytes;
      } else if (event.kind == LeafEvent::Kind::kGrant) {
        sums[{switches_[leaf.ordinal].leaf, event.destination.value(), priority}].granted += event.bytes;
      }
    }
  }
  for (const CellTransit& transit : transits_) {
    if (transit.packet.is_valid()) {
      sums[{transit.source / kPriorities, transit.destination.value(), transit.source % kPriorities}].sent +=
          transit.frame_bytes;
    }
  }
  for (std::uint32_t number = 0; number < leaves_.size(); ++number) {
    for (std::uint32_t i = 0; i < leaves_[number].voqs.size(); ++i) {
      const Voq& voq = leaves_[number].voqs[i];
      const std::uint32_t endpoint = voq.destination.value();
      const CreditSource source = number * kPriorities + i % kPriorities;
      const CreditScheduler& scheduler = egress_[endpoint].scheduler;
      const Sums& own = sums[{number, endpoint, i % kPriorities}];
      const auto waiting = std::int64_t{voq.bytes} - static_cast<std::int64_t>(voq.released_bytes);
      if (waiting != own.asked + own.granted + voq.balance + static_cast<std::int64_t>(scheduler.demand(source))) {
        return fmt::format("leaf {} endpoint {}: {} bytes wait, {} asked for and {} granted are under way", number,
                           endpoint, waiting, own.asked, own.granted);
      }
      const std::int64_t coming = own.granted + voq.balance + static_cast<std::int64_t>(voq.released_bytes) + own.sent;
      if (coming != scheduler.balance(source) || (voq.balance > 0 && voq.released < voq.packets.size())) {
        return fmt::format("leaf {} endpoint {}: {} bytes are granted and not here, {} counted", number, endpoint,
                           coming, scheduler.balance(source));
      }
    }
  }
  for (std::uint32_t i = 0; i < egress_.size(); ++i) {
    if (egress_[i].scheduler.stored() != ports_[port_of(EndpointId(i))].queued_bytes) {
      return fmt::format("endpoint {}: {} bytes wait at its port, {} counted", i,
                         ports_[port_of(EndpointId(i))].queued_bytes, egress_[i].scheduler.stored());
    }
  }
  return {};
}

}  // namespace weft::fabric
