// Extension headers of requests: RETH, AtomicETH, FETH, ImmDt, IETH.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// RDMA extended transport header: the remote memory of a READ or WRITE.
//= ibta-1.7 9.3.3
struct RethHeader {
  static constexpr std::size_t kSize = 16;

  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t dma_length = 0;

  [[nodiscard]] static Result<RethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const RethHeader&, const RethHeader&) = default;
};

/// Atomic extended transport header.
//= ibta-1.7 9.3.4
struct AtomicEthHeader {
  static constexpr std::size_t kSize = 28;

  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;

  [[nodiscard]] static Result<AtomicEthHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const AtomicEthHeader&, const AtomicEthHeader&) = default;
};

/// Flush extended transport header: how far data must have got, and which data.
//= ibta-1.7 A19
struct FethHeader {
  static constexpr std::size_t kSize = 4;

  std::uint32_t reserved = 0;       // 26 bits, ignored by receivers
  std::uint8_t selectivity = 0;     // 2 bits
  std::uint8_t placement_type = 0;  // 4 bits

  /// The header as the 32-bit number that it is on the wire.
  [[nodiscard]] static FethHeader of(std::uint32_t word);
  [[nodiscard]] std::uint32_t word() const;

  [[nodiscard]] static Result<FethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const FethHeader&, const FethHeader&) = default;
};

/// Immediate data: four bytes handed to the receiver's completion, here as a big-endian number.
//= ibta-1.7 9.3
struct ImmDtHeader {
  static constexpr std::size_t kSize = 4;

  std::uint32_t data = 0;

  [[nodiscard]] static Result<ImmDtHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const ImmDtHeader&, const ImmDtHeader&) = default;
};

/// Invalidate extended transport header: the R_Key that the receiver invalidates.
//= ibta-1.7 9.3
struct IethHeader {
  static constexpr std::size_t kSize = 4;

  std::uint32_t remote_key = 0;

  [[nodiscard]] static Result<IethHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const IethHeader&, const IethHeader&) = default;
};

}  // namespace weft::wire
