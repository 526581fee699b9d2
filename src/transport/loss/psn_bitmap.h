// One bit for each PSN of a sliding window: a ring of 64-bit words, indexed by the low bits of the PSN.
//
// The owner clears what the window has passed; a PSN outside the window aliases one inside it. Ranges are at most the
// window long. The window is a power of two from 64 to 65,536, so that it divides the 2^24 PSNs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/psn.h"

namespace weft::transport {

class PsnBitmap {
 public:
  /// The smallest allowed window that is not below `packets`.
  [[nodiscard]] static constexpr std::uint32_t window_for(std::uint32_t packets) {
    return packets <= 64 ? 64 : std::bit_ceil(packets);
  }

  explicit PsnBitmap(std::uint32_t window) : words_(window / 64), mask_(window - 1) {
    WEFT_ASSERT(window >= 64 && window <= 65'536 && std::has_single_bit(window));
  }

  [[nodiscard]] std::uint32_t window() const { return mask_ + 1; }
  [[nodiscard]] bool test(Psn psn) const { return ((words_[word(psn)] >> bit(psn)) & 1U) != 0; }
  void set(Psn psn) { words_[word(psn)] |= std::uint64_t{1} << bit(psn); }
  void reset(Psn psn) { words_[word(psn)] &= ~(std::uint64_t{1} << bit(psn)); }

  /// Bit i stands for `from` + i.
  [[nodiscard]] std::uint64_t bits_from(Psn from) const {
    const unsigned shift = bit(from);
    const std::uint64_t low = words_[word(from)] >> shift;
    return shift == 0 ? low : low | words_[word(from + 64)] << (64 - shift);
  }
  void set_bits_from(Psn from, std::uint64_t bits) {
    const unsigned shift = bit(from);
    words_[word(from)] |= bits << shift;
    if (shift != 0) {
      words_[word(from + 64)] |= bits >> (64 - shift);
    }
  }
  void reset_bits_from(Psn from, std::uint64_t bits) {
    const unsigned shift = bit(from);
    words_[word(from)] &= ~(bits << shift);
    if (shift != 0) {
      words_[word(from + 64)] &= ~(bits >> (64 - shift));
    }
  }

  /// How many bits are set in a row from `from` on, at most `limit`.
  [[nodiscard]] std::uint32_t run_from(Psn from, std::uint32_t limit) const;
  /// Clears `count` bits from `from` on; returns how many were set.
  std::uint32_t reset_range(Psn from, std::uint32_t count);
  void clear();

  [[nodiscard]] std::size_t heap_bytes() const { return words_.capacity() * sizeof(std::uint64_t); }

 private:
  [[nodiscard]] std::size_t word(Psn psn) const { return (psn.value() & mask_) / 64; }
  [[nodiscard]] static unsigned bit(Psn psn) { return psn.value() % 64; }

  std::vector<std::uint64_t> words_;
  std::uint32_t mask_;
};

/// The lowest `count` bits, 0 to 64 of them.
[[nodiscard]] constexpr std::uint64_t low_bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace weft::transport
