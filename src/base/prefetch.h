// Asking for memory before it is needed. Addresses need not be valid, and nothing waits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

/// Every cache line of the kBytes from `first` on. Inlined by force: out of line, a function that only prefetches
/// counts as one without effect, and goes.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void prefetch_lines(const void* first) {
  const auto address = reinterpret_cast<std::uintptr_t>(first);
#pragma GCC unroll 32
  for (std::size_t at = 0; at < kBytes; at += 64) {
    __builtin_prefetch(reinterpret_cast<const void*>(address + at));
  }
}

}  // namespace weft
