// Global route header: routes between InfiniBand subnets, and stands behind the EtherType in RoCEv1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/address.h"

namespace weft::wire {

//= ibta-1.7 8.3
struct GrhHeader {
  static constexpr std::size_t kSize = 40;
  /// Next header: a base transport header.
  static constexpr std::uint8_t kNextHeaderIba = 0x1B;

  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;      // 20 bits
  std::uint16_t payload_length = 0;  // from behind this header to the ICRC, included
  std::uint8_t next_header = kNextHeaderIba;
  std::uint8_t hop_limit = 64;
  Gid source{};
  Gid destination{};

  /// The IP version must be 6; any next header is accepted.
  [[nodiscard]] static Result<GrhHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const GrhHeader&, const GrhHeader&) = default;
};

}  // namespace weft::wire
