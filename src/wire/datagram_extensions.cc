#include "wire/datagram_extensions.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<DethHeader> DethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("DETH", {.needed = kSize, .found = bytes.size()});
  }
  return DethHeader{.queue_key = load_be32(bytes, 0), .reserved = load_u8(bytes, 4), .source_qp = load_be24(bytes, 5)};
}

void DethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, queue_key);
  store_u8(out, 4, reserved);
  store_be24(out, 5, source_qp);
}

Result<RdethHeader> RdethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("RDETH", {.needed = kSize, .found = bytes.size()});
  }
  return RdethHeader{.reserved = load_u8(bytes, 0), .ee_context = load_be24(bytes, 1)};
}

void RdethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, reserved);
  store_be24(out, 1, ee_context);
}

Result<XrcethHeader> XrcethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("XRCETH", {.needed = kSize, .found = bytes.size()});
  }
  return XrcethHeader{.reserved = load_u8(bytes, 0), .receive_queue = load_be24(bytes, 1)};
}

void XrcethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, reserved);
  store_be24(out, 1, receive_queue);
}

}  // namespace weft::wire
