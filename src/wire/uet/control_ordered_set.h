// Ultra Ethernet's control ordered sets (CtlOS): eight bytes between or within frames that carry link level retry (LLR)
// and the freed credits of credit-based flow control (CBFC).
//
// On the media independent interface the first byte is the control character 0x5C, in a 64B/66B control block (sync
// header 10) the block type 0x4B; the rest is the same. The O-code 6 stands in the low half of the fifth byte.
// Source: Ultra Ethernet Specification 1.0, chapter 5, by way of a public taxonomy of its packets that cites tables
// 5-7, 5-8, 5-20, 5-21 and 5-28 to 5-30; no second reader was found. The taxonomy counts 15 bits of freed credits, as
// here, where one of its drawings shows 14. The preamble of LLR frames, which carries their sequence number, is not
// among what weft emits: a capture begins behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace weft::wire::uet {

enum class CtlosForm : std::uint8_t { kMii = 0x5C, k64b66b = 0x4B };

//= uet-1.0 5.2.11
enum class CtlosType : std::uint8_t {
  kLlrAck = 0x01,
  kLlrNack = 0x02,
  kLlrInit = 0x03,
  kLlrInitEcho = 0x04,
  kCfUpdate = 0x10,
};
/// "LLR_ACK"; "reserved" for types that nobody assigned.
[[nodiscard]] std::string_view to_string(CtlosType type);

/// Of frames: 20 bits.
//= uet-1.0 5.1.4
inline constexpr std::uint32_t kLlrSequenceMask = 0xFFFFF;

/// The four messages of LLR.
//= uet-1.0 5.1.4
struct LlrMessage {
  static constexpr std::size_t kSize = 8;

  CtlosForm form = CtlosForm::kMii;
  CtlosType type = CtlosType::kLlrAck;
  std::uint32_t sequence = 0;      // 20 bits: ACK, the last frame taken; NACK, the frame that is due; INIT, the first
  std::uint16_t init_data = 0;     // of LLR_INIT, comes back in LLR_INIT_ECHO; low byte first on the wire
  std::uint16_t reserved = 0;      // ACK and NACK, where `init_data` would be; ignored by receivers
  std::uint8_t reserved_last = 0;  // ignored by receivers

  [[nodiscard]] static Result<LlrMessage> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const LlrMessage&, const LlrMessage&) = default;
};

/// What a virtual channel's receiver has freed since the link came up, in credits.
struct ChannelCredits {
  std::uint8_t channel = 0;  // 5 bits
  std::uint16_t count = 0;   // 15 bits, wraps

  friend bool operator==(const ChannelCredits&, const ChannelCredits&) = default;
};

/// Freed credits of two virtual channels.
//= uet-1.0 5.2.6.1
struct CfUpdate {
  static constexpr std::size_t kSize = 8;

  CtlosForm form = CtlosForm::kMii;
  ChannelCredits first{};
  ChannelCredits second{};
  std::uint8_t reserved = 0;  // 4 bits, ignored by receivers

  [[nodiscard]] static Result<CfUpdate> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CfUpdate&, const CfUpdate&) = default;
};

/// Consumed credits of one virtual channel: so that credits lost with a frame come back. Travels as the payload of an
/// Ethernet frame; which EtherType announces it, and the value of its type byte, were not found.
//= uet-1.0 5.2.6.2
struct CcUpdate {
  static constexpr std::size_t kSize = 8;

  std::uint8_t type = 0;
  ChannelCredits consumed{};
  std::uint8_t reserved = 0;        // 4 bits, ignored by receivers
  std::uint32_t reserved_word = 0;  // ignored by receivers

  [[nodiscard]] static Result<CcUpdate> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CcUpdate&, const CcUpdate&) = default;
};

}  // namespace weft::wire::uet
