#include "subnet/agent/managed_state.h"

#include <algorithm>

#include "subnet/multicast/multicast_blocks.h"

namespace weft::subnet {
namespace {

/// Every end port of the subnet: ports of adapters, and port 0 of switches.
template <class Function>
void for_each_end_port(const ServedSubnet& served, Function&& function) {
  for (std::size_t i = 0; i < served.nodes().size(); ++i) {
    const ServedNode& node = served.nodes()[i];
    const std::size_t last = node.is_switch() ? 0 : node.ports.size() - 1;
    for (std::size_t port = node.is_switch() ? 0 : 1; port <= last; ++port) {
      function(PortPlace{.node = NodeIndex(static_cast<std::uint32_t>(i)), .port = static_cast<PortNumber>(port)});
    }
  }
}

/// The port whose LID other ports have for that of their manager.
std::optional<PortPlace> manager_of(const ServedSubnet& served) {
  Lid manager = 0;
  for_each_end_port(served,
                    [&](PortPlace place) { manager = manager == 0 ? served.port(place).info.sm_lid : manager; });
  std::optional<PortPlace> found;
  for_each_end_port(served, [&](PortPlace place) {
    if (manager != 0 && !found && served.port(place).has_lid(manager)) {
      found = place;
    }
  });
  return found;
}

/// The subnet with the links and the LIDs that there are now.
Subnet present(const Subnet& subnet, const ServedSubnet& served) {
  Subnet now = subnet;
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    for (std::size_t number = 0; number < now.nodes[i].ports.size(); ++number) {
      Port& port = now.nodes[i].ports[number];
      const ServedPort& of_port = served.nodes()[i].ports[number];
      const bool is_end_port = (number == 0) == (now.nodes[i].type == NodeType::kSwitch);
      port.lid = is_end_port ? of_port.info.lid : Lid{0};
      port.lmc = is_end_port ? of_port.info.lmc : std::uint8_t{0};
      if (of_port.state() == wire::PortState::kDown) {
        port.peer.reset();
      }
    }
  }
  return now;
}

std::uint8_t lmc_of(const Subnet& subnet) {
  std::uint8_t lmc = 0;
  for (const Node& node : subnet.nodes) {
    for (const Port& port : node.ports) {
      lmc = node.type == NodeType::kSwitch ? lmc : std::max(lmc, port.lmc);
    }
  }
  return lmc;
}

}  // namespace

Result<ManagedState> managed_state(const Subnet& subnet, const ServedSubnet& served) {
  const std::optional<PortPlace> manager = manager_of(served);
  if (!manager) {
    return fail("no subnet manager has set LIDs yet, so there are no forwarding tables");
  }
  ManagedState state;
  state.swept.subnet = discovered(present(subnet, served), *manager);
  Result<RoutingView> view = routing_view(state.swept.subnet, lmc_of(state.swept.subnet));
  if (!view) {
    return pass_on(view);
  }
  state.swept.view = std::move(*view);
  state.tables = empty_tables(state.swept.view);
  for (std::size_t i = 0; i < state.tables.size(); ++i) {
    const Guid guid = state.swept.view.switches[i].guid;
    const auto node =
        std::ranges::find_if(served.nodes(), [&](const ServedNode& each) { return each.info.node_guid == guid.value; });
    for (std::size_t lid = 1; lid < state.tables[i].size(); ++lid) {
      state.tables[i][lid] = node->egress(static_cast<Lid>(lid)).value_or(kNoRoute);
    }
    state.groups.push_back(multicast_table(*node));
  }
  return state;
}

}  // namespace weft::subnet
