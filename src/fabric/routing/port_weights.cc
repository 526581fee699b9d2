#include "fabric/routing/port_weights.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace weft::fabric {
namespace {

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// The switch at the other end of each port of a switch.
std::vector<std::vector<std::uint32_t>> neighbours_of(const Graph& graph) {
  std::vector<std::vector<std::uint32_t>> neighbours(graph.switches());
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    neighbours[i].assign(graph.nodes[graph.endpoints + i].ports, kNobody);
  }
  for (const Link& link : graph.links) {
    if (link.a.node.value() >= graph.endpoints && link.b.node.value() >= graph.endpoints) {
      const std::uint32_t a = link.a.node.value() - graph.endpoints;
      const std::uint32_t b = link.b.node.value() - graph.endpoints;
      neighbours[a][link.a.port] = b;
      neighbours[b][link.b.port] = a;
    }
  }
  return neighbours;
}

/// Capacities of all switches towards one leaf, in bits per second.
class CapacityTo {
 public:
  CapacityTo(const Routes& routes, const PortWeights::RateOf& rate_of,
             const std::vector<std::vector<std::uint32_t>>& neighbours, EndpointId destination, std::uint32_t leaf,
             PortWeights::Reach reach)
      : routes_(routes),
        rate_of_(rate_of),
        neighbours_(neighbours),
        destination_(destination),
        reach_(reach),
        known_(neighbours.size(), kUnknown) {
    known_[leaf] = std::numeric_limits<std::int64_t>::max();
  }

  /// Paths are shortest, so that no switch is asked while it is being computed.
  [[nodiscard]] std::int64_t of(std::uint32_t switch_ordinal) {
    std::int64_t& known = known_[switch_ordinal];
    if (known == kUnknown) {
      std::int64_t sum = 0;
      for (const std::uint16_t port : routes_.next_hops(switch_ordinal, destination_)) {
        sum += behind(switch_ordinal, port);
      }
      known = sum;
    }
    return known;
  }
  [[nodiscard]] std::int64_t behind(std::uint32_t switch_ordinal, std::uint16_t port) {
    const std::uint32_t next = neighbours_[switch_ordinal][port];
    const std::int64_t own = rate_of_({.switch_ordinal = switch_ordinal, .port = port}).bits_per_second();
    return next == kNobody || reach_ == PortWeights::Reach::kOwnLink ? own : std::min(own, of(next));
  }

 private:
  static constexpr std::int64_t kUnknown = -1;

  const Routes& routes_;
  const PortWeights::RateOf& rate_of_;
  const std::vector<std::vector<std::uint32_t>>& neighbours_;
  EndpointId destination_;
  PortWeights::Reach reach_;
  std::vector<std::int64_t> known_;
};

/// Small numbers in the same proportion, none of them zero; empty if all are equal.
std::vector<std::uint32_t> reduced(std::vector<std::int64_t> capacities) {
  constexpr std::int64_t kUnit = 1'000'000;  // a megabit per second
  std::int64_t divisor = 0;
  for (std::int64_t& capacity : capacities) {
    capacity = std::max<std::int64_t>(capacity / kUnit, 1);
    divisor = std::gcd(divisor, capacity);
  }
  if (std::ranges::adjacent_find(capacities, std::not_equal_to<>()) == capacities.end()) {
    return {};
  }
  // The sum of all weights stays within 32 bits.
  const auto most = static_cast<std::int64_t>(std::numeric_limits<std::uint32_t>::max() / capacities.size());
  const std::int64_t largest = *std::ranges::max_element(capacities) / divisor;
  divisor *= largest / most + 1;
  std::vector<std::uint32_t> weights;
  for (const std::int64_t capacity : capacities) {
    weights.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(capacity / divisor, 1)));
  }
  return weights;
}

}  // namespace

PortWeights::PortWeights(const Graph& graph, const Routes& routes, const RateOf& rate_of, Reach reach)
    : leaves_(graph.switches()) {
  first_.assign(std::size_t{leaves_} * leaves_, kEqual);
  const std::vector<std::vector<std::uint32_t>> neighbours = neighbours_of(graph);
  std::vector<bool> done(leaves_, false);
  for (std::uint32_t endpoint = 0; endpoint < graph.endpoints; ++endpoint) {
    const std::uint32_t leaf = routes.leaf_of(EndpointId(endpoint));
    if (leaf >= leaves_ || done[leaf]) {
      continue;
    }
    done[leaf] = true;
    CapacityTo capacity(routes, rate_of, neighbours, EndpointId(endpoint), leaf, reach);
    for (std::uint32_t ordinal = 0; ordinal < leaves_; ++ordinal) {
      if (ordinal == leaf) {
        continue;
      }
      std::vector<std::int64_t> capacities;
      for (const std::uint16_t port : routes.next_hops(ordinal, EndpointId(endpoint))) {
        capacities.push_back(capacity.behind(ordinal, port));
      }
      const std::vector<std::uint32_t> weights =
          capacities.size() < 2 ? std::vector<std::uint32_t>{} : reduced(std::move(capacities));
      if (!weights.empty()) {
        first_[std::size_t{ordinal} * leaves_ + leaf] = static_cast<std::uint32_t>(weights_.size());
        weights_.insert(weights_.end(), weights.begin(), weights.end());
      }
    }
  }
}

PortWeights weigh_ports(Weighting weighting, const Graph& graph, const Routes& routes, const WeightSources& sources) {
  using Reach = PortWeights::Reach;
  switch (weighting) {
    case Weighting::kEqual:
      break;
    case Weighting::kCapacity:
      return {graph, routes, sources.rate_of, Reach::kPaths};
    case Weighting::kLinkRate:
      return {graph, routes, sources.rate_of, Reach::kOwnLink};
    case Weighting::kGiven:
      return {graph, routes,
              [&sources](const PortWeights::PortOf& port) {
                constexpr std::int64_t kUnit = 1'000'000;  // what PortWeights counts in
                const std::size_t link = sources.link_of(port).value();
                return Rate::bits_per_second(kUnit * (sources.given.empty() ? 1 : sources.given[link]));
              },
              Reach::kOwnLink};
  }
  return {};
}

}  // namespace weft::fabric
