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

/// The ports by which packets go on, and in what proportion; null: in equal parts.
struct SpreadHops {
  fabric::NextHops ports;
  const std::uint32_t* weights = nullptr;

  [[nodiscard]] double part_of(std::uint32_t number) const {
    if (weights == nullptr) {
      return 1.0 / ports.size();
    }
    return static_cast<double>(weights[number]) /
           static_cast<double>(std::accumulate(weights, weights + ports.size(), std::uint64_t{0}));
  }
};

/// What is sprayed over `ports`, or hashed with other hashes each.
template <class Fabric>
SpreadHops spread_hops(const Fabric& fabric, const fabric::NextHops& ports, std::uint32_t switch_ordinal,
                       EndpointId destination) {
  if constexpr (requires { fabric.hop_weights(switch_ordinal, destination); }) {
    return {.ports = ports, .weights = ports.size() > 1 ? fabric.hop_weights(switch_ordinal, destination) : nullptr};
  } else {
    return {.ports = ports};
  }
}

/// Calls visit(links) for each hop of what leaves by the first port, `part`: what that puts on each link of the hop, by
/// egress port. `ports_at` an arriving port: those by which it goes on.
template <class Fabric, class PortsAt, class Visit>
void visit_hops(const Fabric& fabric, fabric::PortIndex first, double part, const PortsAt& ports_at,
                const Visit& visit) {
  std::map<fabric::PortIndex, double> here{{first, part}};
  for (int hop = 0; hop < kMaxHops && !here.empty(); ++hop) {
    visit(std::as_const(here));
    std::map<fabric::PortIndex, double> next;
    for (const auto& [port, share] : here) {
      const auto& arrival = fabric.port(fabric.port(port).peer);
      if (arrival.has(fabric::kIsEndpoint)) {
        continue;
      }
      const SpreadHops hops = ports_at(arrival);
      const fabric::NodeIndex node(fabric.graph().endpoints + arrival.owner);
      for (std::uint32_t i = 0; i < hops.ports.size(); ++i) {
        next[fabric.port_index({node, hops.ports[i]})] += share * hops.part_of(i);
      }
    }
    here = std::move(next);
  }
}

/// Adds what leaves by the first port on each link behind it.
template <class Fabric, class PortsAt>
void add_links(const Fabric& fabric, fabric::PortIndex first, double part, std::map<fabric::PortIndex, double>& links,
               const PortsAt& ports_at) {
  visit_hops(fabric, first, part, ports_at, [&links](const auto& hop) {
    for (const auto& [port, share] : hop) {
      links[port] += share;
    }
  });
}

/// Adds what a flow puts on each link: `part` of it.
template <class Fabric>
void add_links(const Fabric& fabric, const PathStream& stream, double part,
               std::map<fabric::PortIndex, double>& links) {
  add_links(fabric, fabric.port_index({fabric.graph().node_of(stream.flow.source), 0}), part, links,
            [&](const auto& arrival) {
              return spread_hops(fabric, fabric.ports_taken(arrival.owner, stream.flow, stream.entropy), arrival.owner,
                                 stream.flow.destination);
            });
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
    return add_links(fabric, fabric.port_index({fabric.graph().node_of(stream.flow.source), 0}), part, links,
                     [&](const auto& arrival) {
                       return spread_hops(fabric, fabric.next_hops(arrival.owner, stream.flow.destination),
                                          arrival.owner, stream.flow.destination);
                     });
  }
  // Of each flow others: what is uneven in so few would not be made up for by other flows.
  const std::uint32_t own = stream.flow.source.value() * 0x85EBCA6B + stream.flow.destination.value() * 0xC2B2AE35;
  for (std::uint32_t i = 1; i <= kEntropies; ++i) {
    stream.flow.hash = own + i * kHashStep;
    add_links(fabric, stream, part / kEntropies, links);
  }
}

}  // namespace weft::study::world
