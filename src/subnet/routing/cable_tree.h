// A spanning tree over switches: by which cable each one hangs from the one above it.
#pragma once

#include <vector>

#include "subnet/routing_view.h"

namespace weft::subnet {

struct TreeCable {
  SwitchIndex above{};  // invalid: the root, or a switch that is not reached
  PortNumber up = 0;    // of the switch, towards the root
  PortNumber down = 0;  // of the one above
};

/// Index: switch of the view.
using CableTree = std::vector<TreeCable>;

}  // namespace weft::subnet
