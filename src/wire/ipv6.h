// IPv6 header. Extension headers are not followed: `next_header` names the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/address.h"
#include "wire/ipv4.h"
#include "wire/packet.h"

namespace weft::wire {

//= rfc8200 3
struct Ipv6Header {
  static constexpr std::size_t kSize = 40;

  std::uint8_t dscp = 0;  // 6 bits
  Ecn ecn = Ecn::kNotEct;
  std::uint32_t flow_label = 0;      // 20 bits
  std::uint16_t payload_length = 0;  // all that follows this header
  std::uint8_t next_header = kIpProtocolUdp;
  std::uint8_t hop_limit = 64;
  Ipv6Address source{};
  Ipv6Address destination{};

  [[nodiscard]] static Result<Ipv6Header> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const Ipv6Header&, const Ipv6Header&) = default;
};

}  // namespace weft::wire
