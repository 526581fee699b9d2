#include "fabric/hash/crc32.h"

#include "wire/crc32.h"

namespace weft::fabric {

std::uint32_t hash_crc32(std::span<const std::byte> bytes) { return wire::crc32(0, bytes); }

}  // namespace weft::fabric
