// The header in front of each message on a kernel TCP stream: 24 bytes, big-endian. Weft's own; every field is in
// docs/decisions/0017-messages-on-a-tcp-stream.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace weft::transport {

enum class StreamMessageKind : std::uint8_t {
  kSend = 1,
  kSendWithImmediate = 2,
  kWrite = 3,
  kWriteWithImmediate = 4,
  kRefusal = 5,  // of a message of the peer; the sender closes the connection behind it
};

/// Why a message is refused: the classes of RC's fatal NAKs.
enum class RefusalCode : std::uint32_t { kInvalidRequest = 1, kRemoteAccess = 2, kRemoteOperational = 3 };

struct StreamMessage {
  static constexpr std::size_t kSize = 24;
  static constexpr std::uint8_t kMagic = 0x57;
  static constexpr std::uint32_t kMaxLength = 1U << 31;

  StreamMessageKind kind = StreamMessageKind::kSend;
  bool solicited = false;
  std::uint32_t length = 0;          // bytes of payload behind the header; 0 for a refusal
  std::uint32_t immediate = 0;       // immediate data, or the refusal's code
  std::uint32_t remote_key = 0;      // WRITE
  std::uint64_t remote_address = 0;  // WRITE; of a refusal, the number of the message, counted from 0

  [[nodiscard]] bool is_write() const {
    return kind == StreamMessageKind::kWrite || kind == StreamMessageKind::kWriteWithImmediate;
  }
  [[nodiscard]] bool has_immediate() const {
    return kind == StreamMessageKind::kSendWithImmediate || kind == StreamMessageKind::kWriteWithImmediate;
  }
  [[nodiscard]] bool consumes_receive() const {
    return kind != StreamMessageKind::kWrite && kind != StreamMessageKind::kRefusal;
  }

  /// Errors: fewer than 24 bytes, wrong magic, unknown kind or flag, reserved bits set, a length above 2^31, fields
  /// that the kind does not have.
  [[nodiscard]] static Result<StreamMessage> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const StreamMessage&, const StreamMessage&) = default;
};

}  // namespace weft::transport
