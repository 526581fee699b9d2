// What stands between IP and PDS: UDP with the entropy value as its source port, or, directly on IP, an entropy header.
//
// 4793 is the port that IANA assigned to UET (xdp2, Wireshark). No number for the IP protocol is known to be assigned:
// 253, of those for experiments, is what the reference provider uses (and UDP port 49150).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::wire::uet {

//= uet-1.0 3.5.10
inline constexpr std::uint16_t kUdpPort = 4793;
//= uet-1.0 3.5.10
//= rfc3692 2.1
inline constexpr std::uint8_t kIpProtocol = 253;

/// In place of UDP.
//= uet-1.0 3.5.10
struct EntropyHeader {
  static constexpr std::size_t kSize = 4;

  std::uint16_t entropy = 0;   // where UDP's source port would be
  std::uint16_t reserved = 0;  // ignored by receivers

  [[nodiscard]] static Result<EntropyHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const EntropyHeader&, const EntropyHeader&) = default;
};

}  // namespace weft::wire::uet
