// The header of the transport security sublayer (TSS): between UDP or the entropy header and PDS, whose headers and
// payload it encrypts. At the packet's end stands an integrity check value in place of the CRC.
//
// As in UEC's reference provider; Wireshark's dissector shows an older form of 18 bytes. Encryption itself is in
// src/security/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire::uet {

//= uet-1.0 3.7
struct TssHeader {
  static constexpr std::size_t kSize = 12;
  static constexpr std::size_t kSourceSize = 16;  // with a source identifier

  bool has_source = false;   // `source` is carried
  bool reserved = false;     // ignored by receivers
  bool association = false;  // which of the domain's two keys
  std::uint32_t domain = 0;  // SDI, 24 bits: the secure domain
  std::uint32_t source = 0;  // SSI; without it the sender's address stands for it
  std::uint16_t epoch = 0;
  std::uint64_t counter = 0;  // TSC, 48 bits: never twice under one key

  [[nodiscard]] constexpr std::size_t size() const { return has_source ? kSourceSize : kSize; }
  /// Epoch and counter as the 64 bits that they are on the wire and in the initialization vector.
  [[nodiscard]] constexpr std::uint64_t epoch_and_counter() const {
    return std::uint64_t{epoch} << 48 | (counter & 0xFFFF'FFFF'FFFF);
  }

  [[nodiscard]] static Result<TssHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const TssHeader&, const TssHeader&) = default;
};

/// Behind the encrypted bytes.
//= uet-1.0 3.7
inline constexpr std::size_t kTssIcvSize = 16;
using TssIcv = std::array<std::byte, kTssIcvSize>;

/// What TSS adds to a packet: its header and the difference between ICV and CRC.
[[nodiscard]] constexpr std::size_t tss_overhead(const TssHeader& header) { return header.size() + kTssIcvSize - 4; }

}  // namespace weft::wire::uet
