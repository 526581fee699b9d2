// For loops that wait for another processor: tells this one so, which saves power and leaves more to a sibling.
#pragma once

namespace weft {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace weft
