// Assertions for programmer's errors. Bad input is never an assertion: it is a Result (base/result.h).
//
// WEFT_ASSERT is always on and ends the process with the expression, file and line on standard error.
// WEFT_DCHECK is for conditions that would cost per packet; it is compiled only when WEFT_DCHECKS is defined
// (presets dev, asan, ubsan, tsan, sanitize), and its argument is never evaluated otherwise.
#pragma once

namespace weft {

/// Prints "file:line: assertion failed: expression" to standard error and aborts. Never returns.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);

}  // namespace weft

// The argument is variadic so that an expression may contain a comma outside parentheses (template arguments).
#define WEFT_ASSERT(...) \
  (static_cast<bool>(__VA_ARGS__) ? void(0) : ::weft::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))

#if defined(WEFT_DCHECKS)
#define WEFT_DCHECK(...) WEFT_ASSERT(__VA_ARGS__)
#else
#define WEFT_DCHECK(...) void(sizeof(static_cast<bool>(__VA_ARGS__)))
#endif
