#include "study/run/collector_ports.h"

#include "wire/encapsulation.h"

namespace weft::study::run {
namespace {

using fabric::EthernetFabric;
using fabric::InfiniBandFabric;
using fabric::PortIndex;

std::uint32_t lane_count(const EthernetFabric&) { return fabric::kPriorities; }
std::uint32_t lane_count(const InfiniBandFabric& network) { return network.lanes(); }

results::LaneRow lane_row(const EthernetFabric& network, PortIndex port, std::uint32_t lane, Time now) {
  const fabric::EgressQueue& queue = network.queue(port, lane);
  const fabric::PauseRecord& pauses = network.pauses(port);
  results::LaneRow row{.lane = static_cast<std::uint8_t>(lane),
                       .tx_packets = queue.tx_packets,
                       .tx_bytes = queue.tx_bytes,
                       .marked = queue.marked,
                       .queue_peak = queue.peak_bytes,
                       .ingress_peak = network.group(port, lane).peak,
                       .pauses_sent = pauses.pauses_sent[lane],
                       .pauses_received = pauses.pauses_received[lane],
                       .storms = pauses.storms[lane],
                       .held = pauses.paused_total[lane]};
  if (((network.port(port).blocked >> lane) & 1U) != 0) {
    row.held += earlier(pauses.paused_until[lane], now) - pauses.paused_since[lane];
  }
  return row;
}

results::LaneRow lane_row(const InfiniBandFabric& network, PortIndex port, std::uint32_t lane, Time now) {
  const fabric::LaneCredits& credits = network.credits(port, lane);
  const fabric::OutputLane& output = network.output(port, lane);
  return {.lane = static_cast<std::uint8_t>(lane),
          .tx_packets = credits.packets_sent,
          .tx_bytes = credits.bytes_sent,
          .marked = output.marked,
          .queue_peak = output.peak_bytes,
          .held = network.credit_stall(port, lane, now)};
}

void add_own(const EthernetFabric& network, PortIndex port, Time, results::PortRow& row) {
  row.drops = network.drops_at(port);
}

void add_own(const InfiniBandFabric& network, PortIndex port, Time now, results::PortRow& row) {
  const fabric::InfiniBandCounters counters = network.counters(port, now);
  row.drops = counters.xmit_discards;
  row.receive_errors = counters.receive_errors;
  row.credits_sent = counters.credits_sent;
}

template <class Fabric>
PortGauge gauge_of(const Fabric& network, PortIndex port, Time now) {
  const auto& link = network.port(port);
  PortGauge result;
  result.queue_bytes = link.queued_bytes;
  result.rate = link.rate;
  for (std::uint32_t lane = 0; lane < lane_count(network); ++lane) {
    const results::LaneRow row = lane_row(network, port, lane, now);
    result.tx_bytes += row.tx_bytes;
    result.wire_bytes += row.tx_bytes;
    if constexpr (std::is_same_v<Fabric, EthernetFabric>) {
      result.wire_bytes += row.tx_packets * wire::kEthernetGapBytes;
    }
    result.held += row.held;
  }
  return result;
}

/// What is still on the wire that ends at the port has been sent and not received.
void take_off_the_wire(const world::World& world, const fabric::PortArrival& link, results::PortRow& row) {
  const auto take = [&](fabric::PacketHandle handle) {
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
    for (std::uint32_t lane = 0; lane < lane_count(network); ++lane) {
      results::LaneRow own = lane_row(network, index, lane, now);
      row.tx_packets += own.tx_packets;
      row.tx_bytes += own.tx_bytes;
      results::LaneRow silent;
      silent.lane = own.lane;
      if (own != silent) {
        row.lanes.push_back(own);
      }
    }
    add_own(network, index, now, row);
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

std::uint32_t port_count(const world::World& world) {
  return world.ethernet() != nullptr ? world.ethernet()->port_count() : world.infiniband()->port_count();
}

std::string port_label(const world::World& world, PortIndex port) {
  const fabric::LinkEnd end =
      world.ethernet() != nullptr ? world.ethernet()->end_of(port) : world.infiniband()->end_of(port);
  const fabric::Graph& graph = world.graph();
  return end.node.value() < graph.endpoints ? graph[end.node].name : fabric::port_name(graph, end);
}

PortGauge gauge(const world::World& world, PortIndex port, Time now) {
  return world.ethernet() != nullptr ? gauge_of(*world.ethernet(), port, now)
                                     : gauge_of(*world.infiniband(), port, now);
}

std::vector<results::PortRow> port_rows(const world::World& world, Time now) {
  return world.ethernet() != nullptr ? rows_of(world, *world.ethernet(), now)
                                     : rows_of(world, *world.infiniband(), now);
}

}  // namespace weft::study::run
