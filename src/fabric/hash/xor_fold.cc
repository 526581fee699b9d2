#include "fabric/hash/xor_fold.h"

namespace weft::fabric {

std::uint32_t hash_xor_fold(std::span<const std::byte> bytes) {
  std::uint32_t folded = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    folded ^= std::to_integer<std::uint32_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  }
  return folded;
}

}  // namespace weft::fabric
