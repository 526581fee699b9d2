#include "wire/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace weft::wire {

std::uint32_t detail::crc32_portable(std::uint32_t crc, std::span<const std::byte> bytes) {
  if (bytes.empty())  // zlib takes a null pointer for a request to start over
    return crc;
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

namespace {

/// Shorter pieces cost more to fold than they save.
constexpr std::size_t kWorthwhile = 64;

// x^n modulo the polynomial, bit-reflected, for moving 128 bits forward by 512 and by 128 bits.
constexpr long long kFold512Low = 0x154442BD4;
constexpr long long kFold512High = 0x1C6E41596;
constexpr long long kFold128Low = 0x1751997D0;
constexpr long long kFold128High = 0x0CCAA009E;
constexpr long long kFold64 = 0x163CD6124;
// The polynomial itself, and the quotient of x^64 by it.
constexpr long long kPolynomial = 0x1DB710641;
constexpr long long kQuotient = 0x1F7011641;

__attribute__((target("pclmul,sse4.1"))) __m128i fold(__m128i state, __m128i constants, __m128i next) {
  const __m128i low = _mm_clmulepi64_si128(state, constants, 0x00);
  const __m128i high = _mm_clmulepi64_si128(state, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__m128i load(const std::byte* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

/// The remainder of 128 bits: folded to 64, then Barrett's reduction to 32.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t reduce(__m128i state) {
  const __m128i low_halves = _mm_setr_epi32(-1, 0, -1, 0);
  const __m128i by_128 = _mm_set_epi64x(kFold128High, kFold128Low);
  const __m128i by_64 = _mm_set_epi64x(0, kFold64);
  const __m128i barrett = _mm_set_epi64x(kQuotient, kPolynomial);
  state = _mm_xor_si128(_mm_srli_si128(state, 8), _mm_clmulepi64_si128(state, by_128, 0x10));
  state = _mm_xor_si128(_mm_srli_si128(state, 4), _mm_clmulepi64_si128(_mm_and_si128(state, low_halves), by_64, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(state, low_halves), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_halves), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(state, quotient), 1));
}

/// `bytes` has at least 64. What is left over of a multiple of 16 is zlib's.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc32_folded(std::uint32_t crc,
                                                                    std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(~crc)));
  __m128i b = load(at + 16);
  __m128i c = load(at + 32);
  __m128i d = load(at + 48);
  const __m128i by_512 = _mm_set_epi64x(kFold512High, kFold512Low);
  for (at += 64, left -= 64; left >= 64; at += 64, left -= 64) {
    a = fold(a, by_512, load(at));
    b = fold(b, by_512, load(at + 16));
    c = fold(c, by_512, load(at + 32));
    d = fold(d, by_512, load(at + 48));
  }
  const __m128i by_128 = _mm_set_epi64x(kFold128High, kFold128Low);
  a = fold(fold(fold(a, by_128, b), by_128, c), by_128, d);
  for (; left >= 16; at += 16, left -= 16)
    a = fold(a, by_128, load(at));
  return detail::crc32_portable(~reduce(a), {at, left});
}

}  // namespace

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) {
  static const bool can_fold = __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.1") != 0;
  return can_fold && bytes.size() >= kWorthwhile ? crc32_folded(crc, bytes) : detail::crc32_portable(crc, bytes);
}

#else

std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes) { return detail::crc32_portable(crc, bytes); }

#endif

}  // namespace weft::wire
