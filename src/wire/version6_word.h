// What the headers of IPv6 and the GRH of InfiniBand share: the first word, and the addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/address.h"
#include "wire/byte_order.h"

namespace weft::wire {

/// Version, traffic class and flow label.
struct Version6Word {
  std::uint8_t version = 6;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;  // 20 bits

  [[nodiscard]] static constexpr Version6Word of(std::uint32_t value) {
    return {.version = static_cast<std::uint8_t>(value >> 28),
            .traffic_class = static_cast<std::uint8_t>((value >> 20) & 0xFFU),
            .flow_label = value & 0xFFFFFU};
  }
  [[nodiscard]] constexpr std::uint32_t value() const {
    return (static_cast<std::uint32_t>(version) << 28) | (static_cast<std::uint32_t>(traffic_class) << 20) |
           (flow_label & 0xFFFFFU);
  }
};

constexpr Ipv6Address load_address(std::span<const std::byte> bytes, std::size_t offset) {
  Ipv6Address address;
  for (std::size_t i = 0; i < address.octets.size(); ++i) {
    address.octets[i] = load_u8(bytes, offset + i);
  }
  return address;
}

constexpr void store_address(std::span<std::byte> bytes, std::size_t offset, const Ipv6Address& address) {
  for (std::size_t i = 0; i < address.octets.size(); ++i) {
    store_u8(bytes, offset + i, address.octets[i]);
  }
}

}  // namespace weft::wire
