// RDMAP: the operations of iWARP, in the headers of DDP: their control byte, the READ request, the TERMINATE message,
// and the immediate data and atomics of RFC 7306.
//
// Source: RFC 5040, RFC 7306.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "wire/ddp.h"

namespace weft::wire {

//= rfc5040 4.1
//= rfc7306 4
enum class RdmapOpcode : std::uint8_t {
  kWrite = 0,
  kReadRequest = 1,
  kReadResponse = 2,
  kSend = 3,
  kSendInvalidate = 4,
  kSendSolicited = 5,
  kSendSolicitedInvalidate = 6,
  kTerminate = 7,
  kImmediate = 8,
  kImmediateSolicited = 9,
  kAtomicRequest = 10,
  kAtomicResponse = 11,
};
/// "Send with invalidate"; "reserved" for the values above 11.
[[nodiscard]] std::string_view to_string(RdmapOpcode opcode);

inline constexpr std::uint8_t kRdmapVersion = 1;

/// The control byte.
struct RdmapControl {
  std::uint8_t version = kRdmapVersion;  // 2 bits
  std::uint8_t reserved = 0;             // 2 bits
  std::uint8_t opcode = 0;               // 4 bits; RdmapOpcode if known

  [[nodiscard]] static constexpr RdmapControl unpack(std::uint8_t byte) {
    return {.version = static_cast<std::uint8_t>(byte >> 6),
            .reserved = static_cast<std::uint8_t>((byte >> 4) & 3U),
            .opcode = static_cast<std::uint8_t>(byte & 15U)};
  }
  [[nodiscard]] constexpr std::uint8_t pack() const {
    return static_cast<std::uint8_t>((version & 3U) << 6 | (reserved & 3U) << 4 | (opcode & 15U));
  }
  [[nodiscard]] constexpr bool is_known() const {
    return opcode <= static_cast<unsigned>(RdmapOpcode::kAtomicResponse);
  }
  [[nodiscard]] constexpr RdmapOpcode operation() const { return static_cast<RdmapOpcode>(opcode); }
};
[[nodiscard]] constexpr std::uint8_t rdmap_control(RdmapOpcode opcode) {
  return RdmapControl{.opcode = static_cast<std::uint8_t>(opcode)}.pack();
}

/// WRITE and READ response are tagged, all others untagged.
[[nodiscard]] constexpr bool is_tagged(RdmapOpcode opcode) {
  return opcode == RdmapOpcode::kWrite || opcode == RdmapOpcode::kReadResponse;
}
[[nodiscard]] constexpr bool is_send(RdmapOpcode opcode) {
  return opcode >= RdmapOpcode::kSend && opcode <= RdmapOpcode::kSendSolicitedInvalidate;
}
[[nodiscard]] constexpr bool is_immediate(RdmapOpcode opcode) {
  return opcode == RdmapOpcode::kImmediate || opcode == RdmapOpcode::kImmediateSolicited;
}
/// The queue of an untagged operation.
[[nodiscard]] std::uint32_t queue_of(RdmapOpcode opcode);

/// What a READ request carries behind its DDP header.
//= rfc5040 4.4
struct ReadRequest {
  static constexpr std::size_t kSize = 28;

  std::uint32_t sink_stag = 0;
  std::uint64_t sink_offset = 0;
  std::uint32_t length = 0;
  std::uint32_t source_stag = 0;
  std::uint64_t source_offset = 0;

  [[nodiscard]] static Result<ReadRequest> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const ReadRequest&, const ReadRequest&) = default;
};

/// Immediate data: 8 bytes, of which verbs uses 4.
//= rfc7306 6
inline constexpr std::size_t kRdmapImmediateSize = 8;

/// Why a stream was ended: layer, error type and code.
//= rfc5040 4.8
struct TerminateCode {
  std::uint8_t layer = 0;  // 4 bits: 0 RDMAP, 1 DDP, 2 the layer below (MPA)
  std::uint8_t type = 0;   // 4 bits
  std::uint8_t code = 0;

  friend bool operator==(const TerminateCode&, const TerminateCode&) = default;
};
/// "DDP tagged buffer: base or bounds violation"; "unknown" for a code that nobody assigned.
[[nodiscard]] std::string_view to_string(TerminateCode code);

namespace terminate {
inline constexpr TerminateCode kLocalCatastrophic{0, 0, 0x00};
inline constexpr TerminateCode kInvalidStag{0, 1, 0x00};
inline constexpr TerminateCode kBounds{0, 1, 0x01};
inline constexpr TerminateCode kAccessRights{0, 1, 0x02};
inline constexpr TerminateCode kStagNotAssociated{0, 1, 0x03};
inline constexpr TerminateCode kOffsetWrap{0, 1, 0x04};
inline constexpr TerminateCode kCannotInvalidate{0, 1, 0x09};
inline constexpr TerminateCode kRdmapVersion{0, 2, 0x05};
inline constexpr TerminateCode kUnexpectedOpcode{0, 2, 0x06};
inline constexpr TerminateCode kCatastrophicStream{0, 2, 0x07};
inline constexpr TerminateCode kCatastrophicGlobal{0, 2, 0x08};
inline constexpr TerminateCode kUnspecified{0, 2, 0xFF};
inline constexpr TerminateCode kDdpCatastrophic{1, 0, 0x00};
inline constexpr TerminateCode kTaggedInvalidStag{1, 1, 0x00};
inline constexpr TerminateCode kTaggedBounds{1, 1, 0x01};
inline constexpr TerminateCode kTaggedNotAssociated{1, 1, 0x02};
inline constexpr TerminateCode kTaggedOffsetWrap{1, 1, 0x03};
inline constexpr TerminateCode kTaggedVersion{1, 1, 0x04};
inline constexpr TerminateCode kInvalidQueue{1, 2, 0x01};
inline constexpr TerminateCode kNoBuffer{1, 2, 0x02};
inline constexpr TerminateCode kMessageNumberRange{1, 2, 0x03};
inline constexpr TerminateCode kInvalidMessageOffset{1, 2, 0x04};
inline constexpr TerminateCode kMessageTooLong{1, 2, 0x05};
inline constexpr TerminateCode kUntaggedVersion{1, 2, 0x06};
inline constexpr TerminateCode kStreamLost{2, 0, 0x01};
inline constexpr TerminateCode kCrc{2, 0, 0x02};
inline constexpr TerminateCode kMarker{2, 0, 0x03};
inline constexpr TerminateCode kBadStartFrame{2, 0, 0x04};
inline constexpr TerminateCode kLocalCatastrophicMpa{2, 0, 0x05};
inline constexpr TerminateCode kInsufficientIrd{2, 0, 0x06};
inline constexpr TerminateCode kNoMatchingRtr{2, 0, 0x07};
}  // namespace terminate

/// A TERMINATE message, behind its DDP header. The headers of the segment that caused it follow where there is one.
//= rfc5040 4.8
struct Terminate {
  static constexpr std::size_t kControlSize = 4;
  static constexpr std::size_t kMaxSize = kControlSize + 2 + DdpHeader::kUntaggedSize + ReadRequest::kSize;

  TerminateCode code{};
  bool has_length = false;     // M: `segment_length` is there
  std::uint16_t reserved = 0;  // 13 bits
  std::uint16_t segment_length = 0;
  std::optional<DdpHeader> ddp{};             // D; M too
  std::optional<ReadRequest> read_request{};  // R; of a READ request in error

  [[nodiscard]] std::size_t size() const;
  /// Errors: too short for what its flags promise.
  [[nodiscard]] static Result<Terminate> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const Terminate&, const Terminate&) = default;
};

}  // namespace weft::wire
