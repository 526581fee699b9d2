// PDS headers without a delivery context: requests and responses of RUDI (reliable, unordered, idempotent), and UUD
// requests (unreliable datagrams).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/pds_prologue.h"

namespace weft::wire::uet {

//= uet-1.0 3.5.10
struct PdsRudi {
  static constexpr std::size_t kSize = 8;
  static constexpr std::uint8_t kReservedFlags = 0x4F;

  PdsType type = PdsType::kRudiRequest;  // or kRudiResponse
  NextHeader next_header = NextHeader::kRequestStandard;
  bool marked = false;  // a response: its request had an ECN mark
  bool retransmitted = false;
  std::uint8_t reserved = 0;        // in place, mask kReservedFlags; ignored by receivers
  std::uint16_t reserved_word = 0;  // ignored by receivers
  std::uint32_t packet_id = 0;      // a response has its request's

  [[nodiscard]] static constexpr std::size_t size() { return kSize; }
  [[nodiscard]] static Result<PdsRudi> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsRudi&, const PdsRudi&) = default;
};

//= uet-1.0 3.5.10
struct PdsUud {
  static constexpr std::size_t kSize = 4;

  NextHeader next_header = NextHeader::kRequestStandard;
  std::uint8_t reserved = 0;        // 7 bits, ignored by receivers
  std::uint16_t reserved_word = 0;  // ignored by receivers

  [[nodiscard]] static constexpr std::size_t size() { return kSize; }
  [[nodiscard]] static Result<PdsUud> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsUud&, const PdsUud&) = default;
};

}  // namespace weft::wire::uet
