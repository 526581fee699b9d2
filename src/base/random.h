// Seeded random numbers: the same sequence on every platform, one independent stream per named actor.
//
// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021), its
// state filled by SplitMix64 (Steele, Lea and Flood, 2014). Not for cryptography.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/int128.h"
#include "base/probability.h"

namespace weft {

/// Walks the 64-bit numbers; spreads a seed over a larger state.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// xoshiro256**: 64 random bits per call, period 2^256 - 1.
class Xoshiro256 {
 public:
  struct State {
    std::uint64_t words[4];
  };

  /// At least one word is not zero.
  explicit constexpr Xoshiro256(State state) : s_(state) {
    WEFT_ASSERT((s_.words[0] | s_.words[1] | s_.words[2] | s_.words[3]) != 0);
  }

  constexpr std::uint64_t next() {
    auto& [s0, s1, s2, s3] = s_.words;
    const std::uint64_t result = std::rotl(s1 * 5, 7) * 9;
    const std::uint64_t t = s1 << 17;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= t;
    s3 = std::rotl(s3, 45);
    return result;
  }

 private:
  State s_;
};

/// A closed range of integers, low <= high.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The random stream f(seed, name) of one actor: nothing that another actor draws, and no actor added or renamed,
/// changes it. 32 bytes.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// 64 uniform random bits.
  std::uint64_t next() { return generator_.next(); }

  /// Uniform in [0, n), without bias (Lemire, "Fast random integer generation in an interval", 2019). n > 0.
  std::uint64_t uniform(std::uint64_t n) {
    WEFT_DCHECK(n > 0);
    auto product = static_cast<Uint128>(next()) * n;
    auto low = static_cast<std::uint64_t>(product);
    if (low < n) [[unlikely]] {
      // The first (2^64 mod n) products would make some results one part in 2^64 / n likelier.
      const std::uint64_t excess = -n % n;
      while (low < excess) {
        product = static_cast<Uint128>(next()) * n;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform in [low, high], both ends included; the whole int64 range is allowed.
  std::int64_t uniform_between(IntegerRange range);

  /// True with exactly the probability `p`; draws 64 bits whatever `p` is.
  bool bernoulli(Probability p) { return (next() >> 1) < p.raw(); }

  /// Puts `items` in a random order; every order is equally likely (Fisher-Yates).
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      using std::swap;
      swap(items[left - 1], items[static_cast<std::size_t>(uniform(left))]);
    }
  }

 private:
  Xoshiro256 generator_;
};

}  // namespace weft
