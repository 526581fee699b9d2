#include "study/run/collector_ports.h"

namespace weft::study::run {
namespace {

using fabric::PortIndex;

results::LaneRow lane_row(std::uint32_t lane, const fabric::LaneCounters& counters) {
  return {.lane = static_cast<std::uint8_t>(lane),
          .tx_packets = counters.tx_packets,
          .tx_bytes = counters.tx_bytes,
          .marked = counters.marked,
          .queue_peak = counters.queue_peak,
          .ingress_peak = counters.ingress_peak,
          .pauses_sent = counters.pauses_sent,
          .pauses_received = counters.pauses_received,
          .storms = counters.storms,
          .held = counters.held};
}

/// On the wire beside each frame.
template <class Fabric>
std::uint32_t gap_bytes(const Fabric& network, PortIndex port) {
  if constexpr (requires { network.gap_bytes(port); }) {
    return network.gap_bytes(port);
  } else {
    return network.gap_bytes();
  }
}

template <class Fabric>
std::uint32_t queued_bytes(const Fabric& network, PortIndex port, Time now) {
  if constexpr (requires { network.queued_bytes(port, now); }) {
    return network.queued_bytes(port, now);
  } else {
    return network.port(port).queued_bytes;
  }
}

template <class Fabric>
PortGauge gauge_of(const Fabric& network, PortIndex port, Time now) {
  const auto& link = network.port(port);
  PortGauge result;
  result.queue_bytes = queued_bytes(network, port, now);
  result.rate = link.rate;
  for (std::uint32_t lane = 0; lane < network.lanes(); ++lane) {
    const fabric::LaneCounters counters = network.lane_counters(port, lane, now);
    result.tx_bytes += counters.tx_bytes;
    result.wire_bytes += counters.tx_bytes + counters.tx_packets * gap_bytes(network, port);
    result.held += counters.held;
  }
  return result;
}

/// What is still on the wire that ends at the port has been sent and not received.
void take_off_the_wire(const world::World& world, const fabric::PortArrival& link, results::PortRow& row) {
  const auto take = [&](fabric::PacketHandle handle) {
    if (world.packets()[handle].common.kind == wire::PacketKind::kFlowControl) {
      return;  // of the link itself: in no count
    }
    --row.rx_packets;
    row.rx_bytes -= world.packets()[handle].common.frame_bytes;
  };
  if (!link.arrival.pending().is_never()) {
    take(link.first);
    for (std::uint32_t i = 0; i < link.in_flight.size(); ++i) {
      take(link.in_flight[i].packet);
    }
  }
}

template <class Fabric>
std::vector<results::PortRow> rows_of(const world::World& world, const Fabric& network, Time now) {
  std::vector<results::PortRow> rows(network.port_count());
  for (PortIndex index = 0; index < rows.size(); ++index) {
    results::PortRow& row = rows[index];
    const auto& link = network.port(index);
    row.name = port_label(world, index);
    row.rate = link.rate;
    row.of_switch = !link.has(fabric::kIsEndpoint);
    for (std::uint32_t lane = 0; lane < network.lanes(); ++lane) {
      const results::LaneRow own = lane_row(lane, network.lane_counters(index, lane, now));
      row.tx_packets += own.tx_packets;
      row.tx_bytes += own.tx_bytes;
      results::LaneRow silent;
      silent.lane = own.lane;
      if (own != silent) {
        row.lanes.push_back(own);
      }
    }
    const fabric::PortCounters counters = network.port_counters(index, now);
    row.drops = counters.drops;
    row.receive_errors = counters.receive_errors;
    row.credits_sent = counters.credits_sent;
    row.trimmed = counters.trimmed;
    row.trimmed_bytes = counters.trimmed_bytes;
    row.replays = counters.replays;
    row.replayed = counters.replayed;
    row.voq_peak = counters.voq_peak;
    row.voq_wait = counters.voq_wait;
    row.incomplete = counters.incomplete;
    row.reordered = counters.reordered;
    row.reorder_queues = counters.reorder_queues;
    row.reorder_peak = counters.reorder_peak;
    row.reorder_overflows = counters.reorder_overflows;
    row.reorder_timeouts = counters.reorder_timeouts;
    row.choices = network.choices(index, now);
  }
  for (PortIndex index = 0; index < rows.size(); ++index) {
    const auto& link = network.port(index);
    rows[index].peer = rows[link.peer].name;
    rows[index].rx_packets = rows[link.peer].tx_packets;
    rows[index].rx_bytes = rows[link.peer].tx_bytes;
    take_off_the_wire(world, link, rows[index]);
  }
  return rows;
}

}  // namespace

std::uint32_t port_count(const world::World& world) { return world.fabric().port_count(); }

std::string port_label(const world::World& world, PortIndex port) { return world.fabric().port_name(port); }

PortGauge gauge(const world::World& world, PortIndex port, Time now) {
  return world.fabric().visit([&](const auto& network) { return gauge_of(network, port, now); });
}

std::vector<results::PortRow> port_rows(const world::World& world, Time now) {
  return world.fabric().visit([&](const auto& network) { return rows_of(world, network, now); });
}

}  // namespace weft::study::run
