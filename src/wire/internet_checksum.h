// The ones' complement checksum of IPv4, UDP and TCP headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

namespace weft::wire {

/// Sums 16-bit words; every addition but the last must have an even number of bytes.
//= rfc1071
class InternetChecksum {
 public:
  InternetChecksum& add(std::span<const std::byte> bytes);
  InternetChecksum& add_word(std::uint16_t word);
  /// The complement of the sum, as it stands in a header.
  [[nodiscard]] std::uint16_t value() const;

 private:
  std::uint64_t sum_ = 0;
};

/// The checksum of a UDP or TCP segment below an IP header: `segment` is header and payload, with the checksum field
/// zero to compute it, or as received to verify it (the result is then 0). UDP sends a computed 0 as 0xFFFF.
//= rfc768
[[nodiscard]] std::uint16_t segment_checksum(const Ipv4Header& ip, std::span<const std::byte> segment);
//= rfc8200 8.1
[[nodiscard]] std::uint16_t segment_checksum(const Ipv6Header& ip, std::span<const std::byte> segment);

}  // namespace weft::wire
