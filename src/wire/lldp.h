// Link layer discovery: what a port says of its device and of itself to the other end of its cable.
//
// The three mandatory fields with names that the operator gave (subtype 7 of chassis and port), and the system's name.
// Other fields are skipped when read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace weft::wire {

//= ieee-802.1AB 9
struct LldpUnit {
  static constexpr std::uint16_t kEtherType = 0x88CC;
  static constexpr std::size_t kMaxName = 255;

  std::string chassis;               // 1 to 255 bytes
  std::string port;                  // 1 to 255 bytes
  std::uint16_t time_to_live = 120;  // seconds; 0: forget me
  std::string system_name{};         // empty: not said

  /// `bytes` begin behind the EtherType; what follows the end field is ignored. Errors: fields missing, out of order,
  /// too short or beyond the end, other kinds of identity.
  [[nodiscard]] static Result<LldpUnit> parse(std::span<const std::byte> bytes);
  /// Appends.
  void emit(std::vector<std::byte>& out) const;

  friend bool operator==(const LldpUnit&, const LldpUnit&) = default;
};

}  // namespace weft::wire
