// weft's own hash of any header fields: folded 64 x 64 bit products, eight bytes at a time. Not linear, and without the
// patterns of the functions that switches have; of the plain 5-tuple flow_hash() takes its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 32 bits.
[[nodiscard]] std::uint32_t hash_mixed(std::span<const std::byte> bytes);

}  // namespace weft::fabric
