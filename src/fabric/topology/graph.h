// The fabric as a plain graph: what topologies return, and what routing, packet level and flow level read.
//
// Nodes are switches and endpoints (an endpoint is one port of one NIC and has exactly one link). A link is one cable:
// full duplex, the same in both directions. Ports of a node are numbered from 0 without gaps, downward ports before
// upward ones. Names are stable identities: everything that is hashed or compared is derived from them, never from an
// index. An endpoint's name begins with its host: "host3/nic0", or "host3/nic0/port1" where a NIC has several ports;
// that of a reducer's port with its switch: "leaf1/reducer/port0".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::fabric {

using NodeIndex = Id<struct NodeTag>;
using LinkIndex = Id<struct LinkTag>;

enum class NodeKind : std::uint8_t { kEndpoint, kSwitch };

/// What the ports of a node speak; kAny: what the fabric they are part of does.
enum class PortType : std::uint8_t { kAny, kEthernet, kInfiniBand };
/// "any", "Ethernet", "InfiniBand".
[[nodiscard]] constexpr const char* to_string(PortType type) {
  switch (type) {
    case PortType::kAny:
      return "any";
    case PortType::kEthernet:
      return "Ethernet";
    case PortType::kInfiniBand:
      break;
  }
  return "InfiniBand";
}
/// Whether a cable may join them.
[[nodiscard]] constexpr bool are_compatible(PortType a, PortType b) {
  return a == b || a == PortType::kAny || b == PortType::kAny;
}

struct Node {
  std::string name;  // "host3/nic0", "pod1/leaf0", "core2"
  NodeKind kind = NodeKind::kSwitch;
  std::uint8_t tier = 0;     // endpoints 0, leaves 1, upwards from there; 0 for switches of a free graph
  std::uint16_t domain = 0;  // layer-2 domain; crossing to another is a routed hop
  std::uint16_t ports = 0;   // how many are in use
  std::uint16_t plane = 0;   // independent fabric; no link joins two
  std::uint16_t group = 0;   // of a dragonfly, from 1; 0: none
  PortType port_type = PortType::kAny;
};

struct LinkEnd {
  NodeIndex node;
  std::uint16_t port = 0;

  friend bool operator==(const LinkEnd&, const LinkEnd&) = default;
};

/// Where a cable lies in a torus. Its end a is one place below its end b, and the last place of a ring below the first.
struct RingPlace {
  std::uint8_t dimension = 0;  // from 1; 0: in no ring
  bool wraps = false;          // from the last place to the first

  friend bool operator==(const RingPlace&, const RingPlace&) = default;
};

struct Link {
  LinkEnd a;
  LinkEnd b;
  Rate rate;
  Duration propagation;  // one way, > 0
  RingPlace ring{};
};

struct Graph {
  std::vector<Node> nodes;  // endpoints first, in the order of EndpointId; then switches
  std::vector<Link> links;
  std::uint32_t endpoints = 0;
  std::uint32_t reducer_ports = 0;  // the last of the endpoints: inside switches, of no host (reducers.h)

  /// Endpoints that are ports of a host's NIC; the first of all nodes.
  [[nodiscard]] std::uint32_t host_endpoints() const { return endpoints - reducer_ports; }

  [[nodiscard]] std::uint32_t switches() const { return static_cast<std::uint32_t>(nodes.size()) - endpoints; }
  [[nodiscard]] Node& operator[](NodeIndex node) { return nodes[node.value()]; }
  [[nodiscard]] const Node& operator[](NodeIndex node) const { return nodes[node.value()]; }
  [[nodiscard]] NodeIndex node_of(EndpointId endpoint) const { return NodeIndex(endpoint.value()); }
};

}  // namespace weft::fabric
