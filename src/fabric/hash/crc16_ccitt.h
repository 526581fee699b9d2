// CRC-16 with the polynomial of the CCITT, 0x1021, most significant bit first, seed of ones (CRC-16/IBM-3740, often
// called CCITT-FALSE). Source: the catalogue of parametrised CRC algorithms (Cook), check 0x29B1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 16 bits.
[[nodiscard]] std::uint32_t hash_crc16_ccitt(std::span<const std::byte> bytes);

}  // namespace weft::fabric
