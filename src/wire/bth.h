// Base transport header: in every RDMA packet of InfiniBand and RoCE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/psn.h"
#include "base/result.h"

namespace weft::wire {

//= ibta-1.7 9.2
struct BthHeader {
  static constexpr std::size_t kSize = 12;

  std::uint8_t opcode = 0;  // wire/opcode.h
  bool solicited = false;
  bool migrated = false;
  std::uint8_t pad_count = 0;  // 0 to 3 bytes between payload and ICRC
  std::uint16_t partition_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  std::uint8_t reserved_variant = 0;  // 6 bits beside FECN and BECN: not covered by the ICRC, ignored by receivers
  std::uint32_t destination_qp = 0;   // 24 bits
  bool ack_request = false;
  std::uint8_t reserved = 0;  // 7 bits, ignored by receivers
  Psn psn{};

  /// The transport version must be 0; any opcode is accepted.
  [[nodiscard]] static Result<BthHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const BthHeader&, const BthHeader&) = default;
};

}  // namespace weft::wire
