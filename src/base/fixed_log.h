// Logarithms and powers of two in integer arithmetic: the same bits on every platform, which libm does not promise.
//
// "Q48" is an unsigned number with 48 fractional bits: the raw value 2^48 means 1. Error bounds are absolute.
#pragma once

#include <cstdint>

namespace weft {

inline constexpr int kQ48Bits = 48;

/// log2(x) in Q48; error below 2^-48. x > 0, so the result lies in [0, 64].
[[nodiscard]] std::uint64_t log2_q48(std::uint64_t x);

/// ln(x) in Q48; error below 2^-47. x > 0, so the result lies in [0, 44.4].
[[nodiscard]] std::uint64_t ln_q48(std::uint64_t x);

/// 2^-x for x in Q48, as a fraction in units of 2^-63 (2^63 means 1); error below 2^-59. Any x; 0 from x = 64 on.
[[nodiscard]] std::uint64_t exp2_minus_q63(std::uint64_t x_q48);

}  // namespace weft
