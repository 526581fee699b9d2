// What of a packet's headers switches hash, and by which function: the part of the hash that is the same everywhere.
//
// The fields that are chosen stand one behind the other as on the wire: source address, destination address, source
// port, destination port, protocol, destination queue pair (24 bits, by a user-defined field behind the UDP header),
// flow label (20 bits in three bytes). What a packet has not is left out. The first four are the input of receive-side
// scaling. The sender's NIC computes the value once per flow; each switch adds its seed (routing/hash_groups.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fabric/hash/hash_function.h"

namespace weft::fabric {

/// Bits of a choice.
enum HashField : std::uint8_t {
  kHashSource = 1 << 0,
  kHashDestination = 1 << 1,
  kHashSourcePort = 1 << 2,
  kHashDestinationPort = 1 << 3,
  kHashProtocol = 1 << 4,
  kHashDestinationQp = 1 << 5,
  kHashFlowLabel = 1 << 6,
};
inline constexpr std::uint8_t kHashFiveTuple =
    kHashSource | kHashDestination | kHashSourcePort | kHashDestinationPort | kHashProtocol;

/// The headers of a packet as a switch parses them.
struct HeaderFields {
  static constexpr std::size_t kMaxAddress = 16;
  std::array<std::byte, kMaxAddress> source{};
  std::array<std::byte, kMaxAddress> destination{};
  std::uint8_t address_bytes = 4;              // 4, 6 (MAC) or 16
  std::optional<std::uint8_t> protocol{};      // of IP
  std::optional<std::uint16_t> source_port{};  // or the entropy header of Ultra Ethernet
  std::optional<std::uint16_t> destination_port{};
  std::optional<std::uint32_t> destination_qp{};  // of the BTH
  std::optional<std::uint32_t> flow_label{};      // of IPv6

  friend bool operator==(const HeaderFields&, const HeaderFields&) = default;
};

struct HeaderHash {
  HashFunction function = HashFunction::kMixed;
  std::uint8_t fields = kHashFiveTuple;  // HashField bits

  [[nodiscard]] std::uint32_t of(const HeaderFields& headers) const;

  friend bool operator==(const HeaderHash&, const HeaderHash&) = default;
};

}  // namespace weft::fabric
