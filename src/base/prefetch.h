// Prefetching. Addresses need not be valid, and nothing blocks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

/// Every cache line of the kBytes from `first` on. Forced inline: out of line, the compiler removes a function that
/// only prefetches.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void prefetch_lines(const void* first) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
#pragma GCC unroll 32
  for (std::size_t at = 0; at < kBytes; at += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + at));
  }
}

}  // namespace weft
