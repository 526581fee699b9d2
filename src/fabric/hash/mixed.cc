#include "fabric/hash/mixed.h"

#include <algorithm>

#include "fabric/routing/ecmp_hash.h"

namespace weft::fabric {

std::uint32_t hash_mixed(std::span<const std::byte> bytes) {
  constexpr std::size_t kWord = 8;
  std::uint64_t state = 0xa0761d6478bd642f ^ bytes.size();
  for (std::size_t first = 0; first < bytes.size(); first += kWord) {
    std::uint64_t word = 0;
    for (const std::byte byte : bytes.subspan(first, std::min(kWord, bytes.size() - first))) {
      word = word << 8 | std::to_integer<std::uint64_t>(byte);
    }
    state = folded_product(state ^ word, 0xe7037ed1a0b428db);
  }
  return static_cast<std::uint32_t>(folded_product(state, 0x8ebc6af09c88c6e3) >> 32);
}

}  // namespace weft::fabric
