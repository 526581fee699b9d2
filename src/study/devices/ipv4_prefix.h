// IPv4 addresses of interfaces and neighbours as configurations have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::study::devices {

/// "10.0.0.128/31"; a neighbour has all 32 bits.
struct Ipv4Prefix {
  std::uint32_t address = 0;
  unsigned bits = 32;
  [[nodiscard]] std::uint32_t network(unsigned length) const {
    return length == 0 ? 0 : address & (~std::uint32_t{0} << (32U - length));
  }
  [[nodiscard]] bool holds(const Ipv4Prefix& other) const { return network(bits) == other.network(bits); }
};

/// None: of another family, or no address.
[[nodiscard]] std::optional<Ipv4Prefix> ipv4_prefix(std::string_view text);

}  // namespace weft::study::devices
