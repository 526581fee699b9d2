#include "subnet/agent/served_node.h"

#include <algorithm>

#include "subnet/agent/link_rate.h"
#include "subnet/forwarding_tables.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

constexpr std::uint16_t kAdapterPKeys = 64;
constexpr std::uint16_t kSwitchPKeys = 8;
constexpr std::uint16_t kSwitchEnforcedPKeys = 64;
constexpr std::uint16_t kLinearEntries = kLastUnicastLid + 1;
constexpr std::uint16_t kMulticastEntries = 1024;
constexpr std::uint8_t kGuidsOfAdapter = 8;
constexpr std::uint8_t kEightLanes = 4;  // code of VL0 to VL7
constexpr std::uint8_t kArbitrationEntries = 8;
constexpr std::uint8_t kLargestMtu = 5;  // code of 4096 bytes
constexpr std::uint16_t kDefaultPKey = 0xFFFF;
constexpr std::uint8_t kPolling = static_cast<std::uint8_t>(wire::PhysicalState::kPolling);
constexpr std::uint64_t kLinkLocalPrefix = 0xFE80'0000'0000'0000;

std::uint8_t node_type(NodeType type) {
  switch (type) {
    case NodeType::kChannelAdapter:
      return wire::NodeInfo::kChannelAdapter;
    case NodeType::kSwitch:
      return wire::NodeInfo::kSwitch;
    case NodeType::kRouter:
      return wire::NodeInfo::kRouter;
  }
  return 0;
}

wire::NodeInfo node_info(const Node& node) {
  const bool is_switch = node.type == NodeType::kSwitch;
  return {.node_type = node_type(node.type),
          .ports = static_cast<std::uint8_t>(node.ports.size() - 1),
          .system_guid = node.system_guid.value,
          .node_guid = node.guid.value,
          .partition_cap = is_switch ? kSwitchPKeys : kAdapterPKeys};
}

wire::SwitchInfo switch_info(const Node& node) {
  return {.linear_cap = kLinearEntries,
          .multicast_cap = kMulticastEntries,
          .port_state_change = 1,
          .partition_enforcement_cap = kSwitchEnforcedPKeys,
          .enhanced_port0 = node.enhanced_port0 ? std::uint8_t{1} : std::uint8_t{0}};
}

/// Of an end port: a port of an adapter or port 0 of a switch.
void make_end_port(wire::PortInfo& info, const Node& node) {
  const bool is_switch = node.type == NodeType::kSwitch;
  info.gid_prefix = kLinkLocalPrefix;
  info.guid_cap = is_switch ? std::uint8_t{1} : kGuidsOfAdapter;
  info.capability_mask = wire::kIsSystemImageGuidSupported | wire::kIsClientReregistrationSupported |
                         wire::kIsCapabilityMask2Supported | (is_switch ? wire::kIsTrapSupported : 0U) |
                         (is_switch ? 0U : wire::kIsSlMappingSupported);
}

ServedPort make_port(const Node& node, std::size_t number) {
  const Port& port = node.ports[number];
  ServedPort made{.guid = port.guid, .cable = port.peer};
  wire::PortInfo& info = made.info;
  const LinkRate rate = parse_link_rate(port.link).value_or(kDefaultLinkRate);
  support_rate(info, rate);
  info.down_default_state = kPolling;
  info.neighbor_mtu = kLargestMtu;
  info.mtu_cap = kLargestMtu;
  info.vl_cap = kEightLanes;
  info.operational_vls = kEightLanes;  // a manager that changes them takes the link down first
  info.arbitration_high_cap = kArbitrationEntries;
  info.arbitration_low_cap = kArbitrationEntries;
  made.set(wire::PortState::kDown, wire::PhysicalState::kPolling);
  if (number == 0 || node.type != NodeType::kSwitch) {
    make_end_port(info, node);
  }
  if (rate.speed_ext != 0) {
    info.capability_mask |= wire::kIsExtendedSpeedsSupported;
    info.capability_mask2 = wire::kIsLinkSpeedHdrSupported | wire::kIsLinkSpeedNdrSupported;
  }
  if (number == 0 && node.type == NodeType::kSwitch) {
    info.width_active = rate.width;
    info.speed_active = rate.speed;
    made.set(wire::PortState::kActive, wire::PhysicalState::kLinkUp);
  }
  return made;
}

/// Tools and managers ask port 0 whether the ports of a switch have extended speeds.
//= ibta-1.7 14.2.5.6
void give_capabilities_to_port0(std::vector<ServedPort>& ports) {
  constexpr std::uint32_t kOfSpeeds = wire::kIsExtendedSpeedsSupported;
  for (const ServedPort& port : ports) {
    ports[0].info.capability_mask |= port.info.capability_mask & kOfSpeeds;
    ports[0].info.capability_mask2 |= port.info.capability_mask2;
  }
}

ServedNode make_node(const Node& node) {
  ServedNode made{.info = node_info(node)};
  if (node.type == NodeType::kSwitch) {
    made.switch_info = switch_info(node);
  }
  const std::size_t length = std::min(node.description.size(), kSmpDataSize);
  std::ranges::copy(std::as_bytes(std::span(node.description.data(), length)), made.description.begin());
  for (std::size_t port = 0; port < node.ports.size(); ++port) {
    made.ports.push_back(make_port(node, port));
  }
  if (made.is_switch()) {
    give_capabilities_to_port0(made.ports);
  }
  return made;
}

}  // namespace

std::optional<PortNumber> ServedNode::egress(Lid lid) const {
  if (lid >= linear.size() || lid > switch_info.linear_top || linear[lid] == kNoRoute) {
    return std::nullopt;
  }
  return linear[lid];
}

SmpData ServedNode::p_keys(PortNumber port) const {
  const std::uint32_t modifier = std::uint32_t{port} << 16U;
  if (const auto set = blocks.find(block_key(wire::kAttributePKeyTable, modifier)); set != blocks.end()) {
    return set->second;
  }
  SmpData initial{};
  wire::store_be16(initial, 0, kDefaultPKey);
  return initial;
}

std::vector<ServedNode> served_nodes(const Subnet& subnet) {
  std::vector<ServedNode> nodes;
  nodes.reserve(subnet.nodes.size());
  for (const Node& node : subnet.nodes) {
    nodes.push_back(make_node(node));
  }
  for (ServedNode& node : nodes) {
    for (ServedPort& port : node.ports) {
      if (port.cable && negotiate(port.info, nodes[port.cable->node.value()].ports[port.cable->port].info)) {
        port.set(wire::PortState::kInitialize, wire::PhysicalState::kLinkUp);
      }
    }
  }
  return nodes;
}

}  // namespace weft::subnet
