#include "wire/grh.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"
#include "wire/version6_word.h"

namespace weft::wire {

Result<GrhHeader> GrhHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("GRH", {.needed = kSize, .found = bytes.size()});
  }
  const auto word = Version6Word::of(load_be32(bytes, 0));
  if (word.version != 6) {
    return fail("GRH has IP version {}, must be 6", word.version);
  }
  GrhHeader header;
  header.traffic_class = word.traffic_class;
  header.flow_label = word.flow_label;
  header.payload_length = load_be16(bytes, 4);
  header.next_header = load_u8(bytes, 6);
  header.hop_limit = load_u8(bytes, 7);
  header.source = load_address(bytes, 8);
  header.destination = load_address(bytes, 24);
  return header;
}

void GrhHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, Version6Word{.traffic_class = traffic_class, .flow_label = flow_label}.value());
  store_be16(out, 4, payload_length);
  store_u8(out, 6, next_header);
  store_u8(out, 7, hop_limit);
  store_address(out, 8, source);
  store_address(out, 24, destination);
}

}  // namespace weft::wire
