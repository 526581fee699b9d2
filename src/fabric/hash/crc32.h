// CRC-32 of Ethernet (ISO 3309) as a hash of headers: polynomial 0x04C11DB7, least significant bit first, seed and
// complement of ones. Source: the catalogue of parametrised CRC algorithms (Cook), CRC-32/ISO-HDLC, check 0xCBF43926.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::fabric {

/// 32 bits.
[[nodiscard]] std::uint32_t hash_crc32(std::span<const std::byte> bytes);

}  // namespace weft::fabric
