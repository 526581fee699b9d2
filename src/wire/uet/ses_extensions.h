// What stands behind the SES header of some requests: synchronization, atomics with one operand or two, rendezvous.
//
// The opcode says which, as in the reference provider: sync write, sync; sync atomic, sync and atomic; atomics, atomic
// (and the operands, if the operation has two); rendezvous sends, rendezvous.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "wire/uet/ses_codes.h"

namespace weft::wire::uet {

//= uet-1.0 3.4
struct SesAtomic {
  static constexpr std::size_t kSize = 4;

  AtomicOperation operation = AtomicOperation::kSum;
  AtomicType type = AtomicType::kUint64;
  std::uint8_t control = 0;   // bit 0 cacheable, bit 1 CPU coherent (xdp2 counts the bits from the other end)
  std::uint8_t reserved = 0;  // ignored by receivers

  [[nodiscard]] static Result<SesAtomic> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesAtomic&, const SesAtomic&) = default;
};

/// Operands of 16 bytes each; a shorter type is in the last bytes (a reading of the reference provider's two halves,
/// the high one first).
//= uet-1.0 3.4
struct SesCompareSwap {
  static constexpr std::size_t kSize = 32;
  using Value = std::array<std::byte, 16>;

  Value compare{};
  Value swap{};

  [[nodiscard]] static Result<SesCompareSwap> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesCompareSwap&, const SesCompareSwap&) = default;
};

/// Only the reference provider has it.
//= uet-1.0 3.4
struct SesSync {
  static constexpr std::size_t kSize = 4;

  std::uint16_t group = 0;
  std::uint16_t count = 0;

  [[nodiscard]] static Result<SesSync> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesSync&, const SesSync&) = default;
};

/// Where the target reads what the request did not bring. As in the reference provider and xdp2; Wireshark's dissector
/// has two 16-bit words in place of the generation and the two 12-bit fields.
//= uet-1.0 3.4
struct SesRendezvous {
  static constexpr std::size_t kSize = 24;

  std::uint32_t eager_length = 0;
  std::uint8_t index_generation = 0;
  std::uint16_t pid_on_fep = 0;      // 12 bits
  std::uint16_t resource_index = 0;  // 12 bits
  std::uint64_t read_offset = 0;
  std::uint64_t read_memory_key = 0;

  [[nodiscard]] static Result<SesRendezvous> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesRendezvous&, const SesRendezvous&) = default;
};

/// In wire order.
struct SesExtensions {
  std::optional<SesSync> sync{};
  std::optional<SesAtomic> atomic{};
  std::optional<SesCompareSwap> compare_swap{};  // if and only if the atomic's operation has two operands
  std::optional<SesRendezvous> rendezvous{};

  [[nodiscard]] std::size_t size() const;
  /// What `opcode` says; `bytes` begin behind the request's header.
  [[nodiscard]] static Result<SesExtensions> parse(SesOpcode opcode, std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const SesExtensions&, const SesExtensions&) = default;
};

}  // namespace weft::wire::uet
