// Builds a Graph: ports are numbered in the order in which cables are connected, domains by one of two styles.
//
// All endpoints come before the first switch. Next-hop sets are contiguous ranges of ports if a node's downward cables
// are connected before its upward ones. Parallel cables are together on the upper side, and on the lower side the upper
// switches come in turn, once for each of the parallel cables: fat-tree routing counts ports in that order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/port_spread.h"

namespace weft::fabric {

/// How layer-2 domains are cut. An endpoint is in the domain of its switch.
enum class Domains : std::uint8_t {
  kOne,     // one per plane: switches bridge
  kRouted,  // one per switch: every switch is a router, a leaf and its endpoints are a subnet
};

struct SwitchSpec {
  std::string name;
  std::uint8_t tier = 1;
  std::uint16_t plane = 0;
  std::uint16_t group = 0;
};

struct EndpointSpec {
  std::string name;
  std::uint16_t plane = 0;
};

/// Hosts 0 to hosts - 1 with NICs 0 to nics_per_host - 1 each, and ports 0 to ports_per_nic - 1 of each NIC.
struct HostsSpec {
  std::uint32_t hosts = 0;
  std::uint32_t nics_per_host = 1;
  std::uint32_t ports_per_nic = 1;
  PortSpread port_spread = PortSpread::kLeaves;
};

/// The two nodes of a cable; the lower one is nearer to the endpoints.
struct CableEnds {
  NodeIndex lower;
  NodeIndex upper;
};

class GraphBuilder {
 public:
  explicit GraphBuilder(Domains domains) : domains_(domains) {}

  NodeIndex add_endpoint(EndpointSpec spec);
  /// Adds "host<h>/nic<n>" for all hosts and NICs, NICs of one host together, with "/port<p>" behind if there are
  /// several of a NIC; the first has index 0.
  void add_hosts(const HostsSpec& spec);
  NodeIndex add_switch(SwitchSpec spec);

  /// Joins the next free port of both nodes; with `parallel`, that many times.
  void connect(const CableEnds& ends, const Cable& cable, std::uint32_t parallel = 1);

  /// Adds the cable with the ports that it says; those of a node must have no gaps in the end.
  void add_link(const Link& link);

  [[nodiscard]] Graph finish() && { return std::move(graph_); }

 private:
  Domains domains_;
  Graph graph_;
};

}  // namespace weft::fabric
