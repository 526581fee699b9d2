// UDP header. A checksum of 0 means that the sender computed none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire {

/// Destination port of RoCEv2.
//= ibta-1.7 A17
inline constexpr std::uint16_t kRoceV2Port = 4791;

/// Destination ports that stand for RoCEv2 besides 4791, where a sender uses others.
using FurtherRocePorts = std::span<const std::uint16_t>;

//= rfc768
struct UdpHeader {
  static constexpr std::size_t kSize = 8;

  std::uint16_t source_port = 0;
  std::uint16_t destination_port = kRoceV2Port;
  std::uint16_t length = 0;  // header and payload, at least 8
  std::uint16_t checksum = 0;

  [[nodiscard]] static Result<UdpHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const UdpHeader&, const UdpHeader&) = default;
};

}  // namespace weft::wire
