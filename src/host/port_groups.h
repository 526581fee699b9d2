// All groups of ports of a world's NICs, and what they know of one another's links.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "host/port_group.h"

namespace weft::host {

class PortGroups {
 public:
  /// All must outlive this.
  struct Environment {
    sim::Kernel& kernel;
    fabric::EndpointPort& wires;
    fabric::PacketPool& packets;
    const fabric::Graph& graph;
    std::uint64_t seed = 1;
  };
  /// A group for each NIC with several ports, if any of their links ever changes; where ports lie in planes, if any
  /// link of any NIC does. `own` and `others`: as a NIC hears of its own ports and of other NICs'.
  PortGroups(const Environment& environment, PortStates own, PortStates others);
  PortGroups(const PortGroups&) = delete;
  PortGroups& operator=(const PortGroups&) = delete;

  /// What the NIC of an endpoint sends through, and what the fabric calls for it: the wires and the NIC themselves
  /// without a group.
  [[nodiscard]] fabric::EndpointPort& port_of(EndpointId endpoint);
  [[nodiscard]] fabric::Endpoint& attach(EndpointId endpoint, Nic& nic);

  /// `partition_of`: of a group's first port.
  void register_actors(sim::ActorOrder& ranks, const std::function<sim::PartitionIndex(EndpointId)>& partition_of);
  void start();
  void on_news(std::uint32_t group, Time now) { groups_[group]->on_news(now); }

  [[nodiscard]] std::uint64_t packets_kept() const;
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  [[nodiscard]] PortGroup* group_of(EndpointId endpoint) {
    return endpoint.value() < group_of_.size() ? group_of_[endpoint.value()] : nullptr;
  }

  fabric::EndpointPort& wires_;
  std::vector<EndpointId> next_port_;
  PortStates own_;
  PortStates others_;
  PortGroupView view_;
  std::vector<std::unique_ptr<PortGroup>> groups_;
  std::vector<PortGroup*> group_of_;  // by endpoint
  const fabric::Graph& graph_;
  std::uint64_t seed_;
};

}  // namespace weft::host
