// CRC-16 as switches hash with it: polynomial 0x8005, least significant bit first, no seed and no complement
// (CRC-16/ARC, also CRC-16-IBM or BISYNC). Source: the catalogue of parametrised CRC algorithms (Cook), check 0xBB3D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 16 bits; linear: the value of an exclusive or is that of its terms.
[[nodiscard]] std::uint32_t hash_crc16(std::span<const std::byte> bytes);

}  // namespace weft::fabric
