// What a subnet manager has found: nodes by GUID with how to reach them, what they said, and which ports are joined.
//
// Nodes are in the order in which their NodeInfo came. A port is joined to another where NodeInfo came through it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "subnet/manager/smp_exchange.h"
#include "subnet/subnet.h"
#include "wire/subnet_attributes.h"

namespace weft::subnet {

struct KnownPort {
  wire::PortInfo info{};
  bool is_known = false;  // `info` has come
  Guid guid{};            // of a port of an adapter
  DirectedRoute route{};  // to a port of an adapter, which is reached by itself
  std::optional<PortPlace> peer{};
  std::vector<SmpData> p_keys{};  // blocks

  [[nodiscard]] wire::PortState state() const { return static_cast<wire::PortState>(info.port_state); }
};

struct KnownNode {
  wire::NodeInfo info{};
  std::string description{};
  wire::SwitchInfo switch_info{};
  bool has_switch_info = false;
  /// Its P_Key tables are read: it is new, or a switch whose ports have changed, or an adapter at such a switch.
  bool is_changed = true;
  DirectedRoute route{};
  std::vector<KnownPort> ports{};  // index: number

  [[nodiscard]] bool is_switch() const { return info.node_type == wire::NodeInfo::kSwitch; }
};

class KnownSubnet {
 public:
  [[nodiscard]] std::optional<NodeIndex> find(Guid node) const;
  NodeIndex add(const wire::NodeInfo& info, const DirectedRoute& route);
  /// Both ports are there.
  void join(PortPlace a, PortPlace b);

  [[nodiscard]] const std::vector<KnownNode>& nodes() const { return nodes_; }
  [[nodiscard]] const KnownNode& operator[](NodeIndex node) const { return nodes_[node.value()]; }
  [[nodiscard]] KnownNode& operator[](NodeIndex node) { return nodes_[node.value()]; }
  [[nodiscard]] const KnownPort& port(PortPlace place) const { return (*this)[place.node].ports[place.port]; }
  [[nodiscard]] KnownPort& port(PortPlace place) { return (*this)[place.node].ports[place.port]; }
  /// How the port is asked and set.
  [[nodiscard]] const DirectedRoute& route(PortPlace place) const {
    return (*this)[place.node].is_switch() ? (*this)[place.node].route : port(place).route;
  }
  /// All switches, in the order of OpenSM's table of them (`sweep_key`); all nodes likewise.
  [[nodiscard]] std::vector<NodeIndex> switches() const;
  [[nodiscard]] std::vector<NodeIndex> by_guid() const;

  /// The same nodes in the same order, as routing reads them, with the LIDs that ports have; links are those whose both
  /// ends have said what they are. The manager is at the first node, at the port by which it answered.
  [[nodiscard]] Subnet subnet() const;

 private:
  std::vector<KnownNode> nodes_;
  std::map<Guid, NodeIndex> by_guid_;
};

}  // namespace weft::subnet
