// How a switch chooses among equally good next hops.
#pragma once

#include <cstdint>

namespace weft::fabric {

enum class PathPolicy : std::uint8_t {
  kEcmp,      // by the hash of the flow: one path per flow
  kSpray,     // per packet, at random
  kAdaptive,  // per packet, the port with the least queued, idle before busy; ties at random
  kTable,     // the one port that the forwarding table names (InfiniBand's LFT)
};

}  // namespace weft::fabric
