// Forwarding tables as text: `opensm-lfts.dump`, which OpenSM writes and its engine "file" reads.
//
//   Unicast lids [0-22] of switch Lid 2 guid 0x0000000000200000 ('Leaf1'):
//   0x0001 001 # Channel Adapter portguid 0x0000000000100001: 'H1'
//   22 lids dumped
#pragma once

#include <string>
#include <string_view>

#include "subnet/forwarding_tables.h"
#include "subnet/topology_file.h"

namespace weft::subnet {

/// The text, switch for switch in the order of the view: byte for byte what OpenSM writes for the same tables.
[[nodiscard]] std::string write_lfts(const Subnet& subnet, const RoutingView& view, const ForwardingTables& tables);

/// The tables of a dump for a subnet with its LIDs. Errors, with the line and what would be right: a switch that the
/// subnet does not have, a LID or a port that is out of range, a line that is none of a dump, a switch without a table.
[[nodiscard]] Result<ForwardingTables> parse_lfts(const TopologyText& source, const RoutingView& view);

}  // namespace weft::subnet
