#include "wire/bth.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<BthHeader> BthHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("BTH", {.needed = kSize, .found = bytes.size()});
  }
  const auto flags = load_u8(bytes, 1);
  if ((flags & 0x0FU) != 0) {
    return fail("BTH has transport version {}, must be 0", flags & 0x0FU);
  }
  const auto variant = load_u8(bytes, 4);
  const auto acknowledge = load_u8(bytes, 8);
  BthHeader header;
  header.opcode = load_u8(bytes, 0);
  header.solicited = (flags & 0x80U) != 0;
  header.migrated = (flags & 0x40U) != 0;
  header.pad_count = static_cast<std::uint8_t>((flags >> 4) & 3U);
  header.partition_key = load_be16(bytes, 2);
  header.fecn = (variant & 0x80U) != 0;
  header.becn = (variant & 0x40U) != 0;
  header.reserved_variant = variant & 0x3FU;
  header.destination_qp = load_be24(bytes, 5);
  header.ack_request = (acknowledge & 0x80U) != 0;
  header.reserved = acknowledge & 0x7FU;
  header.psn = Psn(load_be24(bytes, 9));
  return header;
}

void BthHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, opcode);
  store_u8(out, 1,
           static_cast<std::uint8_t>((solicited ? 0x80U : 0U) | (migrated ? 0x40U : 0U) | ((pad_count & 3U) << 4)));
  store_be16(out, 2, partition_key);
  store_u8(out, 4, static_cast<std::uint8_t>((fecn ? 0x80U : 0U) | (becn ? 0x40U : 0U) | (reserved_variant & 0x3FU)));
  store_be24(out, 5, destination_qp);
  store_u8(out, 8, static_cast<std::uint8_t>((ack_request ? 0x80U : 0U) | (reserved & 0x7FU)));
  store_be24(out, 9, psn.value());
}

}  // namespace weft::wire
