#include "fabric/hash/crc16.h"

#include <array>

#include "wire/crc16.h"

namespace weft::fabric {
namespace {

constexpr std::uint16_t kArcReflected = 0xA001;  // 0x8005 with its bits reversed

constexpr std::array<std::uint16_t, 256> kArcTable = wire::make_crc16_table(kArcReflected);

}  // namespace

std::uint32_t hash_crc16(std::span<const std::byte> bytes) {
  std::uint32_t state = 0;
  for (const std::byte byte : bytes) {
    state = (state >> 8) ^ kArcTable[(state ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
  }
  return state;
}

}  // namespace weft::fabric
