#include "wire/ipv6.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"
#include "wire/version6_word.h"

namespace weft::wire {

Result<Ipv6Header> Ipv6Header::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("IPv6 header", {.needed = kSize, .found = bytes.size()});
  }
  const auto word = Version6Word::of(load_be32(bytes, 0));
  if (word.version != 6) {
    return fail("IPv6 header has version {}, must be 6", word.version);
  }
  Ipv6Header header;
  header.dscp = static_cast<std::uint8_t>(word.traffic_class >> 2);
  header.ecn = static_cast<Ecn>(word.traffic_class & 3U);
  header.flow_label = word.flow_label;
  header.payload_length = load_be16(bytes, 4);
  header.next_header = load_u8(bytes, 6);
  header.hop_limit = load_u8(bytes, 7);
  header.source = load_address(bytes, 8);
  header.destination = load_address(bytes, 24);
  return header;
}

void Ipv6Header::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  const auto traffic_class = static_cast<std::uint8_t>((dscp << 2) | static_cast<std::uint8_t>(ecn));
  store_be32(out, 0, Version6Word{.traffic_class = traffic_class, .flow_label = flow_label}.value());
  store_be16(out, 4, payload_length);
  store_u8(out, 6, next_header);
  store_u8(out, 7, hop_limit);
  store_address(out, 8, source);
  store_address(out, 24, destination);
}

}  // namespace weft::wire
