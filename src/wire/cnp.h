// Congestion notification packet: what follows the BTH of opcode 0x81 (RoCEv2) and 0x80 (InfiniBand).
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// Sixteen reserved bytes: sent as zero, ignored by receivers.
//= ibta-1.7 A17.9.3
struct CnpHeader {
  static constexpr std::size_t kSize = 16;

  std::array<std::byte, kSize> reserved{};

  [[nodiscard]] static Result<CnpHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CnpHeader&, const CnpHeader&) = default;
};

}  // namespace weft::wire
