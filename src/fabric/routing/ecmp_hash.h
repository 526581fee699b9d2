// The hash by which switches spread flows over equal paths: of the 5-tuple once per packet, and of a seed per switch.
//
// The sender's NIC computes flow_hash (32 bits travel in the packet), each switch mixes its own seed into it; switches
// with the same seed decide alike for a flow (polarisation). Addresses are f(seed, name), never an index. Folded
// 64 x 64 bit multiplication and multiply-xorshift; the same on every platform, and not for cryptography.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::fabric {

/// The 5-tuple of a packet; for RoCEv2 the destination port and the protocol are constant.
struct FlowKey {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint16_t entropy = 0;  // source port
  std::uint16_t destination_port = 4791;
  std::uint8_t protocol = 17;  // UDP
};

/// What a switch hashes where there are no ports: RoCEv1, and InfiniBand's LIDs.
struct AddressPair {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
};

/// Both halves of the 128-bit product, folded: every bit of either factor reaches every bit.
[[nodiscard]] constexpr std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

/// The part of the hash that is the same at all switches. A flow and its reverse are two flows.
[[nodiscard]] constexpr std::uint32_t flow_hash(const FlowKey& key) {
  const std::uint64_t addresses = folded_product(key.source ^ 0xa0761d6478bd642f, key.destination ^ 0xe7037ed1a0b428db);
  const std::uint64_t rest = std::uint64_t{key.entropy} << 32 | std::uint64_t{key.destination_port} << 8 | key.protocol;
  return static_cast<std::uint32_t>(folded_product(addresses ^ rest, 0x8ebc6af09c88c6e3) >> 32);
}

/// The same of two addresses alone: one path per pair of ports.
[[nodiscard]] constexpr std::uint32_t flow_hash(const AddressPair& pair) {
  return flow_hash(FlowKey{
      .source = pair.source, .destination = pair.destination, .entropy = 0, .destination_port = 0, .protocol = 0});
}

/// What one switch chooses by. `seed` is f(seed, name) of the switch, or the same everywhere to polarise.
[[nodiscard]] constexpr std::uint32_t switch_hash(std::uint32_t flow, std::uint64_t seed) {
  std::uint64_t x = (flow ^ seed) * 0x9fb21c651e98df25;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return static_cast<std::uint32_t>(x >> 32);
}

/// One of 0 to count - 1 by the upper bits of a hash, without a division. count > 0; biased by at most count / 2^32.
[[nodiscard]] constexpr std::uint32_t pick(std::uint32_t hash, std::uint32_t count) {
  WEFT_DCHECK(count > 0);
  return static_cast<std::uint32_t>(std::uint64_t{hash} * count >> 32);
}

}  // namespace weft::fabric
