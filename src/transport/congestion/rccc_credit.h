// Credit of Ultra Ethernet's receiver-driven congestion control, as packets carry it: a running total in quanta of 256
// bytes, modulo 2^24. Targets (of senders) and grants (of receivers) are positions on the same scale.
#pragma once

#include <cstdint>

#include "base/data_size.h"

namespace weft::transport {

class CreditTotal {
 public:
  static constexpr Bytes kQuantum = Bytes(256);
  static constexpr std::uint32_t kMask = (1U << 24) - 1;

  constexpr CreditTotal() = default;
  /// Takes the low 24 bits.
  explicit constexpr CreditTotal(std::uint32_t quanta) : quanta_(quanta & kMask) {}
  [[nodiscard]] constexpr std::uint32_t value() const { return quanta_; }

  friend constexpr bool operator==(CreditTotal, CreditTotal) = default;
  /// Signed distance in quanta from b to a, in [-2^23, 2^23 - 1].
  friend constexpr std::int32_t operator-(CreditTotal a, CreditTotal b) {
    return static_cast<std::int32_t>((a.quanta_ - b.quanta_) << 8) >> 8;
  }
  friend constexpr CreditTotal operator+(CreditTotal a, std::int64_t quanta) {
    return CreditTotal(static_cast<std::uint32_t>(a.quanta_ + static_cast<std::uint64_t>(quanta)));
  }

 private:
  std::uint32_t quanta_ = 0;
};

}  // namespace weft::transport
