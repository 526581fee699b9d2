#include "wire/uet/control_ordered_set.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kUeOcode = 6;
constexpr std::size_t kCtlosSize = 8;

bool carries_init_data(CtlosType type) { return type == CtlosType::kLlrInit || type == CtlosType::kLlrInitEcho; }

/// Size, first byte and O-code.
Result<void> check_ctlos(std::string_view name, std::span<const std::byte> bytes) {
  if (bytes.size() < kCtlosSize) {
    return too_short(name, {.needed = kCtlosSize, .found = bytes.size()});
  }
  const std::uint8_t first = load_u8(bytes, 0);
  if (first != static_cast<std::uint8_t>(CtlosForm::kMii) && first != static_cast<std::uint8_t>(CtlosForm::k64b66b)) {
    return fail("{} begins with {:#04x}, must be 0x5c (MII) or 0x4b (64B/66B)", name, first);
  }
  if (const unsigned ocode = load_u8(bytes, 4) & 15U; ocode != kUeOcode) {
    return fail("{} has O-code {}, must be {}", name, ocode, kUeOcode);
  }
  return {};
}

/// Five bits of channel and fifteen of credits, then four bits that are left to the caller.
ChannelCredits load_credits(std::span<const std::byte> bytes, std::size_t offset) {
  const std::uint32_t word = load_be24(bytes, offset);
  return {.channel = static_cast<std::uint8_t>(word >> 19), .count = static_cast<std::uint16_t>((word >> 4) & 0x7FFFU)};
}

void store_credits(std::span<std::byte> out, std::size_t offset, ChannelCredits credits, std::uint32_t last) {
  store_be24(out, offset, (credits.channel & 31U) << 19 | (credits.count & 0x7FFFU) << 4 | (last & 15U));
}

}  // namespace

std::string_view to_string(CtlosType type) {
  switch (type) {
    case CtlosType::kLlrAck:
      return "LLR_ACK";
    case CtlosType::kLlrNack:
      return "LLR_NACK";
    case CtlosType::kLlrInit:
      return "LLR_INIT";
    case CtlosType::kLlrInitEcho:
      return "LLR_INIT_ECHO";
    case CtlosType::kCfUpdate:
      return "CF_Update";
  }
  return "reserved";
}

Result<LlrMessage> LlrMessage::parse(std::span<const std::byte> bytes) {
  if (Result<void> checked = check_ctlos("LLR message", bytes); !checked) {
    return pass_on(checked);
  }
  LlrMessage message;
  message.form = static_cast<CtlosForm>(load_u8(bytes, 0));
  message.type = static_cast<CtlosType>(load_u8(bytes, 1));
  if (message.type < CtlosType::kLlrAck || message.type > CtlosType::kLlrInitEcho) {
    return fail("control ordered set has type {:#04x}, LLR has 1 to 4", load_u8(bytes, 1));
  }
  message.sequence = load_be24(bytes, 2) >> 4;
  (carries_init_data(message.type) ? message.init_data : message.reserved) = load_le16(bytes, 5);
  message.reserved_last = load_u8(bytes, 7);
  return message;
}

void LlrMessage::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, static_cast<std::uint8_t>(form));
  store_u8(out, 1, static_cast<std::uint8_t>(type));
  store_be24(out, 2, (sequence & kLlrSequenceMask) << 4 | kUeOcode);
  store_le16(out, 5, carries_init_data(type) ? init_data : reserved);
  store_u8(out, 7, reserved_last);
}

Result<CfUpdate> CfUpdate::parse(std::span<const std::byte> bytes) {
  if (Result<void> checked = check_ctlos("CF_Update", bytes); !checked) {
    return pass_on(checked);
  }
  if (load_u8(bytes, 1) != static_cast<std::uint8_t>(CtlosType::kCfUpdate)) {
    return fail("control ordered set has type {:#04x}, CF_Update has 0x10", load_u8(bytes, 1));
  }
  return CfUpdate{.form = static_cast<CtlosForm>(load_u8(bytes, 0)),
                  .first = load_credits(bytes, 2),
                  .second = load_credits(bytes, 5),
                  .reserved = static_cast<std::uint8_t>(load_u8(bytes, 7) & 15U)};
}

void CfUpdate::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, static_cast<std::uint8_t>(form));
  store_u8(out, 1, static_cast<std::uint8_t>(CtlosType::kCfUpdate));
  store_credits(out, 2, first, kUeOcode);
  store_credits(out, 5, second, reserved);
}

Result<CcUpdate> CcUpdate::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("CC_Update", {.needed = kSize, .found = bytes.size()});
  }
  return CcUpdate{.type = load_u8(bytes, 0),
                  .consumed = load_credits(bytes, 1),
                  .reserved = static_cast<std::uint8_t>(load_u8(bytes, 3) & 15U),
                  .reserved_word = load_be32(bytes, 4)};
}

void CcUpdate::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, type);
  store_credits(out, 1, consumed, reserved);
  store_be32(out, 4, reserved_word);
}

}  // namespace weft::wire::uet
