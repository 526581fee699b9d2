// The parts of a flow that go over each link of a fabric, and the rates of links.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "fabric/port_link.h"
#include "fabric/routing/leaf_flow.h"
#include "fabric/routing/routes.h"
#include "study/world/world.h"

namespace weft::study::world {

/// Where hashes do not spread evenly, a flow whose packets take any path is one of so many.
inline constexpr std::uint32_t kEntropies = 512;
inline constexpr std::uint32_t kHashStep = 0x9E3779B9;  // odd: all products differ

/// In bits per second, of frames and their gaps.
template <class Fabric>
double link_rate(const Fabric& fabric, fabric::PortIndex port) {
  if constexpr (requires { fabric.frame_rate(port); }) {
    return static_cast<double>(fabric.frame_rate(port).bits_per_second());
  } else {
    return static_cast<double>(fabric.port(port).rate.bits_per_second());
  }
}

/// Of a flow; without what sums of parts miss of the whole.
inline float rounded_part(double part) { return part > 1 - 1e-9 ? 1.0F : static_cast<float>(part); }

/// What switches know packets by that go one way.
struct PathStream {
  fabric::LeafFlow flow{};
  std::uint16_t entropy = 0;
};

/// The ends of what is sent, by their ports of the network.
struct SpreadEnds {
  EndpointId source{};
  EndpointId destination{};
};

/// Calls visit(links) for each hop of what goes between two ends, `part`: what that puts on each link of the hop, by
/// egress port. `ports_at` an arriving port: those by which it goes on, in equal parts or by the switch's weights.
template <class Fabric, class PortsAt, class Visit>
void visit_hops(const Fabric& fabric, const SpreadEnds& ends, double part, const PortsAt& ports_at,
                const Visit& visit) {
  std::map<fabric::PortIndex, double> here{{fabric.port_index({fabric.graph().node_of(ends.source), 0}), part}};
  for (int hop = 0; hop < kMaxHops && !here.empty(); ++hop) {
    visit(std::as_const(here));
    std::map<fabric::PortIndex, double> next;
    for (const auto& [port, share] : here) {
      const auto& arrival = fabric.port(fabric.port(port).peer);
      if (arrival.has(fabric::kIsEndpoint)) {
        continue;
      }
      const fabric::NextHops ports = ports_at(arrival);
      const fabric::NodeIndex node(fabric.graph().endpoints + arrival.owner);
      const std::uint32_t* weights = ports.size() > 1 ? fabric.hop_weights(arrival.owner, ends.destination) : nullptr;
      const double all = weights == nullptr ? ports.size() : std::accumulate(weights, weights + ports.size(), 0.0);
      for (std::uint32_t i = 0; i < ports.size(); ++i) {
        const double own = weights == nullptr ? share : share * weights[i];
        next[fabric.port_index({node, ports[i]})] += own / all;
      }
    }
    here = std::move(next);
  }
}

/// Adds what goes between two ends on each link.
template <class Fabric, class PortsAt>
void add_links(const Fabric& fabric, const SpreadEnds& ends, double part, std::map<fabric::PortIndex, double>& links,
               const PortsAt& ports_at) {
  visit_hops(fabric, ends, part, ports_at, [&links](const auto& hop) {
    for (const auto& [port, share] : hop) {
      links[port] += share;
    }
  });
}

/// Adds what a flow puts on each link: `part` of it.
template <class Fabric>
void add_links(const Fabric& fabric, const PathStream& stream, double part,
               std::map<fabric::PortIndex, double>& links) {
  add_links(fabric, {.source = stream.flow.source, .destination = stream.flow.destination}, part, links,
            [&](const auto& arrival) { return fabric.ports_taken(arrival.owner, stream.flow, stream.entropy); });
}

/// The same of what is spread over all shortest paths.
template <class Fabric>
void add_spread(const Fabric& fabric, const SpreadEnds& ends, double part, std::map<fabric::PortIndex, double>& links) {
  add_links(fabric, ends, part, links,
            [&](const auto& arrival) { return fabric.next_hops(arrival.owner, ends.destination); });
}

template <class Fabric>
[[nodiscard]] std::map<fabric::PortIndex, double> spread_links(const Fabric& fabric, const SpreadEnds& ends) {
  std::map<fabric::PortIndex, double> links;
  add_spread(fabric, ends, 1, links);
  return links;
}

template <class Fabric>
[[nodiscard]] bool hashes_spread_evenly(const Fabric& fabric) {
  if constexpr (requires { fabric.spreads_hashes_evenly(); }) {
    return fabric.spreads_hashes_evenly();
  } else {
    return false;
  }
}

/// What a flow puts on each link whose packets have another entropy value, and so another hash, each.
template <class Fabric>
void add_all_paths(const Fabric& fabric, PathStream stream, double part, std::map<fabric::PortIndex, double>& links) {
  if (hashes_spread_evenly(fabric)) {
    return add_spread(fabric, {.source = stream.flow.source, .destination = stream.flow.destination}, part, links);
  }
  // Of each flow others: what is uneven in so few would not be made up for by other flows.
  const std::uint32_t own = stream.flow.source.value() * 0x85EBCA6B + stream.flow.destination.value() * 0xC2B2AE35;
  for (std::uint32_t i = 1; i <= kEntropies; ++i) {
    stream.flow.hash = own + i * kHashStep;
    add_links(fabric, stream, part / kEntropies, links);
  }
}

}  // namespace weft::study::world
