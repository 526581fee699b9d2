// The 16-bit CRC of InfiniBand's link layer: polynomial 0x100B, least significant bit first, seed and complement of
// ones. The VCRC covers a data packet from the LRH to the ICRC, the LPCRC the first four bytes of a link packet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

/// What each byte does to a CRC of 16 bits, least significant bit first; `reflected` is its polynomial with the bits
/// reversed.
constexpr std::array<std::uint16_t, 256> make_crc16_table(std::uint16_t reflected) {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1U) != 0 ? (value >> 1) ^ reflected : value >> 1;
    }
    table[byte] = static_cast<std::uint16_t>(value);
  }
  return table;
}

namespace detail {

/// The polynomial with its bits reversed.
inline constexpr std::uint16_t kCrc16Reflected = 0xD008;
inline constexpr std::array<std::uint16_t, 256> kCrc16Table = make_crc16_table(kCrc16Reflected);

}  // namespace detail

/// Takes bytes in any number of pieces. The value goes on the wire least significant byte first.
//= ibta-1.7 7.8.2
class LinkCrc16 {
 public:
  constexpr LinkCrc16& add(std::span<const std::byte> bytes) {
    for (const auto byte : bytes) {
      const auto index = (state_ ^ std::to_integer<unsigned>(byte)) & 0xFFU;
      state_ = static_cast<std::uint16_t>((state_ >> 8) ^ detail::kCrc16Table[index]);
    }
    return *this;
  }
  [[nodiscard]] constexpr std::uint16_t value() const { return static_cast<std::uint16_t>(~state_); }

 private:
  std::uint16_t state_ = 0xFFFF;
};

}  // namespace weft::wire
