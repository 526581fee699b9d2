// Extension headers that say where in the destination a packet goes: DETH, RDETH, XRCETH.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// Datagram extended transport header (UD and RD).
//= ibta-1.7 9.3
struct DethHeader {
  static constexpr std::size_t kSize = 8;
  /// Q_Key of the general services interface, QP1.
  static constexpr std::uint32_t kGsiQueueKey = 0x80010000;

  std::uint32_t queue_key = 0;
  std::uint8_t reserved = 0;
  std::uint32_t source_qp = 0;  // 24 bits

  [[nodiscard]] static Result<DethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const DethHeader&, const DethHeader&) = default;
};

/// Reliable datagram extended transport header.
//= ibta-1.7 9.3
struct RdethHeader {
  static constexpr std::size_t kSize = 4;

  std::uint8_t reserved = 0;
  std::uint32_t ee_context = 0;  // 24 bits

  [[nodiscard]] static Result<RdethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const RdethHeader&, const RdethHeader&) = default;
};

/// Extended reliable connection header: which shared receive queue takes the request.
//= ibta-1.7 A14
struct XrcethHeader {
  static constexpr std::size_t kSize = 4;

  std::uint8_t reserved = 0;
  std::uint32_t receive_queue = 0;  // 24 bits

  [[nodiscard]] static Result<XrcethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const XrcethHeader&, const XrcethHeader&) = default;
};

}  // namespace weft::wire
