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
  load_version6_fields(header, bytes);
  return header;
}

void Ipv6Header::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  const auto traffic_class = static_cast<std::uint8_t>((dscp << 2) | static_cast<std::uint8_t>(ecn));
  store_version6_header(*this, traffic_class, out);
}

}  // namespace weft::wire
