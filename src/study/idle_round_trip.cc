#include "study/idle_round_trip.h"

#include <algorithm>
#include <vector>

#include "study/encapsulation_of.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"
#include "wire/telemetry.h"

namespace weft::study {
namespace {

struct Sizes {
  Bytes packet;
  Bytes acknowledgement;
};

Sizes wire_sizes(const Scenario& scenario) {
  const wire::Encapsulation encapsulation = encapsulation_of(scenario.fabric);
  const Bytes telemetry(wire::telemetry_bytes(wire::TelemetryKind::kInBand));
  const auto wire = [&](wire::Operation operation, Bytes payload) {
    return wire::sizes(encapsulation, wire::make_opcode(wire::Service::kRc, operation), payload).wire + telemetry;
  };
  return {.packet = wire(wire::Operation::kWriteOnly, Bytes(scenario.fabric.mtu)),
          .acknowledgement = wire(wire::Operation::kAcknowledge, Bytes::zero())};
}

/// Round trips from one endpoint to every node.
class RoundTrips {
 public:
  RoundTrips(const Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), graph_(graph), sizes_(wire_sizes(scenario)), links_(graph.nodes.size()) {
    for (const fabric::Link& link : graph.links) {
      links_[link.a.node.value()].push_back({link.b.node.value(), &link});
      links_[link.b.node.value()].push_back({link.a.node.value(), &link});
    }
  }

  /// By breadth, so that of equally short paths the first counts; zero where none leads.
  [[nodiscard]] std::vector<Duration> from(std::uint32_t endpoint) const {
    std::vector<Duration> times(graph_.nodes.size());
    std::vector<bool> seen(graph_.nodes.size());
    std::vector<std::uint32_t> queue = {endpoint};
    seen[endpoint] = true;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const std::uint32_t node = queue[next];
      for (const Neighbour& to : links_[node]) {
        if (!seen[to.node]) {
          seen[to.node] = true;
          times[to.node] = times[node] + over(*to.link, node, endpoint);
          queue.push_back(to.node);
        }
      }
    }
    return times;
  }

 private:
  struct Neighbour {
    std::uint32_t node;
    const fabric::Link* link;
  };

  /// What a hop adds to both ways. A switch that cuts through has the packet in hand before it has ended.
  [[nodiscard]] Duration over(const fabric::Link& link, std::uint32_t from, std::uint32_t endpoint) const {
    const SwitchSettings& node = scenario_.devices.switch_;
    const bool first = from == endpoint;
    const bool whole = first || node.forwarding == Forwarding::kStoreAndForward;
    const Bytes bits = whole ? sizes_.packet + sizes_.acknowledgement : Bytes(kHeaderBytes * 2);
    const Duration between = first ? Duration::zero() : node.latency * 2;
    return link.propagation * 2 + between + link.rate.transmit_time(bits);
  }

  static constexpr std::int64_t kHeaderBytes = 80;

  const Scenario& scenario_;
  const fabric::Graph& graph_;
  Sizes sizes_;
  std::vector<std::vector<Neighbour>> links_;
};

}  // namespace

Duration idle_round_trip(const Scenario& scenario, const fabric::Graph& graph) {
  const RoundTrips trips(scenario, graph);
  const auto hosts = static_cast<std::ptrdiff_t>(graph.host_endpoints());
  std::uint32_t start = 0;
  Duration longest;
  for (int sweep = 0; sweep < 2; ++sweep) {
    const std::vector<Duration> times = trips.from(start);
    const auto farthest = std::max_element(times.begin(), times.begin() + hosts);
    start = static_cast<std::uint32_t>(farthest - times.begin());
    longest = std::max(longest, *farthest);
  }
  longest = longest + scenario.devices.nic.rx_latency * 2;
  return longest + longest / 10;
}

}  // namespace weft::study
