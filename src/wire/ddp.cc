#include "wire/ddp.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<DdpHeader> DdpHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return too_short("DDP header", {.needed = kTaggedSize, .found = 0});
  }
  const std::uint8_t control = load_u8(bytes, 0);
  DdpHeader header;
  header.tagged = (control & 0x80U) != 0;
  header.last = (control & 0x40U) != 0;
  header.reserved = (control >> 2) & 0x0FU;
  header.version = control & 3U;
  if (bytes.size() < header.size()) {
    return too_short(header.tagged ? "tagged DDP header" : "untagged DDP header",
                     {.needed = header.size(), .found = bytes.size()});
  }
  header.upper_control = load_u8(bytes, 1);
  if (header.tagged) {
    header.stag = load_be32(bytes, 2);
    header.tagged_offset = load_be64(bytes, 6);
  } else {
    header.upper_word = load_be32(bytes, 2);
    header.queue = load_be32(bytes, 6);
    header.message_number = load_be32(bytes, 10);
    header.message_offset = load_be32(bytes, 14);
  }
  return header;
}

void DdpHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  store_u8(out, 0,
           static_cast<std::uint8_t>((tagged ? 0x80U : 0U) | (last ? 0x40U : 0U) | (reserved & 0x0FU) << 2 |
                                     (version & 3U)));
  store_u8(out, 1, upper_control);
  if (tagged) {
    store_be32(out, 2, stag);
    store_be64(out, 6, tagged_offset);
  } else {
    store_be32(out, 2, upper_word);
    store_be32(out, 6, queue);
    store_be32(out, 10, message_number);
    store_be32(out, 14, message_offset);
  }
}

}  // namespace weft::wire
