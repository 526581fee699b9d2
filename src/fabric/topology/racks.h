// Hosts behind the leaves of their racks, for topologies in which a rack has a leaf for each port of its NICs.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

/// What names of switches begin with: "plane1/", or nothing where there is one plane.
[[nodiscard]] inline std::string plane_prefix(std::uint32_t planes, std::uint32_t plane) {
  return planes > 1 ? fmt::format("plane{}/", plane) : std::string();
}

/// Joins the hosts that `builder` has from add_hosts(spec) to leaves, which begin at `first_leaf`: racks one after the
/// other, and of each a leaf for each port of a NIC.
inline void connect_hosts(GraphBuilder& builder, const HostsSpec& spec, std::uint32_t hosts_per_rack,
                          NodeIndex first_leaf, const Cable& cable) {
  const std::uint32_t ports = spec.ports_per_nic;
  const std::uint32_t per_rack = hosts_per_rack * spec.nics_per_host * ports;
  for (std::uint32_t endpoint = 0; endpoint < spec.hosts * spec.nics_per_host * ports; ++endpoint) {
    const std::uint32_t leaf = endpoint / per_rack * ports + endpoint % ports;
    builder.connect({.lower = NodeIndex(endpoint), .upper = NodeIndex(first_leaf.value() + leaf)}, cable);
  }
}

}  // namespace weft::fabric
