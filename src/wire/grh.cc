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
  load_version6_fields(header, bytes);
  return header;
}

void GrhHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_version6_header(*this, traffic_class, out);
}

}  // namespace weft::wire
