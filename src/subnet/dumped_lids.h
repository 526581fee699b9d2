// LIDs as a dump of forwarding tables names them beside GUIDs.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "subnet/subnet.h"
#include "subnet/topology_file.h"

namespace weft::subnet {

/// The LIDs that a dump names beside GUIDs, given to the ports of the subnet: a sweep then keeps them, and the tables
/// are read as their manager meant them. Ports that the dump does not name keep what they have, unless it gives one of
/// their LIDs to another port. Entries name ports by their GUIDs, lines of switches the switch by that of the node.
/// Returns the LMC of
/// adapters; nothing where no port of one is named. Errors, with the line: a GUID of no port of the subnet, a LID of
/// two ports, a port whose LIDs are no range that an LMC makes.
[[nodiscard]] Result<std::optional<std::uint8_t>> adopt_lids(const TopologyText& source, Subnet& subnet);

}  // namespace weft::subnet
