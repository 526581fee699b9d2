// What a switch of every discipline has. A discipline derives its own record from it.
#pragma once

#include <cstdint>

#include "fabric/forwarding.h"
#include "fabric/port_link.h"
#include "fabric/routing/path_policy.h"
#include "sim/actor.h"

namespace weft::fabric {

struct SwitchCore {
  PortIndex first_port = 0;
  std::uint16_t ports = 0;
  std::uint16_t profile = 0;  // in the fabric's table of switch options
  std::uint64_t hash_seed = 0;
  sim::Wake timer;
  std::uint32_t notify_from = 0xFFFFFFFF;  // bytes waiting for an egress port
  std::uint32_t sprayed = 0;               // packets so far
  PathPolicy path = PathPolicy::kEcmp;
  bool balances = false;  // by its PathBalancer
  bool detours = false;   // over intermediate groups, too
  Forwarding forwarding = Forwarding::kStoreAndForward;
};

}  // namespace weft::fabric
