// What a manager has made of a served subnet: its LIDs and forwarding tables, those of multicast too, in the form that
// reports and dumps read.
#pragma once

#include "subnet/agent/served_subnet.h"
#include "subnet/forwarding_tables.h"
#include "subnet/multicast/multicast_tables.h"
#include "subnet/swept_subnet.h"

namespace weft::subnet {

struct ManagedState {
  SweptSubnet swept;
  ForwardingTables tables;
  MulticastTables groups;
};

/// Of the links that are up now, as far as they reach from the manager's port. Errors: no manager has set LIDs yet; a
/// LID that no manager would set, or a port without one.
[[nodiscard]] Result<ManagedState> managed_state(const Subnet& subnet, const ServedSubnet& served);

}  // namespace weft::subnet
