#include "wire/uet/tss.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"
#include "wire/uet/pds_prologue.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint32_t kTssHasSource = 1U << 26;
constexpr std::uint32_t kTssReserved = 1U << 25;
constexpr std::uint32_t kTssAssociation = 1U << 24;
constexpr std::uint32_t kTssDomain = 0x00FFFFFF;
constexpr unsigned kTssTypeShift = 27;

}  // namespace

Result<TssHeader> TssHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("TSS", {.needed = kSize, .found = bytes.size()});
  }
  const std::uint32_t first = load_be32(bytes, 0);
  if ((first >> kTssTypeShift) != static_cast<std::uint32_t>(PdsType::kSecurity)) {
    return fail("TSS has type {}, must be 1", first >> kTssTypeShift);
  }
  TssHeader header;
  header.has_source = (first & kTssHasSource) != 0;
  header.reserved = (first & kTssReserved) != 0;
  header.association = (first & kTssAssociation) != 0;
  header.domain = first & kTssDomain;
  if (bytes.size() < header.size()) {
    return too_short("TSS with a source identifier", {.needed = header.size(), .found = bytes.size()});
  }
  if (header.has_source) {
    header.source = load_be32(bytes, 4);
  }
  const std::uint64_t last = load_be64(bytes, header.size() - 8);
  header.epoch = static_cast<std::uint16_t>(last >> 48);
  header.counter = last & 0xFFFF'FFFF'FFFF;
  return header;
}

void TssHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  store_be32(out, 0,
             static_cast<std::uint32_t>(PdsType::kSecurity) << kTssTypeShift | (has_source ? kTssHasSource : 0U) |
                 (reserved ? kTssReserved : 0U) | (association ? kTssAssociation : 0U) | (domain & kTssDomain));
  if (has_source) {
    store_be32(out, 4, source);
  }
  store_be64(out, size() - 8, epoch_and_counter());
}

}  // namespace weft::wire::uet
