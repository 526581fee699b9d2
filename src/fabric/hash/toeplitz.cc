#include "fabric/hash/toeplitz.h"

#include <array>

namespace weft::fabric {
namespace {

constexpr std::array<std::uint8_t, 40> kVerificationKey = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                                           0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                                           0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                                           0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

constexpr std::uint32_t key_byte(std::size_t at) { return kVerificationKey[at % kVerificationKey.size()]; }

}  // namespace

std::uint32_t hash_toeplitz(std::span<const std::byte> bytes) {
  std::uint32_t sum = 0;
  std::uint64_t window = 0;  // 40 bits of the key: those of this byte's eight places
  for (std::size_t i = 0; i < 4; ++i) {
    window = window << 8 | key_byte(i);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    window = (window << 8 | key_byte(i + 4)) & 0xFF'FFFF'FFFF;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((std::to_integer<unsigned>(bytes[i]) >> (7 - bit) & 1U) != 0) {
        sum ^= static_cast<std::uint32_t>(window >> (8 - bit));
      }
    }
  }
  return sum;
}

}  // namespace weft::fabric
