// The hops of a message's packets through a network that is otherwise idle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "fabric/routing/routes.h"
#include "flow/medium.h"
#include "study/world/link_parts.h"

namespace weft::study::world {

/// Which of several equally short paths the packets of one message take: those that switches choose for its flow, or
/// all of them, since each packet has another entropy value.
enum class PathsTaken : std::uint8_t { kOfFlow, kAll };

namespace idle_hops_detail {

/// Of a flow, its part on each link as switches choose; one of them where they hash it.
template <class Fabric>
std::map<fabric::PortIndex, double> chosen_parts(const Fabric& fabric, EndpointId source, EndpointId destination) {
  std::map<fabric::PortIndex, double> links;
  add_links(fabric, {.flow = {.source = source, .destination = destination}}, 1, links);
  return links;
}

}  // namespace idle_hops_detail

template <class Port>
flow::Hop hop_of(const Port& port) {
  return {.delay = port.delay, .rate = port.rate, .cut_through = Bytes(port.cut_through_bytes())};
}

/// Of a packet that takes the first of all next hops, which are as far as any; up to kMaxHops of them. Where a link on
/// the way is slower than the sender's and packets take several paths, hops have the part of a message that goes over
/// each.
template <class Fabric>
std::vector<flow::Hop> idle_hops(const Fabric& fabric, EndpointId source, EndpointId destination, PathsTaken taken) {
  std::vector<flow::Hop> hops;
  std::vector<fabric::PortIndex> ports{fabric.port_index({fabric.graph().node_of(source), 0})};
  while (hops.size() < kMaxHops) {
    hops.push_back(hop_of(fabric.port(ports.back())));
    const auto& arrival = fabric.port(fabric.port(ports.back()).peer);
    const bool ends = arrival.has(fabric::kIsEndpoint);
    const fabric::NextHops next = ends ? fabric::NextHops() : fabric.next_hops(arrival.owner, destination);
    if (next.empty()) {
      break;
    }
    ports.push_back(fabric.port_index({fabric::NodeIndex(fabric.graph().endpoints + arrival.owner), next[0]}));
  }
  const Rate line = hops.front().rate;
  if (std::ranges::any_of(hops, [line](const flow::Hop& hop) { return hop.rate < line; })) {
    const std::map<fabric::PortIndex, double> parts =
        taken == PathsTaken::kAll ? spread_links(fabric, {.source = source, .destination = destination})
                                  : idle_hops_detail::chosen_parts(fabric, source, destination);
    for (std::size_t i = 0; i < hops.size(); ++i) {
      const auto found = parts.find(ports[i]);
      hops[i].part = found == parts.end() ? 1 : std::min(found->second, 1.0);
    }
  }
  return hops;
}

}  // namespace weft::study::world
