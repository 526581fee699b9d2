#include "subnet/subnet.h"

#include <algorithm>
#include <charconv>

#include "base/nearest_word.h"

namespace weft::subnet {
namespace {

/// Ports that discovery gets to, each once; `reached` is per node and port.
void reach(const Subnet& subnet, PortPlace from, std::vector<std::vector<bool>>& reached) {
  std::vector<PortPlace> open{from};
  reached[from.node.value()][from.port] = true;
  const auto visit = [&](PortPlace place) {
    if (!reached[place.node.value()][place.port]) {
      reached[place.node.value()][place.port] = true;
      open.push_back(place);
    }
  };
  while (!open.empty()) {
    const PortPlace place = open.back();
    open.pop_back();
    if (const std::optional<PortPlace>& peer = subnet.port(place).peer) {
      visit(*peer);
    }
    const Node& node = subnet[place.node];
    for (std::size_t port = 0; node.type == NodeType::kSwitch && port < node.ports.size(); ++port) {
      visit({.node = place.node, .port = static_cast<PortNumber>(port)});
    }
  }
}

std::optional<std::uint64_t> guid_in(std::string_view text) {
  if (!text.starts_with("0x")) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data() + 2, end, value, 16);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

}  // namespace

const char* to_string(NodeType type) {
  switch (type) {
    case NodeType::kChannelAdapter:
      return "Channel Adapter";
    case NodeType::kSwitch:
      return "Switch";
    case NodeType::kRouter:
      break;
  }
  return "Router";
}

Result<PortPlace> manager_port(const Subnet& subnet) {
  if (subnet.manager) {
    const Node& node = subnet[subnet.manager->node];
    if (node.type != NodeType::kSwitch && !subnet.port(*subnet.manager).peer) {
      return fail("port {} of \"{}\", where the subnet was read, has no cable; name another node for its manager",
                  subnet.manager->port, node.id);
    }
    return *subnet.manager;
  }
  for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
    const Node& node = subnet.nodes[i];
    for (std::size_t port = 1; node.type == NodeType::kChannelAdapter && port < node.ports.size(); ++port) {
      if (node.ports[port].peer) {
        return PortPlace{.node = NodeIndex(static_cast<std::uint32_t>(i)), .port = static_cast<PortNumber>(port)};
      }
    }
  }
  return fail("no channel adapter with a cable, so there is no port for a subnet manager; add one, or name a node");
}

Subnet discovered(const Subnet& subnet, PortPlace manager) {
  std::vector<std::vector<bool>> reached;
  for (const Node& node : subnet.nodes) {
    reached.emplace_back(node.ports.size(), false);
  }
  reach(subnet, manager, reached);
  std::vector<NodeIndex> index(subnet.nodes.size());
  Subnet found;
  for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
    if (std::ranges::find(reached[i], true) != reached[i].end()) {
      index[i] = NodeIndex(static_cast<std::uint32_t>(found.nodes.size()));
      found.nodes.push_back(subnet.nodes[i]);
      for (std::size_t port = 0; port < reached[i].size(); ++port) {
        if (!reached[i][port]) {
          found.nodes.back().ports[port].peer.reset();
        }
      }
    }
  }
  for (Node& node : found.nodes) {
    for (Port& port : node.ports) {
      if (port.peer) {
        port.peer->node = index[port.peer->node.value()];
      }
    }
  }
  found.manager = PortPlace{.node = index[manager.node.value()], .port = manager.port};
  return found;
}

Result<NodeIndex> find_node(const Subnet& subnet, std::string_view name) {
  std::vector<std::string_view> valid;
  std::vector<std::size_t> described;
  const std::optional<std::uint64_t> guid = guid_in(name);
  for (std::size_t i = 0; i < subnet.nodes.size(); ++i) {
    const Node& node = subnet.nodes[i];
    if (node.id == name || node.guid.value == guid) {
      return NodeIndex(static_cast<std::uint32_t>(i));
    }
    if (node.description == name) {
      described.push_back(i);
    }
    valid.push_back(node.description.empty() ? std::string_view(node.id) : std::string_view(node.description));
  }
  if (described.size() == 1) {
    return NodeIndex(static_cast<std::uint32_t>(described.front()));
  }
  if (described.size() > 1) {
    return fail("{} nodes are called '{}'; name one by its id, for example '{}'", described.size(), name,
                subnet.nodes[described.front()].id);
  }
  const std::optional<std::string_view> nearest = nearest_word(name, valid);
  return fail("no node is called '{}'{}", name, nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
}

}  // namespace weft::subnet
