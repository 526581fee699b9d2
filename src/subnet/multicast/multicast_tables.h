// Multicast forwarding tables: for each switch the egress ports of each multicast LID.
#pragma once

#include <bitset>
#include <map>
#include <vector>

#include "subnet/routing_view.h"

namespace weft::subnet {

//= ibta-1.7 4.1.3
inline constexpr Lid kFirstMulticastLid = 0xC000;
inline constexpr Lid kLastMulticastLid = 0xFFFE;

[[nodiscard]] constexpr bool is_multicast(Lid lid) { return lid >= kFirstMulticastLid && lid <= kLastMulticastLid; }

/// Bit: number of the port, 0 being the switch itself.
using PortMask = std::bitset<kMostPorts + 2>;

/// Of one switch; a LID without an entry has no ports.
using MulticastTable = std::map<Lid, PortMask>;

/// Index: switch of the view.
using MulticastTables = std::vector<MulticastTable>;

}  // namespace weft::subnet
