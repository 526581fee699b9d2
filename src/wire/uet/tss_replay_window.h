// Which counters of a TSS sender have been seen: a packet that comes a second time, or too late to know, is refused.
//
// One window per sender and key; begin a new one when the association changes. Counters may come in any order within
// the window. Call `accept` only for a packet whose ICV is right, or anyone could move the window.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::wire::uet {

//= rfc4303 3.4.3
class TssReplayWindow {
 public:
  /// Counters this far below the largest one seen are known; wide enough for packets sprayed over many paths.
  static constexpr std::uint64_t kWindow = 1024;

  /// 48-bit counters.
  [[nodiscard]] bool is_new(std::uint64_t counter) const;
  /// As is_new, and marks the counter as seen.
  bool accept(std::uint64_t counter);

 private:
  static constexpr std::uint64_t kWordBits = 64;
  static constexpr std::uint64_t kWords = kWindow / kWordBits;

  void advance(std::uint64_t counter);
  [[nodiscard]] bool seen(std::uint64_t counter) const;

  std::uint64_t next_ = 0;  // the largest counter seen, plus one
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace weft::wire::uet
