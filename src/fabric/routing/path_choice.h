// Pure functions by which a switch takes one of several next hops: by flow or by packet.
//
// None is called with an empty set. The same arguments give the same port; hashes are those of routing/ecmp_hash.h.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

/// The port that the hash names: one per flow if the hash is of the flow, any if it is of the packet.
[[nodiscard]] inline std::uint16_t ecmp(const NextHops& hops, std::uint32_t hash) {
  WEFT_DCHECK(!hops.empty());
  return hops[pick(hash, hops.size())];
}

/// Per-packet spray by a hash of the switch's packet count, which must advance with each packet: uniform, and
/// without the patterns that a plain rotation has between switches.
[[nodiscard]] inline std::uint16_t spray(const NextHops& hops, std::uint64_t seed, std::uint32_t packet_count) {
  return ecmp(hops, switch_hash(packet_count, seed));
}

/// Per-packet spray in rotation; `cursor` is the switch's, or a group's, and is moved on.
[[nodiscard]] inline std::uint16_t rotate(const NextHops& hops, std::uint32_t& cursor) {
  WEFT_DCHECK(!hops.empty());
  const std::uint32_t at = cursor < hops.size() ? cursor : 0;
  cursor = at + 1;
  return hops[at];
}

}  // namespace weft::fabric
