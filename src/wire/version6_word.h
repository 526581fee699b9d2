// What the headers of IPv6 and the GRH of InfiniBand share, which is all but the meaning of the traffic class.
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

/// Every field behind the first word, and the flow label in it. The caller has checked the length (40 bytes).
template <class Header>
constexpr void load_version6_fields(Header& header, std::span<const std::byte> bytes) {
  header.flow_label = Version6Word::of(load_be32(bytes, 0)).flow_label;
  header.payload_length = load_be16(bytes, 4);
  header.next_header = load_u8(bytes, 6);
  header.hop_limit = load_u8(bytes, 7);
  header.source = load_address(bytes, 8);
  header.destination = load_address(bytes, 24);
}

/// The whole header, 40 bytes.
template <class Header>
constexpr void store_version6_header(const Header& header, std::uint8_t traffic_class, std::span<std::byte> out) {
  store_be32(out, 0, Version6Word{.traffic_class = traffic_class, .flow_label = header.flow_label}.value());
  store_be16(out, 4, header.payload_length);
  store_u8(out, 6, header.next_header);
  store_u8(out, 7, header.hop_limit);
  store_address(out, 8, header.source);
  store_address(out, 24, header.destination);
}

}  // namespace weft::wire
