// Extension headers of responses: AETH, AtomicAckETH, and the bitmap of weft's selective acknowledgement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/psn.h"
#include "base/result.h"
#include "wire/packet.h"

namespace weft::wire {

/// Acknowledgement extended transport header; the syndrome is read with wire/aeth_syndrome.h.
//= ibta-1.7 9.3.5
struct AethHeader {
  static constexpr std::size_t kSize = 4;

  std::uint8_t syndrome = 0;
  Psn msn{};  // message sequence number

  [[nodiscard]] static Result<AethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const AethHeader&, const AethHeader&) = default;
};

/// Atomic acknowledgement: what the remote location held before.
//= ibta-1.7 9.3.5
struct AtomicAckEthHeader {
  static constexpr std::size_t kSize = 8;

  std::uint64_t original_data = 0;

  [[nodiscard]] static Result<AtomicAckEthHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const AtomicAckEthHeader&, const AtomicAckEthHeader&) = default;
};

/// What a selective acknowledgement tells: one byte of flags (bit 7: a request has arrived twice, bit 6: the
/// source port is that of a marked packet; the others are reserved, zero), the 24-bit PSN of bit 0, then word 0 and
/// word 1 of SackBitmap, each big-endian.
struct SackEthHeader {
  static constexpr std::size_t kSize = 20;

  SackBitmap bitmap{};
  std::uint8_t reserved = 0;  // 6 bits

  [[nodiscard]] static Result<SackEthHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SackEthHeader& a, const SackEthHeader& b) {
    return a.bitmap.words == b.bitmap.words && a.bitmap.base == b.bitmap.base &&
           a.bitmap.duplicate == b.bitmap.duplicate && a.bitmap.marked == b.bitmap.marked && a.reserved == b.reserved;
  }
};

}  // namespace weft::wire
