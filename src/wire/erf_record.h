// The record header of the extensible record format (ERF), in which InfiniBand stands in capture files: Wireshark and
// the tools that capture on InfiniBand ports know it there, and have no reader for libpcap's own InfiniBand link type.
//
// Source: Endace's ERF types reference (header layout, types 21 and 25); link type 197 of libpcap's registry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

enum class ErfType : std::uint8_t {
  kInfiniBand = 21,      // LRH through VCRC
  kInfiniBandLink = 25,  // a flow control packet
};

struct ErfHeader {
  static constexpr std::size_t kSize = 16;

  std::uint64_t nanoseconds = 0;  // since the capture's epoch; the record holds units of 2^-32 s, rounded up
  std::uint8_t type = 0;          // 7 bits; ErfType, or one that weft does not read
  std::uint8_t flags = 0x04;      // records of varying length
  std::uint16_t record_length = 0;
  std::uint16_t loss_count = 0;
  std::uint16_t wire_length = 0;    // of the packet, without this header and the record's padding
  std::size_t extensions_size = 0;  // bytes of extension headers between this one and the packet; not emitted

  /// Follows the chain of extension headers to its end, which must lie inside `bytes`.
  [[nodiscard]] static Result<ErfHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;
};

}  // namespace weft::wire
