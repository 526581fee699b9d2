#include "wire/uet/uet_crc.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/crc32c.h"

namespace weft::wire::uet {

std::uint32_t packet_crc(std::span<const std::byte> headers, std::span<const std::byte> payload) {
  WEFT_ASSERT(!headers.empty());
  const std::size_t from = load_u8(headers, 0) >> 4 == 4 ? kCrcFromIpv4 : kCrcFromIpv6;
  WEFT_ASSERT(headers.size() > from);
  return Crc32c().add(headers.subspan(from)).add(payload).value();
}

}  // namespace weft::wire::uet
