// IPv4 header, options kept as bytes. `parse` checks the version and the header length, not the checksum: a caller asks
// `checksum_ok`, because a capture with a wrong checksum must still be readable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/address.h"
#include "wire/packet.h"

namespace weft::wire {

inline constexpr std::uint8_t kIpProtocolTcp = 6;
inline constexpr std::uint8_t kIpProtocolUdp = 17;

//= rfc791 3.1
struct Ipv4Header {
  static constexpr std::size_t kSize = 20;  // without options
  static constexpr std::size_t kMaxOptions = 40;

  std::uint8_t dscp = 0;  // 6 bits
  Ecn ecn = Ecn::kNotEct;
  std::uint16_t total_length = 0;  // header and all that follows it
  std::uint16_t identification = 0;
  bool reserved_flag = false;
  bool dont_fragment = false;
  bool more_fragments = false;
  std::uint16_t fragment_offset = 0;  // 13 bits, units of 8 bytes
  std::uint8_t time_to_live = 64;
  std::uint8_t protocol = kIpProtocolUdp;
  std::uint16_t header_checksum = 0;
  Ipv4Address source{};
  Ipv4Address destination{};
  std::array<std::byte, kMaxOptions> options{};
  std::uint8_t options_size = 0;  // a multiple of 4, at most 40

  [[nodiscard]] std::size_t size() const { return kSize + options_size; }
  [[nodiscard]] bool is_fragment() const { return more_fragments || fragment_offset != 0; }
  /// The checksum that belongs to the other fields.
  [[nodiscard]] std::uint16_t compute_checksum() const;
  [[nodiscard]] bool checksum_ok() const { return header_checksum == compute_checksum(); }

  [[nodiscard]] static Result<Ipv4Header> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const Ipv4Header&, const Ipv4Header&) = default;
};

}  // namespace weft::wire
