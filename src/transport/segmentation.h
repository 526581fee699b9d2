// How a message is cut into packets of a path MTU.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "verbs/queue_pair.h"

namespace weft::transport {

/// The payload of a full packet in bytes.
[[nodiscard]] constexpr std::uint32_t full_payload(verbs::PathMtu mtu) { return static_cast<std::uint32_t>(mtu); }

/// The full packets in so many bytes.
[[nodiscard]] constexpr std::uint64_t full_packets(std::uint64_t bytes, verbs::PathMtu mtu) {
  const std::uint32_t payload = full_payload(mtu);
  return std::has_single_bit(payload) ? bytes >> std::countr_zero(payload) : bytes / payload;
}

/// Packets of a message of `length` bytes: at least one, for an empty message takes a packet too.
[[nodiscard]] constexpr std::uint64_t packet_count(std::uint64_t length, verbs::PathMtu mtu) {
  return std::max<std::uint64_t>(full_packets(length + full_payload(mtu) - 1, mtu), 1);
}

}  // namespace weft::transport
