#include "subnet/manager/discovery.h"

#include <algorithm>

namespace weft::subnet {
namespace {

std::string description_text(const SmpData& data) {
  std::string text;
  for (const std::byte byte : data) {
    if (byte == std::byte{0}) {
      break;
    }
    text.push_back(std::to_integer<char>(byte));
  }
  return text;
}

std::size_t blocks_for(std::size_t entries, std::size_t per_block) { return (entries + per_block - 1) / per_block; }

}  // namespace

bool Discovery::proceed() {
  switch (stage_) {
    case Stage::kBegin:
      stage_ = Stage::kOwnNode;
      exchange_.post({.attribute = wire::kAttributeNodeInfo});
      return true;
    case Stage::kOwnNode: {
      stage_ = Stage::kAround;
      if (found_.nodes().empty() || found_.nodes().front().is_switch()) {
        return false;  // a switch is probed through all its ports when it says what they are
      }
      const PortNumber port = found_.nodes().front().info.local_port;
      if (found_.port({.node = NodeIndex(0), .port = port}).state() < wire::PortState::kInitialize) {
        return false;
      }
      probe(NodeIndex(0), port);
      return true;
    }
    case Stage::kAround:
      break;
  }
  return false;
}

void Discovery::get(NodeIndex node, std::uint16_t attribute, std::uint32_t modifier, PortNumber port) {
  exchange_.post(
      {.attribute = attribute, .modifier = modifier, .route = found_[node].route, .node = node, .port = port});
}

/// What is at the other end of the port's link.
void Discovery::probe(NodeIndex node, PortNumber port) {
  if (found_[node].route.can_grow()) {
    exchange_.post(
        {.attribute = wire::kAttributeNodeInfo, .route = found_[node].route.through(port), .node = node, .port = port});
  }
}

/// What is known of the node from the sweep before.
void Discovery::adopt(NodeIndex node, bool at_changed_switch) {
  KnownNode& now = found_[node];
  const std::optional<NodeIndex> earlier = before_.find({now.info.node_guid});
  if (!earlier || before_[*earlier].ports.size() != now.ports.size()) {
    return;
  }
  const KnownNode& then = before_[*earlier];
  now.description = then.description;
  if (tables_ == Tables::kAll) {
    return;
  }
  now.is_changed = !now.is_switch() && at_changed_switch;
  for (std::size_t port = 0; port < now.ports.size(); ++port) {
    now.ports[port].p_keys = then.ports[port].p_keys;
  }
}

void Discovery::on_node_info(const SmpExchange::Answered& answered) {
  const Smp& smp = answered.request;
  const Result<wire::NodeInfo> info = wire::NodeInfo::parse(answered.data);
  if (!info || (info->node_type != wire::NodeInfo::kSwitch && info->local_port == 0) ||
      info->local_port > info->ports) {
    return;
  }
  std::optional<NodeIndex> node = found_.find({info->node_guid});
  const bool is_new = !node;
  if (!node) {
    node = found_.add(*info, smp.route);
    adopt(*node, smp.node.is_valid() && found_[smp.node].is_changed);
  }
  KnownNode& known = found_[*node];
  if (info->local_port >= known.ports.size()) {
    return;
  }
  if (smp.node.is_valid()) {
    found_.join({.node = smp.node, .port = smp.port}, {.node = *node, .port = info->local_port});
  }
  if (is_new && known.description.empty()) {
    get(*node, wire::kAttributeNodeDescription, 0, 0);
  }
  if (known.is_switch()) {
    if (is_new) {
      get(*node, wire::kAttributeSwitchInfo, 0, 0);
    }
    return;
  }
  KnownPort& port = known.ports[info->local_port];
  if (port.guid == Guid{}) {
    port.guid = {info->port_guid};
    port.route = smp.route;
    exchange_.post({.attribute = wire::kAttributePortInfo,
                    .modifier = info->local_port,
                    .route = smp.route,
                    .node = *node,
                    .port = info->local_port});
  }
}

void Discovery::on_switch_info(const SmpExchange::Answered& answered) {
  const NodeIndex node = answered.request.node;
  KnownNode& known = found_[node];
  const Result<wire::SwitchInfo> info = wire::SwitchInfo::parse(answered.data);
  if (!info) {
    return;
  }
  known.switch_info = *info;
  known.has_switch_info = true;
  known.is_changed = known.is_changed || info->port_state_change != 0;
  for (std::size_t port = 0; port < known.ports.size(); ++port) {
    get(node, wire::kAttributePortInfo, static_cast<std::uint32_t>(port), static_cast<PortNumber>(port));
  }
}

void Discovery::on_port_info(const SmpExchange::Answered& answered) {
  const NodeIndex node = answered.request.node;
  const PortNumber number = answered.request.port;
  KnownNode& known = found_[node];
  const Result<wire::PortInfo> info = wire::PortInfo::parse(answered.data);
  if (!info) {
    return;
  }
  KnownPort& port = known.ports[number];
  port.info = *info;
  port.is_known = true;
  const bool is_own = node == NodeIndex(0);
  if ((info->capability_mask & wire::kIsSm) != 0 && !is_own && (number == 0) == known.is_switch()) {
    managers_.push_back({.node = node, .port = number});
  }
  if (known.is_switch() && number != 0) {
    if (port.state() < wire::PortState::kInitialize) {
      return;
    }
    if (number != info->local_port) {  // not the one by which the switch was reached
      probe(node, number);
    }
  }
  if (known.is_changed || (known.is_switch() && number == 0)) {
    get_p_keys(node, number);
  }
}

void Discovery::get_p_keys(NodeIndex node, PortNumber number) {
  KnownNode& known = found_[node];
  const bool is_external = known.is_switch() && number != 0;
  const std::size_t entries = is_external ? known.switch_info.partition_enforcement_cap : known.info.partition_cap;
  const std::size_t blocks = blocks_for(entries, wire::kPKeysPerBlock);
  known.ports[number].p_keys.assign(blocks, SmpData{});
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::uint32_t of_port = is_external ? std::uint32_t{number} << 16U : 0U;
    exchange_.post({.attribute = wire::kAttributePKeyTable,
                    .modifier = of_port | static_cast<std::uint32_t>(block),
                    .route = found_.route({.node = node, .port = number}),
                    .node = node,
                    .port = number});
  }
}

void Discovery::on_answer(const SmpExchange::Answered& answered) {
  if (answered.status != 0) {
    return;
  }
  switch (answered.request.attribute) {
    case wire::kAttributeNodeInfo:
      on_node_info(answered);
      break;
    case wire::kAttributeNodeDescription:
      found_[answered.request.node].description = description_text(answered.data);
      break;
    case wire::kAttributeSwitchInfo:
      on_switch_info(answered);
      break;
    case wire::kAttributePortInfo:
      on_port_info(answered);
      break;
    case wire::kAttributePKeyTable: {
      std::vector<SmpData>& blocks = found_.port({.node = answered.request.node, .port = answered.request.port}).p_keys;
      const std::size_t block = answered.request.modifier & 0xFFFFU;
      if (block < blocks.size()) {
        blocks[block] = answered.data;
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace weft::subnet
