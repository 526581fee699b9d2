#include "wire/uet/ses_extensions.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

/// Reads one extension and moves `bytes` behind it.
template <class Extension>
Result<void> take(std::optional<Extension>& member, std::span<const std::byte>& bytes) {
  Result<Extension> extension = Extension::parse(bytes);
  if (!extension) {
    return pass_on(extension);
  }
  member = *extension;
  bytes = bytes.subspan(Extension::kSize);
  return {};
}

template <class Extension>
void put(const std::optional<Extension>& member, std::span<std::byte>& out) {
  if (member) {
    member->emit(out);
    out = out.subspan(Extension::kSize);
  }
}

}  // namespace

Result<SesAtomic> SesAtomic::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES atomic extension", {.needed = kSize, .found = bytes.size()});
  }
  return SesAtomic{.operation = static_cast<AtomicOperation>(load_u8(bytes, 0)),
                   .type = static_cast<AtomicType>(load_u8(bytes, 1)),
                   .control = load_u8(bytes, 2),
                   .reserved = load_u8(bytes, 3)};
}

void SesAtomic::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, static_cast<std::uint8_t>(operation));
  store_u8(out, 1, static_cast<std::uint8_t>(type));
  store_u8(out, 2, control);
  store_u8(out, 3, reserved);
}

Result<SesCompareSwap> SesCompareSwap::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES operands", {.needed = kSize, .found = bytes.size()});
  }
  SesCompareSwap operands;
  std::ranges::copy(bytes.first(operands.compare.size()), operands.compare.begin());
  std::ranges::copy(bytes.subspan(operands.compare.size(), operands.swap.size()), operands.swap.begin());
  return operands;
}

void SesCompareSwap::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  std::ranges::copy(compare, out.begin());
  std::ranges::copy(swap, out.subspan(compare.size()).begin());
}

Result<SesSync> SesSync::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES sync extension", {.needed = kSize, .found = bytes.size()});
  }
  return SesSync{.group = load_be16(bytes, 0), .count = load_be16(bytes, 2)};
}

void SesSync::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0, group);
  store_be16(out, 2, count);
}

Result<SesRendezvous> SesRendezvous::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES rendezvous extension", {.needed = kSize, .found = bytes.size()});
  }
  const std::uint32_t where = load_be32(bytes, 4);
  return SesRendezvous{.eager_length = load_be32(bytes, 0),
                       .index_generation = static_cast<std::uint8_t>(where >> 24),
                       .pid_on_fep = static_cast<std::uint16_t>((where >> 12) & 0x0FFFU),
                       .resource_index = static_cast<std::uint16_t>(where & 0x0FFFU),
                       .read_offset = load_be64(bytes, 8),
                       .read_memory_key = load_be64(bytes, 16)};
}

void SesRendezvous::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, eager_length);
  store_be32(out, 4, std::uint32_t{index_generation} << 24 | (pid_on_fep & 0x0FFFU) << 12 | (resource_index & 0x0FFFU));
  store_be64(out, 8, read_offset);
  store_be64(out, 16, read_memory_key);
}

std::size_t SesExtensions::size() const {
  return (sync ? SesSync::kSize : 0) + (atomic ? SesAtomic::kSize : 0) + (compare_swap ? SesCompareSwap::kSize : 0) +
         (rendezvous ? SesRendezvous::kSize : 0);
}

Result<SesExtensions> SesExtensions::parse(SesOpcode opcode, std::span<const std::byte> bytes) {
  SesExtensions extensions;
  if (is_synchronizing(opcode)) {
    if (Result<void> taken = take(extensions.sync, bytes); !taken) {
      return pass_on(taken);
    }
  }
  if (is_atomic(opcode)) {
    if (Result<void> taken = take(extensions.atomic, bytes); !taken) {
      return pass_on(taken);
    }
    if (has_two_operands(extensions.atomic->operation)) {
      if (Result<void> taken = take(extensions.compare_swap, bytes); !taken) {
        return pass_on(taken);
      }
    }
  }
  if (is_rendezvous(opcode)) {
    if (Result<void> taken = take(extensions.rendezvous, bytes); !taken) {
      return pass_on(taken);
    }
  }
  return extensions;
}

void SesExtensions::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  put(sync, out);
  put(atomic, out);
  put(compare_swap, out);
  put(rendezvous, out);
}

}  // namespace weft::wire::uet
