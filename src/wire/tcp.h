// TCP header, options kept as bytes, and the options that a connection uses.
//
// `TcpSegmentHeader` is the header as it stands on the wire; what engines read is TcpHeader in wire/packet.h. Parsing
// the header checks its lengths only; the checksum covers the payload and an IP header too (wire/internet_checksum.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "wire/packet.h"

namespace weft::wire {

//= rfc9293 3.1
struct TcpSegmentHeader {
  static constexpr std::size_t kSize = 20;  // without options
  static constexpr std::size_t kMaxOptions = 40;

  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint8_t reserved = 0;  // 4 bits
  std::uint8_t flags = 0;     // TcpFlag bits
  std::uint16_t window = 0;
  std::uint16_t checksum = 0;
  std::uint16_t urgent_pointer = 0;
  std::array<std::byte, kMaxOptions> options{};
  std::uint8_t options_size = 0;  // a multiple of 4, at most 40

  [[nodiscard]] std::size_t size() const { return kSize + options_size; }
  [[nodiscard]] bool has(TcpFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] std::span<const std::byte> option_bytes() const { return std::span(options).first(options_size); }

  [[nodiscard]] static Result<TcpSegmentHeader> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const TcpSegmentHeader&, const TcpSegmentHeader&) = default;
};

//= rfc7323 3.2
struct TcpTimestamps {
  std::uint32_t value = 0;
  std::uint32_t echo = 0;

  friend bool operator==(const TcpTimestamps&, const TcpTimestamps&) = default;
};

/// The options that a connection understands.
struct TcpOptionFields {
  /// The largest shift; a larger one counts as this.
  //= rfc7323 2.3
  static constexpr std::uint8_t kMaxWindowScale = 14;

  std::optional<std::uint16_t> mss{};
  std::optional<std::uint8_t> window_scale{};
  bool sack_permitted = false;
  std::optional<TcpTimestamps> timestamps{};
  std::array<TcpSackBlock, kMaxTcpSackBlocks> sack{};
  std::uint8_t sack_blocks = 0;

  /// Options that are not known are skipped; of one that comes twice the last counts. Errors: a length that reaches
  /// beyond the bytes, or is not the one that its kind has.
  [[nodiscard]] static Result<TcpOptionFields> parse(std::span<const std::byte> bytes);
  /// Bytes that `emit` writes, a multiple of 4; more than 40 if too many options are set.
  [[nodiscard]] std::size_t size() const;
  /// In the usual order and with the usual padding: each option's numbers are aligned.
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const TcpOptionFields&, const TcpOptionFields&) = default;
};

/// Bytes of options of a segment with these fields of the record set, as TcpOptionFields::size.
[[nodiscard]] constexpr std::uint32_t tcp_option_bytes(const TcpHeader& header) {
  const bool syn_options = header.mss != 0;
  const std::uint32_t mss = syn_options ? 4 : 0;
  const std::uint32_t times = header.has(kTcpHasTimestamps) ? 12 : header.has(kTcpSackPermitted) ? 4 : 0;
  const std::uint32_t scale = header.has(kTcpHasWindowScale) ? 4 : 0;
  const std::uint32_t sack = header.sack_blocks == 0 ? 0 : 4 + 8U * header.sack_blocks;
  return mss + times + scale + sack;
}

}  // namespace weft::wire
