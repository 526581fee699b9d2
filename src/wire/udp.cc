#include "wire/udp.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<UdpHeader> UdpHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("UDP header", {.needed = kSize, .found = bytes.size()});
  }
  UdpHeader header;
  header.source_port = load_be16(bytes, 0);
  header.destination_port = load_be16(bytes, 2);
  header.length = load_be16(bytes, 4);
  header.checksum = load_be16(bytes, 6);
  if (header.length < kSize) {
    return fail("UDP length is {}, must be at least {}", header.length, kSize);
  }
  return header;
}

void UdpHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0, source_port);
  store_be16(out, 2, destination_port);
  store_be16(out, 4, length);
  store_be16(out, 6, checksum);
}

}  // namespace weft::wire
