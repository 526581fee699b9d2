#include "subnet/manager/known_subnet.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::subnet {
namespace {

NodeType known_type(const wire::NodeInfo& info) {
  switch (info.node_type) {
    case wire::NodeInfo::kSwitch:
      return NodeType::kSwitch;
    case wire::NodeInfo::kRouter:
      return NodeType::kRouter;
    default:
      return NodeType::kChannelAdapter;
  }
}

Node as_node(const KnownNode& known) {
  Node node{.id = known.description,
            .description = known.description,
            .type = known_type(known.info),
            .guid = {known.info.node_guid},
            .system_guid = {known.info.system_guid},
            .enhanced_port0 = known.switch_info.enhanced_port0 != 0,
            .ports = std::vector<Port>(known.ports.size())};
  for (std::size_t number = 0; number < node.ports.size(); ++number) {
    const KnownPort& port = known.ports[number];
    const bool is_end_port = (number == 0) == known.is_switch();
    node.ports[number].guid = known.is_switch() ? Guid{known.info.port_guid} : port.guid;
    node.ports[number].lid = is_end_port ? port.info.lid : Lid{0};
  }
  return node;
}

}  // namespace

std::optional<NodeIndex> KnownSubnet::find(Guid node) const {
  const auto found = by_guid_.find(node);
  return found == by_guid_.end() ? std::nullopt : std::optional(found->second);
}

NodeIndex KnownSubnet::add(const wire::NodeInfo& info, const DirectedRoute& route) {
  const NodeIndex index(static_cast<std::uint32_t>(nodes_.size()));
  nodes_.push_back({.info = info, .route = route, .ports = std::vector<KnownPort>(std::size_t{info.ports} + 1)});
  const bool added = by_guid_.emplace(Guid{info.node_guid}, index).second;
  WEFT_ASSERT(added);
  return index;
}

void KnownSubnet::join(PortPlace a, PortPlace b) {
  port(a).peer = b;
  port(b).peer = a;
}

std::vector<NodeIndex> KnownSubnet::by_guid() const {
  std::vector<NodeIndex> order;
  for (const auto& [guid, node] : by_guid_) {
    order.push_back(node);
  }
  std::ranges::sort(order, {}, [&](NodeIndex node) { return sweep_key({(*this)[node].info.node_guid}); });
  return order;
}

std::vector<NodeIndex> KnownSubnet::switches() const {
  std::vector<NodeIndex> order = by_guid();
  std::erase_if(order, [&](NodeIndex node) { return !(*this)[node].is_switch() || !(*this)[node].has_switch_info; });
  return order;
}

Subnet KnownSubnet::subnet() const {
  Subnet made;
  for (const KnownNode& known : nodes_) {
    made.nodes.push_back(as_node(known));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (std::size_t number = 1; number < nodes_[i].ports.size(); ++number) {
      const KnownPort& near = nodes_[i].ports[number];
      if (near.peer && near.is_known && port(*near.peer).is_known) {
        made.nodes[i].ports[number].peer = near.peer;
      }
    }
  }
  if (!nodes_.empty()) {
    const KnownNode& own = nodes_.front();
    made.manager = PortPlace{.node = NodeIndex(0), .port = own.is_switch() ? PortNumber{0} : own.info.local_port};
  }
  return made;
}

}  // namespace weft::subnet
