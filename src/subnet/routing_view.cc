#include "subnet/routing_view.h"

#include <algorithm>

#include "base/assert.h"
#include "subnet/lids.h"

namespace weft::subnet {
namespace {

class ViewBuilder {
 public:
  explicit ViewBuilder(const Subnet& subnet)
      : subnet_(subnet), switch_of_(subnet.nodes.size()), end_port_of_(subnet.nodes.size()) {}

  Result<RoutingView> build(std::uint8_t lmc) {
    view_.lmc = lmc;
    order_switches();
    add_end_ports();
    for (RoutedSwitch& routed : view_.switches) {
      connect(routed);
    }
    if (Result<void> listed = list_lids(); !listed) {
      return pass_on(listed);
    }
    return std::move(view_);
  }

 private:
  void order_switches() {
    for (std::size_t i = 0; i < subnet_.nodes.size(); ++i) {
      const Node& node = subnet_.nodes[i];
      end_port_of_[i].resize(node.ports.size());
      if (node.type == NodeType::kSwitch) {
        view_.switches.push_back({.node = NodeIndex(static_cast<std::uint32_t>(i)),
                                  .guid = node.guid,
                                  .system_guid = node.system_guid,
                                  .lid = node.ports[0].lid,
                                  .ports = std::vector<SwitchPort>(node.ports.size())});
      }
    }
    std::ranges::sort(view_.switches, {}, [](const RoutedSwitch& routed) { return sweep_key(routed.guid); });
    for (std::size_t i = 0; i < view_.switches.size(); ++i) {
      switch_of_[view_.switches[i].node.value()] = view_.switch_at(i);
    }
  }

  void add_end_ports() {
    for (const PortPlace& place : end_ports(subnet_)) {
      const Node& node = subnet_[place.node];
      const Port& port = subnet_.port(place);
      EndPort end{.place = place,
                  .guid = port.guid,
                  .node_guid = node.guid,
                  .system_guid = node.system_guid,
                  .type = node.type,
                  .lid = port.lid,
                  .lids = 1U << port.lmc};
      const EndPortIndex index(static_cast<std::uint32_t>(view_.end_ports.size()));
      if (end.is_switch()) {
        end.at = switch_of_[place.node.value()];
        view_.switches[end.at.value()].end_port = index;
      } else {
        end.at = switch_of_[port.peer->node.value()];
        end.switch_port = port.peer->port;
      }
      end_port_of_[place.node.value()][place.port] = index;
      view_.manager = place == subnet_.manager ? index : view_.manager;
      view_.end_ports.push_back(end);
    }
  }

  void connect(RoutedSwitch& routed) const {
    const Node& node = subnet_[routed.node];
    for (std::size_t i = 1; i < node.ports.size(); ++i) {
      const std::optional<PortPlace>& peer = node.ports[i].peer;
      if (!peer) {
        continue;
      }
      const SwitchIndex to_switch = switch_of_[peer->node.value()];
      routed.ports[i] = {
          .to_switch = to_switch,
          .to_end_port = to_switch.is_valid() ? EndPortIndex() : end_port_of_[peer->node.value()][peer->port],
          .peer_port = peer->port};
    }
  }

  Result<void> list_lids() {
    for (std::size_t i = 0; i < view_.end_ports.size(); ++i) {
      const EndPort& end = view_.end_ports[i];
      if (end.lid == 0) {
        return fail("port {} of \"{}\" has no LID", end.place.port, subnet_[end.place.node].id);
      }
      const std::size_t needed = std::size_t{end.lid} + end.lids;
      view_.by_lid.resize(std::max(view_.by_lid.size(), needed));
      for (std::size_t lid = end.lid; lid < needed; ++lid) {
        if (view_.by_lid[lid].is_valid()) {
          return fail("LID {} is of \"{}\" and of \"{}\"; a LID belongs to one port", lid,
                      subnet_[view_[view_.by_lid[lid]].place.node].id, subnet_[end.place.node].id);
        }
        view_.by_lid[lid] = EndPortIndex(static_cast<std::uint32_t>(i));
      }
    }
    return {};
  }

  const Subnet& subnet_;
  std::vector<SwitchIndex> switch_of_;                  // per node
  std::vector<std::vector<EndPortIndex>> end_port_of_;  // per node and port
  RoutingView view_;
};

}  // namespace

Result<RoutingView> routing_view(const Subnet& subnet, std::uint8_t lmc) { return ViewBuilder(subnet).build(lmc); }

}  // namespace weft::subnet
