// Big-endian (network order) loads and stores at an offset of a byte span, whatever the machine; little-endian ones for
// CRCs and ERF records.
//
// The span must reach to the last byte touched: parsers check the length of a header once, before the first load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.h"

namespace weft::wire {

namespace detail {

template <class Unsigned, std::size_t kBytes>
constexpr Unsigned load_be(std::span<const std::byte> bytes, std::size_t offset) {
  WEFT_DCHECK(offset <= bytes.size() && bytes.size() - offset >= kBytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kBytes; ++i) {
    value = (value << 8) | std::to_integer<std::uint64_t>(bytes[offset + i]);
  }
  return static_cast<Unsigned>(value);
}

template <std::size_t kBytes>
constexpr void store_be(std::span<std::byte> bytes, std::size_t offset, std::uint64_t value) {
  WEFT_DCHECK(offset <= bytes.size() && bytes.size() - offset >= kBytes);
  for (std::size_t i = kBytes; i > 0; --i) {
    bytes[offset + i - 1] = static_cast<std::byte>(value & 0xFFU);
    value >>= 8;
  }
}

template <class Unsigned>
constexpr Unsigned load_le(std::span<const std::byte> bytes, std::size_t offset) {
  WEFT_DCHECK(offset <= bytes.size() && bytes.size() - offset >= sizeof(Unsigned));
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[offset + i]) << (8 * i);
  }
  return static_cast<Unsigned>(value);
}

template <class Unsigned>
constexpr void store_le(std::span<std::byte> bytes, std::size_t offset, Unsigned value) {
  WEFT_DCHECK(offset <= bytes.size() && bytes.size() - offset >= sizeof(Unsigned));
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    bytes[offset + i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
  }
}

}  // namespace detail

constexpr std::uint8_t load_u8(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_be<std::uint8_t, 1>(bytes, offset);
}
constexpr std::uint16_t load_be16(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_be<std::uint16_t, 2>(bytes, offset);
}
/// The value is in the low 24 bits.
constexpr std::uint32_t load_be24(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_be<std::uint32_t, 3>(bytes, offset);
}
constexpr std::uint32_t load_be32(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_be<std::uint32_t, 4>(bytes, offset);
}
constexpr std::uint64_t load_be64(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_be<std::uint64_t, 8>(bytes, offset);
}

constexpr void store_u8(std::span<std::byte> bytes, std::size_t offset, std::uint8_t value) {
  detail::store_be<1>(bytes, offset, value);
}
constexpr void store_be16(std::span<std::byte> bytes, std::size_t offset, std::uint16_t value) {
  detail::store_be<2>(bytes, offset, value);
}
/// Stores the low 24 bits of `value`.
constexpr void store_be24(std::span<std::byte> bytes, std::size_t offset, std::uint32_t value) {
  detail::store_be<3>(bytes, offset, value);
}
constexpr void store_be32(std::span<std::byte> bytes, std::size_t offset, std::uint32_t value) {
  detail::store_be<4>(bytes, offset, value);
}
constexpr void store_be64(std::span<std::byte> bytes, std::size_t offset, std::uint64_t value) {
  detail::store_be<8>(bytes, offset, value);
}

constexpr std::uint16_t load_le16(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_le<std::uint16_t>(bytes, offset);
}
constexpr std::uint32_t load_le32(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_le<std::uint32_t>(bytes, offset);
}
constexpr std::uint64_t load_le64(std::span<const std::byte> bytes, std::size_t offset) {
  return detail::load_le<std::uint64_t>(bytes, offset);
}
constexpr void store_le16(std::span<std::byte> bytes, std::size_t offset, std::uint16_t value) {
  detail::store_le(bytes, offset, value);
}
constexpr void store_le32(std::span<std::byte> bytes, std::size_t offset, std::uint32_t value) {
  detail::store_le(bytes, offset, value);
}
constexpr void store_le64(std::span<std::byte> bytes, std::size_t offset, std::uint64_t value) {
  detail::store_le(bytes, offset, value);
}

/// A field that begins `kBits` above the bottom of its word. Unsigned whatever the field's type, unlike `<<`.
template <unsigned kBits>
constexpr unsigned shifted(unsigned field) {
  return field << kBits;
}

}  // namespace weft::wire
