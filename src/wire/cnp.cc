#include "wire/cnp.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<CnpHeader> CnpHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CNP body", {.needed = kSize, .found = bytes.size()});
  }
  CnpHeader header;
  std::ranges::copy(bytes.first(kSize), header.reserved.begin());
  return header;
}

void CnpHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  std::ranges::copy(reserved, out.begin());
}

}  // namespace weft::wire
