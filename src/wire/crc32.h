// CRC-32 of Ethernet and of the ICRC, over bytes in memory, as zlib's crc32: `crc` of one piece goes into the next, 0
// at the start.
//
// On x86-64 with carry-less multiplication, found at run time, long pieces are folded 64 bytes at a time (Gopal et al.,
// "Fast CRC computation for generic polynomials using PCLMULQDQ", 2009): about ten times zlib's speed. The result is
// the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

[[nodiscard]] std::uint32_t crc32(std::uint32_t crc, std::span<const std::byte> bytes);

namespace detail {
/// By zlib alone, for tests and for other processors.
[[nodiscard]] std::uint32_t crc32_portable(std::uint32_t crc, std::span<const std::byte> bytes);
}  // namespace detail

}  // namespace weft::wire
