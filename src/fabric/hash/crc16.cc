#include "fabric/hash/crc16.h"

#include <array>

namespace weft::fabric {
namespace {

constexpr std::uint32_t kArcReflected = 0xA001;  // 0x8005 with its bits reversed

constexpr std::array<std::uint16_t, 256> make_arc_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? (value >> 1) ^ kArcReflected : value >> 1;
    }
    table[byte] = static_cast<std::uint16_t>(value);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kArcTable = make_arc_table();

}  // namespace

std::uint32_t hash_crc16(std::span<const std::byte> bytes) {
  std::uint32_t state = 0;
  for (const std::byte byte : bytes) {
    state = (state >> 8) ^ kArcTable[(state ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return state;
}

}  // namespace weft::fabric
