#include "wire/erf_record.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {
namespace {

constexpr std::uint64_t kErfSecond = 1'000'000'000;
constexpr std::uint64_t kFractionMask = 0xFFFF'FFFF;
constexpr std::uint8_t kMoreHeaders = 0x80;
constexpr std::size_t kExtensionSize = 8;

std::uint64_t fixed_point(std::uint64_t nanoseconds) {
  const std::uint64_t seconds = nanoseconds / kErfSecond;
  const std::uint64_t rest = nanoseconds % kErfSecond;
  // Rounded up, so that rounding down when reading gives the same nanosecond.
  return (seconds << 32) | (((rest << 32) + kErfSecond - 1) / kErfSecond);
}

std::uint64_t nanoseconds_of(std::uint64_t fixed) {
  return (fixed >> 32) * kErfSecond + (((fixed & kFractionMask) * kErfSecond) >> 32);
}

}  // namespace

Result<ErfHeader> ErfHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("ERF header", {.needed = kSize, .found = bytes.size()});
  }
  ErfHeader header;
  header.nanoseconds = nanoseconds_of(load_le64(bytes, 0));  // the one little-endian field
  header.type = load_u8(bytes, 8) & static_cast<std::uint8_t>(~kMoreHeaders);
  header.flags = load_u8(bytes, 9);
  header.record_length = load_be16(bytes, 10);
  header.loss_count = load_be16(bytes, 12);
  header.wire_length = load_be16(bytes, 14);
  bool more = (load_u8(bytes, 8) & kMoreHeaders) != 0;
  while (more) {
    const std::size_t at = kSize + header.extensions_size;
    if (bytes.size() < at + kExtensionSize) {
      return too_short("ERF extension header", {.needed = at + kExtensionSize, .found = bytes.size()});
    }
    more = (load_u8(bytes, at) & kMoreHeaders) != 0;
    header.extensions_size += kExtensionSize;
  }
  return header;
}

void ErfHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_le64(out, 0, fixed_point(nanoseconds));
  store_u8(out, 8, type);
  store_u8(out, 9, flags);
  store_be16(out, 10, record_length);
  store_be16(out, 12, loss_count);
  store_be16(out, 14, wire_length);
}

}  // namespace weft::wire
