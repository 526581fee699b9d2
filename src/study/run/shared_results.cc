#include "study/run/shared_results.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "fabric/topology/graph_query.h"
#include "study/run/collector_events.h"

namespace weft::study::run {
namespace {

using fabric::PortIndex;
using results::RunResults;

// A host's ports are of one partition.
std::map<std::string, EndpointId, std::less<>> first_ports(const fabric::Graph& graph) {
  std::map<std::string, EndpointId, std::less<>> first;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    first.try_emplace(std::string(fabric::host_name(graph.nodes[i])), EndpointId(i));
  }
  return first;
}

/// The results of whoever simulates a port.
class Owners {
 public:
  Owners(const world::World& world, const RunResults& own, const std::vector<RunResults>& others)
      : world_(world), own_(own), others_(others) {}

  [[nodiscard]] const RunResults& of(PortIndex port) const {
    const std::optional<std::uint32_t> peer = world_.peer_of_port(port);
    return peer ? others_[*peer] : own_;
  }

 private:
  const world::World& world_;
  const RunResults& own_;
  const std::vector<RunResults>& others_;
};

// What a port has received is what its peer has sent, which another process may count, without what is on the wire.
std::vector<results::PortRow> join_ports(const world::World& world, const Owners& owners, std::size_t count) {
  std::vector<results::PortRow> rows;
  rows.reserve(count);
  for (PortIndex port = 0; port < count; ++port) {
    const RunResults& known = owners.of(port);
    const PortIndex peer = world.fabric().visit([&](const auto& fabric) { return fabric.port(port).peer; });
    const results::PortRow& sender = owners.of(peer).ports[peer];
    results::PortRow& row = rows.emplace_back(known.ports[port]);
    row.rx_packets += sender.tx_packets - known.ports[peer].tx_packets;
    row.rx_bytes += sender.tx_bytes - known.ports[peer].tx_bytes;
  }
  return rows;
}

fabric::FabricDrops sum_of_drops(const fabric::FabricDrops& common, const std::vector<RunResults>& others,
                                 fabric::FabricDrops drops) {
  for (const RunResults& other : others) {
    drops += other.drops;
  }
  // What happened before they parted, every process has counted.
  const std::size_t times = others.size();
  drops.buffer_full -= times * common.buffer_full;
  drops.damaged -= times * common.damaged;
  drops.hop_limit -= times * common.hop_limit;
  drops.unreachable -= times * common.unreachable;
  drops.link_down -= times * common.link_down;
  drops.watchdog -= times * common.watchdog;
  drops.lifetime -= times * common.lifetime;
  drops.replays -= times * common.replays;
  return drops;
}

/// In the order of time and kind.
std::vector<results::DecisionRow> sums_of_decisions(std::vector<results::DecisionRow> rows) {
  const auto order = [](const results::DecisionRow& row) { return std::tuple(row.at, row.decision); };
  std::ranges::stable_sort(rows, {}, order);
  std::vector<results::DecisionRow> sums;
  for (const results::DecisionRow& row : rows) {
    if (sums.empty() || order(sums.back()) != order(row)) {
      sums.push_back(row);
    } else {
      sums.back().count += row.count;
    }
  }
  return sums;
}

}  // namespace

void keep_own_results(const Simulation& simulation, RunResults& results) {
  results.messages.clear();
  results.collectives.clear();
  results.events.clear();
  const auto first = first_ports(simulation.world().graph());
  std::erase_if(results.cpu, [&](const results::CpuRow& row) {
    const auto found = first.find(row.host);
    return found != first.end() && simulation.world().is_foreign(found->second);
  });
}

void join_results(const Simulation& simulation, std::vector<RunResults> others, RunResults& results) {
  const world::World& world = simulation.world();
  RunResults own_cpu;
  own_cpu.cpu = std::move(results.cpu);
  keep_own_results(simulation, own_cpu);
  results.cpu = std::move(own_cpu.cpu);
  const Owners owners(world, results, others);
  std::vector<results::PortRow> ports = join_ports(world, owners, results.ports.size());
  std::vector<results::NicRow> nics;
  for (std::uint32_t i = 0; i < results.nics.size(); ++i) {
    nics.push_back(owners.of(i).nics[i]);
  }
  results.drops = sum_of_drops(simulation.common().drops, others, results.drops);
  for (RunResults& other : others) {
    results.run.packet_hops += other.run.packet_hops - simulation.common().packet_hops;
    results.samples.insert(results.samples.end(), other.samples.begin(), other.samples.end());
    results.decisions.insert(results.decisions.end(), other.decisions.begin(), other.decisions.end());
    results.cpu.insert(results.cpu.end(), other.cpu.begin(), other.cpu.end());
    results.silent_flows.insert(results.silent_flows.end(), other.silent_flows.begin(), other.silent_flows.end());
    for (std::size_t job = 0; job < results.jobs.size(); ++job) {
      results.jobs[job].unfinished += other.jobs[job].unfinished;
    }
  }
  results.ports = std::move(ports);
  results.nics = std::move(nics);
  std::ranges::stable_sort(results.samples, {},
                           [](const results::SampleRow& row) { return std::tie(row.at, row.port); });
  results.decisions = sums_of_decisions(std::move(results.decisions));
  std::ranges::stable_sort(results.cpu, {}, &results::CpuRow::host);
  std::ranges::sort(results.silent_flows);
  results.events.clear();
  take_events(simulation, results);
}

}  // namespace weft::study::run
