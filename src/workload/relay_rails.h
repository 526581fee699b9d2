// Which rails a message between two ranks takes where the network does not join their own: that of another GPU of the
// sender's host, which gets the data over scale-up links first.
//
// Source: NCCL's PXN, "PCI x NVLink": a GPU hands data to the GPU of its node that sits on the receiver's rail.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workload/collective/collectives.h"

namespace weft::workload {

struct RailPair {
  std::uint16_t rail = 0;  // of the sender's machine
  std::uint16_t remote_rail = 0;

  friend bool operator==(const RailPair&, const RailPair&) = default;
};

/// The pair itself where the network joins it or nothing can relay.
[[nodiscard]] inline RailPair relayed(const RankSite& from, const RankSite& to, const RailPair& own) {
  const bool known = own.rail < from.parts.size() && own.remote_rail < to.parts.size();
  if (!known || from.parts[own.rail] == to.parts[own.remote_rail])
    return own;
  const auto relay = std::ranges::find(from.relays, to.parts[own.remote_rail], &RankSite::Relay::part);
  return relay == from.relays.end() ? own : RailPair{relay->rail, own.remote_rail};
}

}  // namespace weft::workload
