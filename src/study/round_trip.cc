#include "study/round_trip.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::study {
namespace {

using fabric::Graph;

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

// Hops from one node to all others; paths do not lead through endpoints.
std::vector<std::uint32_t> hops_from(const std::vector<std::vector<std::uint32_t>>& neighbours, const Graph& graph,
                                     std::uint32_t from) {
  std::vector<std::uint32_t> hops(graph.nodes.size(), kFar);
  std::vector<std::uint32_t> queue = {from};
  hops[from] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t node = queue[i];
    if (node < graph.endpoints && node != from) {
      continue;
    }
    for (const std::uint32_t next : neighbours[node]) {
      if (hops[next] == kFar) {
        hops[next] = hops[node] + 1;
        queue.push_back(next);
      }
    }
  }
  return hops;
}

std::uint32_t farthest_endpoint(const std::vector<std::uint32_t>& hops, std::uint32_t endpoints) {
  std::uint32_t farthest = 0;
  for (std::uint32_t i = 1; i < endpoints; ++i) {
    if (hops[i] != kFar && (hops[farthest] == kFar || hops[i] > hops[farthest])) {
      farthest = i;
    }
  }
  return farthest;
}

std::uint32_t longest_path(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> neighbours(graph.nodes.size());
  for (const fabric::Link& link : graph.links) {
    neighbours[link.a.node.value()].push_back(link.b.node.value());
    neighbours[link.b.node.value()].push_back(link.a.node.value());
  }
  const std::uint32_t one_end = farthest_endpoint(hops_from(neighbours, graph, 0), graph.host_endpoints());
  const std::vector<std::uint32_t> hops = hops_from(neighbours, graph, one_end);
  const std::uint32_t longest = hops[farthest_endpoint(hops, graph.host_endpoints())];
  return longest == kFar ? 0 : longest;
}

}  // namespace

Duration longest_round_trip(const Scenario& scenario, const Graph& graph) {
  if (graph.links.empty() || graph.host_endpoints() == 0) {
    return Duration::zero();
  }
  Duration propagation;
  Rate slowest = graph.links.front().rate;
  for (const fabric::Link& link : graph.links) {
    propagation = std::max(propagation, link.propagation);
    slowest = std::min(slowest, link.rate);
  }
  constexpr Bytes kHeaders(128);  // more than any encapsulation has
  const std::int64_t links = longest_path(graph);
  const Duration serialisation =
      slowest.transmit_time(Bytes(scenario.fabric.mtu) + kHeaders) + slowest.transmit_time(kHeaders);
  const NicSettings& nic = scenario.devices.nic;
  return links * (2 * propagation + serialisation) + 2 * (links - 1) * scenario.devices.switch_.latency +
         2 * (nic.tx_latency + nic.rx_latency);
}

}  // namespace weft::study
