// A subnet as routing engines read it: switches and end ports under dense indices in the manager's order, with LIDs.
//
// Switches are in the order of their node GUIDs, end ports in that of their port GUIDs, both by `sweep_key`. The view
// holds no reference to the subnet that it was made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "subnet/subnet.h"

namespace weft::subnet {

using SwitchIndex = Id<struct SubnetSwitchTag>;  // in RoutingView::switches
using EndPortIndex = Id<struct EndPortTag>;      // in RoutingView::end_ports

/// Where a port of a switch leads to.
struct SwitchPort {
  SwitchIndex to_switch;     // valid: to a switch
  EndPortIndex to_end_port;  // valid: to a port of an adapter or router
  PortNumber peer_port = 0;

  [[nodiscard]] bool is_connected() const { return to_switch.is_valid() || to_end_port.is_valid(); }
};

struct RoutedSwitch {
  NodeIndex node;
  Guid guid;
  Guid system_guid;
  EndPortIndex end_port{};  // its port 0
  Lid lid = 0;
  std::vector<SwitchPort> ports;  // [0] is port 0: not connected
};

struct EndPort {
  PortPlace place;
  Guid guid;
  Guid node_guid;
  Guid system_guid;
  NodeType type = NodeType::kChannelAdapter;
  Lid lid = 0;
  std::uint32_t lids = 1;      // 2^LMC of them from `lid`
  SwitchIndex at{};            // the switch that it is part of or has a cable to; invalid: none
  PortNumber switch_port = 0;  // of that switch

  [[nodiscard]] bool is_switch() const { return type == NodeType::kSwitch; }
};

struct RoutingView {
  std::vector<RoutedSwitch> switches;
  std::vector<EndPort> end_ports;
  std::vector<EndPortIndex> by_lid;  // index: LID; invalid: of no port
  std::uint8_t lmc = 0;
  EndPortIndex manager;

  [[nodiscard]] const RoutedSwitch& operator[](SwitchIndex index) const { return switches[index.value()]; }
  [[nodiscard]] const EndPort& operator[](EndPortIndex index) const { return end_ports[index.value()]; }
  [[nodiscard]] Lid last_lid() const { return static_cast<Lid>(by_lid.size() - 1); }
  [[nodiscard]] SwitchIndex switch_at(std::size_t i) const { return SwitchIndex(static_cast<std::uint32_t>(i)); }
};

/// Of a discovered subnet whose end ports all have LIDs. `lmc` is that of adapters. Errors: a LID that two ports have,
/// or none at an end port.
[[nodiscard]] Result<RoutingView> routing_view(const Subnet& subnet, std::uint8_t lmc);

}  // namespace weft::subnet
