#include "study/devices/ipv4_prefix.h"

#include <charconv>

namespace weft::study::devices {

std::optional<Ipv4Prefix> ipv4_prefix(std::string_view text) {
  Ipv4Prefix made;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto number = [&](unsigned most) -> std::optional<unsigned> {
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    at = rest;
    return error == std::errc() && value <= most ? std::optional<unsigned>(value) : std::nullopt;
  };
  for (int i = 0; i < 4; ++i) {
    if (i > 0 && (at == end || *at++ != '.')) {
      return std::nullopt;
    }
    const auto octet = number(255);
    if (!octet) {
      return std::nullopt;
    }
    made.address = (made.address << 8U) | *octet;
  }
  if (at != end && *at == '/') {
    ++at;
    const auto bits = number(32);
    if (!bits) {
      return std::nullopt;
    }
    made.bits = *bits;
  }
  return at == end ? std::optional<Ipv4Prefix>(made) : std::nullopt;
}

}  // namespace weft::study::devices
