// How a message is cut into packets of a path MTU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "verbs/queue_pair.h"

namespace weft::transport {

/// log2 of the path MTU in bytes.
[[nodiscard]] constexpr std::uint32_t mtu_shift(verbs::PathMtu mtu) { return 7U + static_cast<std::uint32_t>(mtu); }

/// Packets of a message of `length` bytes: at least one, for an empty message takes a packet too.
[[nodiscard]] constexpr std::uint64_t packet_count(std::uint64_t length, verbs::PathMtu mtu) {
  const std::uint32_t shift = mtu_shift(mtu);
  return std::max<std::uint64_t>((length + (std::uint64_t{1} << shift) - 1) >> shift, 1);
}

}  // namespace weft::transport
