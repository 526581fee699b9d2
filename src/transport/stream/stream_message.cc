#include "transport/stream/stream_message.h"

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::transport {
namespace {

constexpr std::uint8_t kSolicitedFlag = 1;

Result<void> check_fields(const StreamMessage& message) {
  if (message.length > StreamMessage::kMaxLength) {
    return fail("message header has a length of {}, at most {}", message.length, StreamMessage::kMaxLength);
  }
  const bool refusal = message.kind == StreamMessageKind::kRefusal;
  if (refusal && (message.length != 0 || message.immediate == 0 ||
                  message.immediate > static_cast<std::uint32_t>(RefusalCode::kRemoteOperational))) {
    return fail("message header of a refusal has length {} and code {}; 0 and 1 to 3 are allowed", message.length,
                message.immediate);
  }
  if (!refusal && !message.has_immediate() && message.immediate != 0) {
    return fail("message header has immediate data {:#x}, which its kind does not carry", message.immediate);
  }
  if (!message.is_write() && (message.remote_key != 0 || (!refusal && message.remote_address != 0))) {
    return fail("message header names remote memory, which its kind does not have");
  }
  return {};
}

}  // namespace

Result<StreamMessage> StreamMessage::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return wire::too_short("message header", {.needed = kSize, .found = bytes.size()});
  }
  const std::uint8_t magic = wire::load_u8(bytes, 0);
  const std::uint8_t kind = wire::load_u8(bytes, 1);
  const std::uint8_t flags = wire::load_u8(bytes, 2);
  if (magic != kMagic) {
    return fail("message header begins with {:#04x}, must be {:#04x}", magic, kMagic);
  }
  if (kind < static_cast<unsigned>(StreamMessageKind::kSend) ||
      kind > static_cast<unsigned>(StreamMessageKind::kRefusal)) {
    return fail("message header has kind {}, must be 1 to 5", kind);
  }
  if ((flags & ~kSolicitedFlag) != 0 || wire::load_u8(bytes, 3) != 0) {
    return fail("message header has reserved bits set");
  }
  StreamMessage message;
  message.kind = static_cast<StreamMessageKind>(kind);
  message.solicited = (flags & kSolicitedFlag) != 0;
  message.length = wire::load_be32(bytes, 4);
  message.immediate = wire::load_be32(bytes, 8);
  message.remote_key = wire::load_be32(bytes, 12);
  message.remote_address = wire::load_be64(bytes, 16);
  if (Result<void> checked = check_fields(message); !checked) {
    return pass_on(checked);
  }
  return message;
}

void StreamMessage::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  wire::store_u8(out, 0, kMagic);
  wire::store_u8(out, 1, static_cast<std::uint8_t>(kind));
  wire::store_u8(out, 2, solicited ? kSolicitedFlag : std::uint8_t{0});
  wire::store_u8(out, 3, 0);
  wire::store_be32(out, 4, length);
  wire::store_be32(out, 8, immediate);
  wire::store_be32(out, 12, remote_key);
  wire::store_be64(out, 16, remote_address);
}

}  // namespace weft::transport
