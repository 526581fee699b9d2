#include "wire/uet/entropy.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

Result<EntropyHeader> EntropyHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("UET entropy header", {.needed = kSize, .found = bytes.size()});
  }
  return EntropyHeader{.entropy = load_be16(bytes, 0), .reserved = load_be16(bytes, 2)};
}

void EntropyHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0, entropy);
  store_be16(out, 2, reserved);
}

}  // namespace weft::wire::uet
