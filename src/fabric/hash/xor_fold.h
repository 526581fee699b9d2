// The cheapest hash of switches: the exclusive or of all 16-bit words, in network order; an odd byte at the end is the
// upper one of its word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 16 bits. Flows whose fields differ in equal ways meet: (a, b) and (b, a) always do.
[[nodiscard]] std::uint32_t hash_xor_fold(std::span<const std::byte> bytes);

}  // namespace weft::fabric
