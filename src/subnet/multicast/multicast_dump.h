// Multicast forwarding tables as text: `opensm.mcfdbs`, which OpenSM writes.
//
//   Switch 0x0000000000200000
//   LID    : Out Port(s)
//   0xC000 : 0x002  0x005
#pragma once

#include <string>
#include <string_view>

#include "subnet/multicast/multicast_tables.h"
#include "subnet/topology_file.h"

namespace weft::subnet {

/// The text, switch for switch in the order of the view: byte for byte what OpenSM writes for the same tables.
[[nodiscard]] std::string write_mcfdbs(const RoutingView& view, const MulticastTables& tables);

/// The tables of a dump; switches without entries are not in it. Errors, with the line and what would be right: a
/// switch that the subnet does not have, a LID that is none of multicast, a port that is out of range, a line that is
/// none of a dump.
[[nodiscard]] Result<MulticastTables> parse_mcfdbs(const TopologyText& source, const RoutingView& view);

}  // namespace weft::subnet
