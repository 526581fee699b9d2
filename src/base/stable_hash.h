// A keyed 64-bit hash whose value never changes: the source of every identity that must not depend on numbering.
//
// SipHash-2-4 with the 128-bit key (seed, 0). The same bytes give the same value on every platform, in every version.
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

struct SipHashKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

/// SipHash-2-4 of `bytes`.
[[nodiscard]] std::uint64_t sip_hash(SipHashKey key, std::string_view bytes);

/// f(seed, name): random streams, actor ranks, addresses, queue pair numbers.
[[nodiscard]] inline std::uint64_t stable_hash(std::uint64_t seed, std::string_view name) {
  return sip_hash({.k0 = seed, .k1 = 0}, name);
}

}  // namespace weft
