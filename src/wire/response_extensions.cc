#include "wire/response_extensions.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {
namespace {

constexpr std::uint8_t kSackDuplicate = 0x80;
constexpr std::uint8_t kSackMarked = 0x40;
constexpr std::uint8_t kSackReserved = 0x3F;

}  // namespace

Result<AethHeader> AethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("AETH", {.needed = kSize, .found = bytes.size()});
  }
  return AethHeader{.syndrome = load_u8(bytes, 0), .msn = Psn(load_be24(bytes, 1))};
}

void AethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, syndrome);
  store_be24(out, 1, msn.value());
}

Result<AtomicAckEthHeader> AtomicAckEthHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("AtomicAckETH", {.needed = kSize, .found = bytes.size()});
  }
  return AtomicAckEthHeader{.original_data = load_be64(bytes, 0)};
}

void AtomicAckEthHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be64(out, 0, original_data);
}

Result<SackEthHeader> SackEthHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SACK bitmap", {.needed = kSize, .found = bytes.size()});
  }
  const std::uint8_t flags = load_u8(bytes, 0);
  return SackEthHeader{.bitmap = {.words = {load_be64(bytes, 4), load_be64(bytes, 12)},
                                  .base = Psn(load_be24(bytes, 1)),
                                  .duplicate = (flags & kSackDuplicate) != 0,
                                  .marked = (flags & kSackMarked) != 0},
                       .reserved = static_cast<std::uint8_t>(flags & kSackReserved)};
}

void SackEthHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0,
           static_cast<std::uint8_t>((bitmap.duplicate ? kSackDuplicate : 0) | (bitmap.marked ? kSackMarked : 0) |
                                     (reserved & kSackReserved)));
  store_be24(out, 1, bitmap.base.value());
  store_be64(out, 4, bitmap.words[0]);
  store_be64(out, 12, bitmap.words[1]);
}

}  // namespace weft::wire
