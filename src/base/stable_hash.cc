#include "base/stable_hash.h"

#include <bit>
#include <cstddef>

namespace weft {
namespace {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

// Little-endian on every host, so that the value does not depend on the platform.
std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t sip_hash(SipHashKey key, std::string_view bytes) {
  SipState state{.v0 = key.k0 ^ 0x736f6d6570736575,
                 .v1 = key.k1 ^ 0x646f72616e646f6d,
                 .v2 = key.k0 ^ 0x6c7967656e657261,
                 .v3 = key.k1 ^ 0x7465646279746573};
  const std::uint64_t length_byte = static_cast<std::uint64_t>(bytes.size()) << 56;
  while (bytes.size() >= 8) {
    state.absorb(little_endian(bytes.substr(0, 8)));
    bytes.remove_prefix(8);
  }
  state.absorb(little_endian(bytes) | length_byte);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) {
    state.round();
  }
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace weft
