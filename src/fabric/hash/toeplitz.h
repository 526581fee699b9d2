// The Toeplitz hash of receive-side scaling, with the key that Microsoft publishes to verify it: for each bit of the
// input that is set, the 32 bits of the key that begin at its place. Source: Microsoft, "RSS Hashing Functions" and
// "Verifying the RSS Hash Calculation". The key has 320 bits; what is longer than 288 bits goes around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 32 bits.
[[nodiscard]] std::uint32_t hash_toeplitz(std::span<const std::byte> bytes);

}  // namespace weft::fabric
