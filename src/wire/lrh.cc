#include "wire/lrh.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<LrhHeader> LrhHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("LRH", {.needed = kSize, .found = bytes.size()});
  }
  const auto lane = load_u8(bytes, 0);
  if ((lane & 0x0FU) != 0) {
    return fail("LRH has link version {}, must be 0", lane & 0x0FU);
  }
  const auto level = load_u8(bytes, 1);
  const auto length = load_be16(bytes, 4);
  LrhHeader header;
  header.virtual_lane = static_cast<std::uint8_t>(lane >> 4);
  header.service_level = static_cast<std::uint8_t>(level >> 4);
  header.reserved_high = static_cast<std::uint8_t>((level >> 2) & 3U);
  header.next_header = static_cast<LinkNextHeader>(level & 3U);
  header.destination_lid = load_be16(bytes, 2);
  header.reserved_length = static_cast<std::uint8_t>(length >> 11);
  header.packet_length = length & 0x7FFU;
  header.source_lid = load_be16(bytes, 6);
  return header;
}

void LrhHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, static_cast<std::uint8_t>(shifted<4>(virtual_lane)));
  store_u8(out, 1,
           static_cast<std::uint8_t>(shifted<4>(service_level) | ((reserved_high & 3U) << 2) |
                                     static_cast<std::uint8_t>(next_header)));
  store_be16(out, 2, destination_lid);
  store_be16(out, 4, static_cast<std::uint16_t>(shifted<11>(reserved_length) | (packet_length & 0x7FFU)));
  store_be16(out, 6, source_lid);
}

}  // namespace weft::wire
