#include "fabric/hash/crc16_ccitt.h"

#include <array>

namespace weft::fabric {
namespace {

constexpr std::uint32_t kCcitt = 0x1021;

constexpr std::array<std::uint16_t, 256> make_ccitt_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 0x8000U) != 0 ? value << 1 ^ kCcitt : value << 1;
    }
    table[byte] = static_cast<std::uint16_t>(value);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCcittTable = make_ccitt_table();

}  // namespace

std::uint32_t hash_crc16_ccitt(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xFFFF;
  for (const std::byte byte : bytes) {
    state = (state << 8 & 0xFFFF) ^ kCcittTable[(state >> 8 ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return state;
}

}  // namespace weft::fabric
