// Pure functions by which a switch takes one of several next hops: by flow, by packet, or by the least queued.
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

/// What an adaptive switch compares: bytes that wait, and among ports where as many wait, one that sends nothing is
/// less.
[[nodiscard]] inline std::uint64_t depth_of(std::uint32_t queued_bytes, bool sends) {
  return std::uint64_t{queued_bytes} * 2 + (sends ? 1 : 0);
}

/// The port with the least `depth(port)`; among several, each is equally likely over hashes. `depth` returns something
/// ordered, has no side effect, and is called up to twice per port.
template <class Depth>
[[nodiscard]] std::uint16_t least_queue(const NextHops& hops, std::uint32_t tie_hash, Depth&& depth) {
  WEFT_DCHECK(!hops.empty());
  auto least = depth(hops[0]);
  std::uint32_t first = 0;
  std::uint32_t ties = 1;
  for (std::uint32_t i = 1; i < hops.size(); ++i) {
    const auto here = depth(hops[i]);
    if (here < least) {
      least = here;
      first = i;
      ties = 1;
    } else if (here == least) {
      ++ties;
    }
  }
  if (ties == 1) {
    return hops[first];
  }
  std::uint32_t skip = pick(tie_hash, ties);
  for (std::uint32_t i = first;; ++i) {
    if (depth(hops[i]) == least && skip-- == 0) {
      return hops[i];
    }
  }
}

}  // namespace weft::fabric
