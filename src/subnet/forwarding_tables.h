// Linear forwarding tables: for each switch the egress port of each LID.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing_view.h"

namespace weft::subnet {

inline constexpr PortNumber kNoRoute = 255;

/// Of one switch; index: LID, from 0 to the last one of the subnet.
using ForwardingTable = std::vector<PortNumber>;

/// Index: switch of the view.
using ForwardingTables = std::vector<ForwardingTable>;

/// As many tables as switches, without routes.
[[nodiscard]] inline ForwardingTables empty_tables(const RoutingView& view) {
  return ForwardingTables(view.switches.size(), ForwardingTable(view.by_lid.size(), kNoRoute));
}

}  // namespace weft::subnet
