#include "host/port_groups.h"

#include <algorithm>

#include "base/stable_hash.h"
#include "fabric/topology/graph_query.h"

namespace weft::host {

PortGroups::PortGroups(const Environment& environment, PortStates own, PortStates others)
    : wires_(environment.wires),
      next_port_(fabric::next_ports(environment.graph)),
      own_(std::move(own)),
      others_(std::move(others)),
      view_{.graph = environment.graph, .next_port = next_port_, .own = own_, .others = others_},
      group_of_(environment.graph.endpoints, nullptr),
      graph_(environment.graph),
      seed_(environment.seed) {
  const auto plane_of = [&](EndpointId port) { return graph_[graph_.node_of(port)].plane; };
  for (std::uint32_t i = 0; i < next_port_.size(); ++i) {
    std::vector<EndpointId> ports = {EndpointId(i)};
    while (next_port_[ports.back().value()] != ports.front()) {
      ports.push_back(next_port_[ports.back().value()]);
    }
    const bool in_planes =
        std::ranges::any_of(ports, [&](EndpointId port) { return plane_of(port) != plane_of(ports.front()); });
    const bool changes =
        std::ranges::any_of(ports, [&](EndpointId port) { return !own_.next_news(port, Time::zero()).is_never(); });
    if (ports.size() < 2 || group_of_[i] != nullptr || !(changes || (in_planes && !others_.empty()))) {
      continue;
    }
    groups_.push_back(
        std::make_unique<PortGroup>(PortGroup::Environment{.kernel = environment.kernel,
                                                           .wires = environment.wires,
                                                           .packets = environment.packets,
                                                           .view = view_,
                                                           .index = static_cast<std::uint32_t>(groups_.size())},
                                    ports));
    for (const EndpointId port : ports) {
      group_of_[port.value()] = groups_.back().get();
    }
  }
}

fabric::EndpointPort& PortGroups::port_of(EndpointId endpoint) {
  PortGroup* const group = group_of(endpoint);
  return group == nullptr ? wires_ : *group;
}

fabric::Endpoint& PortGroups::attach(EndpointId endpoint, Nic& nic) {
  PortGroup* const group = group_of(endpoint);
  return group == nullptr ? nic : group->attach(endpoint, nic);
}

void PortGroups::register_actors(sim::ActorOrder& ranks,
                                 const std::function<sim::PartitionIndex(EndpointId)>& partition_of) {
  for (const auto& group : groups_) {
    const EndpointId first = group->first_port();
    group->register_actor(ranks, stable_hash(seed_, "ports of " + graph_[graph_.node_of(first)].name),
                          partition_of(first));
  }
}

void PortGroups::start() {
  for (const auto& group : groups_) {
    group->start();
  }
}

std::uint64_t PortGroups::packets_kept() const {
  std::uint64_t packets = 0;
  for (const auto& group : groups_) {
    packets += group->packets_kept();
  }
  return packets;
}

std::size_t PortGroups::heap_bytes() const {
  std::size_t bytes = (next_port_.capacity() * sizeof(EndpointId)) + (group_of_.capacity() * sizeof(PortGroup*));
  for (const auto& group : groups_) {
    bytes += sizeof(*group) + group->heap_bytes();
  }
  return bytes;
}

}  // namespace weft::host
