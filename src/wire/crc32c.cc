#include "wire/crc32c.h"

#include <array>

#include "wire/byte_order.h"

namespace weft::wire {

namespace {

/// Polynomial 0x1EDC6F41 with its bits reversed.
constexpr std::uint32_t kReflected = 0x82F63B78;

using Table = std::array<std::uint32_t, 256>;

/// Table k advances a byte that is followed by k zero bytes, so that eight bytes are folded with eight look-ups that do
/// not wait for each other.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? (value >> 1) ^ kReflected : value >> 1;
    }
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

std::uint32_t fold_eight(std::uint32_t state, std::span<const std::byte> bytes) {
  const auto low = state ^ load_le32(bytes, 0);
  const auto high = load_le32(bytes, 4);
  return kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8) & 0xFFU] ^ kTables[5][(low >> 16) & 0xFFU] ^
         kTables[4][low >> 24] ^ kTables[3][high & 0xFFU] ^ kTables[2][(high >> 8) & 0xFFU] ^
         kTables[1][(high >> 16) & 0xFFU] ^ kTables[0][high >> 24];
}

}  // namespace

Crc32c& Crc32c::add(std::span<const std::byte> bytes) {
  while (bytes.size() >= 8) {
    state_ = fold_eight(state_, bytes);
    bytes = bytes.subspan(8);
  }
  for (const auto byte : bytes) {
    state_ = (state_ >> 8) ^ kTables[0][(state_ ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return *this;
}

}  // namespace weft::wire
