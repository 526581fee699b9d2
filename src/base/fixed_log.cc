#include "base/fixed_log.h"

#include <array>
#include <bit>
#include <cstddef>

#include "base/assert.h"
#include "base/int128.h"

namespace weft {
namespace {

// Both functions split their argument at its leading seven bits: a table gives those, a short series the rest. The
// tables are made by the compiler, from square roots and squarings alone.
constexpr int kTableBits = 7;
constexpr std::size_t kTableSize = std::size_t{1} << kTableBits;

constexpr std::uint64_t kOneQ63 = std::uint64_t{1} << 63;
constexpr std::int64_t kOneQ62 = std::int64_t{1} << 62;
/// ln 2 in Q63 and log2(e) in Q62, rounded to nearest.
constexpr std::uint64_t kLn2Q63 = 0x58b90bfbe8e7bcd6;
constexpr std::int64_t kLog2EQ62 = 0x5c551d94ae0bf85e;

constexpr std::uint64_t multiply_q63(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<Uint128>(a) * b + (kOneQ63 >> 1)) >> 63);
}

constexpr std::int64_t multiply_q62(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>((static_cast<Int128>(a) * b + (kOneQ62 >> 1)) >> 62);
}

// log2 of m / 2^63 in [1, 2), one binary digit per squaring: slow and simple.
constexpr std::uint64_t log2_by_squaring_q62(std::uint64_t m) {
  std::uint64_t result = 0;
  for (int bit = 61; bit >= 0; --bit) {
    const Uint128 square = static_cast<Uint128>(m) * m;
    const bool carry = (square >> 127) != 0;
    m = static_cast<std::uint64_t>(square >> (carry ? 64 : 63));
    result |= static_cast<std::uint64_t>(carry) << bit;
  }
  return result;
}

constexpr std::uint64_t square_root(Uint128 square) {
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t candidate = root | std::uint64_t{1} << bit;
    if (static_cast<Uint128>(candidate) * candidate <= square) {
      root = candidate;
    }
  }
  return root;
}

struct LogEntry {
  // About 1 / (1 + (i + 1/2) / 128) in units of 2^-16, so that times the mantissa it is near 1 ...
  std::uint64_t reciprocal = 0;
  // ... and log2 of 1 / reciprocal, which undoes that, in Q62.
  std::int64_t log2_q62 = 0;
};

constexpr std::array<LogEntry, kTableSize> make_log_table() {
  std::array<LogEntry, kTableSize> table{};
  for (std::size_t i = 0; i < kTableSize; ++i) {
    const std::uint64_t middle = 2 * (kTableSize + i) + 1;
    const std::uint64_t reciprocal = ((std::uint64_t{1} << 16) * 2 * kTableSize + middle / 2) / middle;
    const int shift = std::countl_zero(reciprocal);
    const auto log2_of_reciprocal = log2_by_squaring_q62(reciprocal << shift);
    const std::int64_t exponent = 63 - shift - 16;  // reciprocal = 2^exponent * mantissa, below 1
    table[i] = {.reciprocal = reciprocal,
                .log2_q62 = -exponent * kOneQ62 - static_cast<std::int64_t>(log2_of_reciprocal)};
  }
  return table;
}

// 2^(-i / 128) in Q63, as products of the repeated square roots of 1/2.
constexpr std::array<std::uint64_t, kTableSize> make_exp2_table() {
  std::array<std::uint64_t, kTableSize> table{};
  table[0] = kOneQ63;
  std::uint64_t root = kOneQ63 >> 1;
  for (std::size_t step = kTableSize / 2; step >= 1; step /= 2) {
    root = square_root(static_cast<Uint128>(root) << 63);
    for (std::size_t i = 0; i < kTableSize; i += 2 * step) {
      table[i + step] = multiply_q63(table[i], root);
    }
  }
  return table;
}

constexpr auto kLogTable = make_log_table();
constexpr auto kExp2Table = make_exp2_table();

// ln(1 + t) for |t| < 2^-7 in Q62: eight terms; the first one left out, t^9 / 9, is below 2^-66.
constexpr std::int64_t ln_near_one_q62(std::int64_t t) {
  std::int64_t sum = 0;
  for (int n = 8; n >= 1; --n) {
    const std::int64_t coefficient = (n % 2 == 0 ? -kOneQ62 : kOneQ62) / n;
    sum = multiply_q62(coefficient + sum, t);
  }
  return sum;
}

}  // namespace

std::uint64_t log2_q48(std::uint64_t x) {
  WEFT_DCHECK(x > 0);
  const int shift = std::countl_zero(x);
  const std::uint64_t mantissa = x << shift;  // Q63, in [1, 2)
  const LogEntry& entry = kLogTable[(mantissa >> (63 - kTableBits)) & (kTableSize - 1)];
  const Uint128 near_one_q79 = static_cast<Uint128>(mantissa) * entry.reciprocal;
  const auto t = static_cast<std::int64_t>(near_one_q79 >> 17) - kOneQ62;
  const std::int64_t fraction_q62 = entry.log2_q62 + multiply_q62(ln_near_one_q62(t), kLog2EQ62);
  const auto whole = static_cast<std::int64_t>(63 - shift) << kQ48Bits;
  constexpr int kExtraBits = 62 - kQ48Bits;
  const std::int64_t rounded = (fraction_q62 + (std::int64_t{1} << (kExtraBits - 1))) >> kExtraBits;
  return static_cast<std::uint64_t>(whole + rounded);
}

std::uint64_t ln_q48(std::uint64_t x) { return multiply_q63(log2_q48(x), kLn2Q63); }

std::uint64_t exp2_minus_q63(std::uint64_t x_q48) {
  const std::uint64_t whole = x_q48 >> kQ48Bits;
  if (whole >= 64) {
    return 0;
  }
  constexpr int kRestBits = kQ48Bits - kTableBits;
  const std::size_t index = (x_q48 >> kRestBits) & (kTableSize - 1);
  const std::uint64_t rest_q63 = (x_q48 & ((std::uint64_t{1} << kRestBits) - 1)) << (63 - kQ48Bits);
  // e^-y for y = rest * ln 2 < 2^-7: the first term left out, y^8 / 8!, is below 2^-71.
  const std::uint64_t y = multiply_q63(rest_q63, kLn2Q63);
  std::uint64_t sum = kOneQ63;
  for (std::uint64_t n = 7; n >= 1; --n) {
    sum = kOneQ63 - multiply_q63(sum, y) / n;
  }
  const std::uint64_t fraction = multiply_q63(kExp2Table[index], sum);
  // Round the shifted value to nearest; a shift of 63 leaves the rounding bit alone.
  return whole == 0 ? fraction : ((fraction >> (whole - 1)) + 1) >> 1;
}

}  // namespace weft
