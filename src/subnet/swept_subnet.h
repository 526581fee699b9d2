// A subnet as its manager has it after the first sweep, before routing: found from the manager's port, with LIDs.
#pragma once

#include "subnet/lids.h"
#include "subnet/routing_view.h"
#include "subnet/subnet.h"

namespace weft::subnet {

struct SweptSubnet {
  Subnet subnet;
  RoutingView view;
};

/// What the manager at that port finds, with LIDs; what it does not reach is left out. Errors: those of assign_lids and
/// routing_view.
[[nodiscard]] Result<SweptSubnet> sweep(const Subnet& subnet, PortPlace manager, const LidOptions& options = {});
/// The manager is at manager_port(), whose errors this has too.
[[nodiscard]] Result<SweptSubnet> sweep(const Subnet& subnet, const LidOptions& options = {});

}  // namespace weft::subnet
