// An InfiniBand subnet as its manager finds it: switches, channel adapters and routers, their ports, GUIDs and LIDs,
// and the cables between ports.
//
// Ports are numbered as on the device: from 1, and 0 for the management port of a switch, which has the LIDs of the
// switch. A cable stands at both of its ports. Nodes keep the order in which a file names them; what a manager decides
// by order, it decides by `sweep_key`.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace weft::subnet {

using NodeIndex = Id<struct SubnetNodeTag>;  // in Subnet::nodes
using Lid = std::uint16_t;                   // 1 to 0xBFFF; 0: none
using PortNumber = std::uint8_t;             // 0 to 254

inline constexpr Lid kLastUnicastLid = 0xBFFF;
inline constexpr unsigned kMostPorts = 254;  // 255 in a forwarding table: no route
inline constexpr std::uint8_t kMostLmc = 7;

struct Guid {
  std::uint64_t value = 0;

  friend auto operator<=>(Guid, Guid) = default;
};

/// OpenSM keeps nodes and ports in maps whose key is the GUID as it stands in a MAD, most significant byte first, read
/// as a number of the machine. On machines that store the least significant byte first, which are all that it is used
/// on, the last byte of a GUID thus counts most. LIDs, roots and ties between switches follow this order.
[[nodiscard]] constexpr std::uint64_t sweep_key(Guid guid) { return __builtin_bswap64(guid.value); }

enum class NodeType : std::uint8_t { kChannelAdapter, kSwitch, kRouter };
/// "Channel Adapter", "Switch", "Router": as tools of OpenFabrics write them.
[[nodiscard]] const char* to_string(NodeType type);

/// One end of a cable.
struct PortPlace {
  NodeIndex node;
  PortNumber port = 0;

  friend auto operator<=>(const PortPlace&, const PortPlace&) = default;
};

struct Port {
  Guid guid{};                      // of a switch: the same for all its ports
  std::optional<PortPlace> peer{};  // none: no cable, or a link that is down
  Lid lid = 0;                      // the first of 2^lmc; of a switch at port 0
  std::uint8_t lmc = 0;
  std::string link{};  // "4xSDR": width and speed; empty: not known

  friend bool operator==(const Port&, const Port&) = default;
};

struct Node {
  std::string id;           // unique in a file: "Leaf1", "S-0002c90000000001"
  std::string description;  // what the node says of itself; need not be unique
  NodeType type = NodeType::kChannelAdapter;
  Guid guid{};
  Guid system_guid{};
  bool enhanced_port0 = false;  // of a switch
  std::vector<Port> ports{};    // index: number of the port; [0] of an adapter is not used

  friend bool operator==(const Node&, const Node&) = default;
};

struct Subnet {
  std::vector<Node> nodes;
  std::optional<PortPlace> manager;  // the port where the subnet manager sits, if a file names it

  [[nodiscard]] const Node& operator[](NodeIndex node) const { return nodes[node.value()]; }
  [[nodiscard]] Node& operator[](NodeIndex node) { return nodes[node.value()]; }
  [[nodiscard]] const Port& port(PortPlace place) const { return (*this)[place.node].ports[place.port]; }
  [[nodiscard]] Port& port(PortPlace place) { return (*this)[place.node].ports[place.port]; }

  friend bool operator==(const Subnet&, const Subnet&) = default;
};

/// The port of the manager: `manager` if there is one, else the first port with a cable of the first channel adapter
/// that has one. Errors: no such adapter; `manager` is a port of an adapter without a cable.
[[nodiscard]] Result<PortPlace> manager_port(const Subnet& subnet);

/// What the manager can reach from its port, in the same order of nodes: through switches, but not through adapters,
/// whose other ports stay without a cable. Its `manager` is that port.
[[nodiscard]] Subnet discovered(const Subnet& subnet, PortPlace manager);

/// The node with that id, else the only one with that description, else the one with that GUID ("0x..."). Errors: none,
/// with the nearest; several with the description.
[[nodiscard]] Result<NodeIndex> find_node(const Subnet& subnet, std::string_view name);

}  // namespace weft::subnet
