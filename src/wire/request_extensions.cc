#include "wire/request_extensions.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

Result<RethHeader> RethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("RETH", {.needed = kSize, .found = bytes.size()});
  }
  return RethHeader{
      .virtual_address = load_be64(bytes, 0), .remote_key = load_be32(bytes, 8), .dma_length = load_be32(bytes, 12)};
}

void RethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be64(out, 0, virtual_address);
  store_be32(out, 8, remote_key);
  store_be32(out, 12, dma_length);
}

Result<AtomicEthHeader> AtomicEthHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("AtomicETH", {.needed = kSize, .found = bytes.size()});
  }
  return AtomicEthHeader{.virtual_address = load_be64(bytes, 0),
                         .remote_key = load_be32(bytes, 8),
                         .swap_or_add = load_be64(bytes, 12),
                         .compare = load_be64(bytes, 20)};
}

void AtomicEthHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be64(out, 0, virtual_address);
  store_be32(out, 8, remote_key);
  store_be64(out, 12, swap_or_add);
  store_be64(out, 20, compare);
}

FethHeader FethHeader::of(std::uint32_t word) {
  return {.reserved = word >> 6,
          .selectivity = static_cast<std::uint8_t>((word >> 4) & 3U),
          .placement_type = static_cast<std::uint8_t>(word & 0x0FU)};
}

std::uint32_t FethHeader::word() const {
  return (reserved << 6) | ((selectivity & 3U) << 4) | (placement_type & 0x0FU);
}

Result<FethHeader> FethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("FETH", {.needed = kSize, .found = bytes.size()});
  }
  return of(load_be32(bytes, 0));
}

void FethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, word());
}

Result<ImmDtHeader> ImmDtHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("ImmDt", {.needed = kSize, .found = bytes.size()});
  }
  return ImmDtHeader{.data = load_be32(bytes, 0)};
}

void ImmDtHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, data);
}

Result<IethHeader> IethHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("IETH", {.needed = kSize, .found = bytes.size()});
  }
  return IethHeader{.remote_key = load_be32(bytes, 0)};
}

void IethHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, remote_key);
}

}  // namespace weft::wire
