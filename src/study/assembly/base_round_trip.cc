#include "study/assembly/base_round_trip.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/int128.h"
#include "study/scenario/packet_sizes.h"

namespace weft::study::assembly {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

/// One way from a NIC, without serialisation.
struct Reached {
  std::uint32_t hops = kUnreached;
  Duration delay;
  Duration slots;  // a full packet on every link of the way
  Rate slowest = Rate::max();
};

class RoundTrips {
 public:
  RoundTrips(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), graph_(graph), neighbours_(graph.nodes.size()) {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      const fabric::Link& link = graph.links[i];
      neighbours_[link.a.node.value()].push_back({link.b.node.value(), i});
      neighbours_[link.b.node.value()].push_back({link.a.node.value(), i});
    }
    packet_ = scenario::data_packet(scenario, Bytes(scenario.fabric.mtu)).wire;
    acknowledgement_ = scenario::acknowledgement(scenario).wire;
  }

  [[nodiscard]] BaseRoundTrip longest() const {
    const std::uint32_t far_end = farthest_from(0).first;
    const auto [other, reached] = farthest_from(far_end);
    if (reached.hops == kUnreached || reached.hops == 0) {
      return {};
    }
    const bool stores = scenario_.devices.switch_.forwarding == scenario::Forwarding::kStoreAndForward;
    const Duration data = stores ? reached.slots : reached.slowest.transmit_time(packet_);
    const std::int64_t slots = stores ? reached.hops : 1;
    const Duration acknowledgement = reached.slowest.transmit_time(acknowledgement_) * slots;
    return {.time = reached.delay * 2 + data + acknowledgement + pipeline_of(far_end) + pipeline_of(other) +
                    scheduling() * 2,
            .switches = std::int64_t{reached.hops} - 1,
            .slowest = reached.slowest};
  }

 private:
  /// Of one packet in a scheduled fabric: its request and its grant, between leaves.
  [[nodiscard]] Duration scheduling() const {
    if (scenario_.routing.policy != scenario::RoutingPolicy::kScheduled) {
      return {};
    }
    const scenario::DeviceSettings& own = scenario_.devices;
    const Duration one_way = (own.link(scenario::LinkTier::kLeaf).propagation + own.switch_.latency) * 2;
    return one_way * 2 + scenario_.routing.credit_latency;
  }

  struct Neighbour {
    std::uint32_t node;
    std::uint32_t link;
  };

  [[nodiscard]] Duration pipeline_of(std::uint32_t node) const {
    const scenario::SecurityLatency added = scenario::security_latency(scenario_);
    const Duration security = node < graph_.endpoints ? added.at_end() : added.hop;
    if (scenario_.overrides.empty()) {
      return security +
             (node < graph_.endpoints ? scenario_.devices.nic.rx_latency : scenario_.devices.switch_.latency);
    }
    const scenario::DeviceSettings own = scenario::settings_of_device(scenario_, graph_.nodes[node].name);
    return security + (node < graph_.endpoints ? own.nic.rx_latency : own.switch_.latency);
  }

  // By breadth: each node is reached over as few links as possible, over the first such path.
  [[nodiscard]] std::pair<std::uint32_t, Reached> farthest_from(std::uint32_t source) const {
    std::vector<Reached> reached(graph_.nodes.size());
    reached[source] = {.hops = 0, .delay = {}, .slots = {}, .slowest = Rate::max()};
    std::vector<std::uint32_t> order = {source};
    std::uint32_t farthest = source;
    const auto length = [&](std::uint32_t node) { return reached[node].delay + reached[node].slots; };
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t from = order[i];
      if (from < graph_.host_endpoints() && length(from) > length(farthest)) {
        farthest = from;
      }
      if (from < graph_.endpoints && from != source) {
        continue;  // a NIC forwards nothing
      }
      const Duration before = from == source ? Duration::zero() : pipeline_of(from);
      for (const Neighbour& next : neighbours_[from]) {
        if (reached[next.node].hops != kUnreached) {
          continue;
        }
        const fabric::Link& link = graph_.links[next.link];
        reached[next.node] = {.hops = reached[from].hops + 1,
                              .delay = reached[from].delay + before + link.propagation,
                              .slots = reached[from].slots + link.rate.transmit_time(packet_),
                              .slowest = std::min(reached[from].slowest, link.rate)};
        order.push_back(next.node);
      }
    }
    return {farthest, reached[farthest]};
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::vector<std::vector<Neighbour>> neighbours_;
  Bytes packet_;
  Bytes acknowledgement_;
};

}  // namespace

BaseRoundTrip base_round_trip(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return graph.host_endpoints() == 0 ? BaseRoundTrip{} : RoundTrips(scenario, graph).longest();
}

Bytes window_bytes(const scenario::Scenario& scenario, const scenario::WindowSize& window, Rate line,
                   Duration round_trip) {
  if (window.bdp_millis == 0) {
    return window.bytes;
  }
  const Int128 product = Int128{bandwidth_delay_product(line, round_trip).count()} * window.bdp_millis;
  const Int128 packet = Int128{scenario.fabric.mtu} * 1'000;
  const auto packets = static_cast<std::int64_t>((product + packet - 1) / packet);
  return Bytes((packets + scenario.transport.ack_interval) * scenario.fabric.mtu);
}

}  // namespace weft::study::assembly
