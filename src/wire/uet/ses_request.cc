#include "wire/uet/ses_request.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kDeliveryComplete = 0x20;
constexpr std::uint8_t kInitiatorError = 0x10;
constexpr std::uint8_t kRelative = 0x08;
constexpr std::uint8_t kHeaderData = 0x04;
constexpr std::uint8_t kEndOfMessage = 0x02;
constexpr std::uint8_t kStartOfMessage = 0x01;

/// Operation, length or message id, and target: where each request's own fields begin.
constexpr std::size_t kTargetAt = 4;
constexpr std::size_t kOwnAt = kTargetAt + SesTarget::kSize;

}  // namespace

Result<SesOperation> SesOperation::parse(std::span<const std::byte> bytes) {
  WEFT_DCHECK(bytes.size() >= kSize);
  const std::uint8_t first = load_u8(bytes, 0);
  const std::uint8_t flags = load_u8(bytes, 1);
  if ((flags >> 6) != 0) {
    return fail("SES request has version {}, must be 0", flags >> 6);
  }
  return SesOperation{.opcode = static_cast<SesOpcode>(first & 0x3FU),
                      .reserved = static_cast<std::uint8_t>(first >> 6),
                      .delivery_complete = (flags & kDeliveryComplete) != 0,
                      .initiator_error = (flags & kInitiatorError) != 0,
                      .relative = (flags & kRelative) != 0,
                      .header_data = (flags & kHeaderData) != 0,
                      .end_of_message = (flags & kEndOfMessage) != 0,
                      .start_of_message = (flags & kStartOfMessage) != 0};
}

void SesOperation::emit(std::span<std::byte> out) const {
  store_u8(out, 0, static_cast<std::uint8_t>((reserved & 3U) << 6 | (static_cast<unsigned>(opcode) & 0x3FU)));
  store_u8(out, 1,
           static_cast<std::uint8_t>((delivery_complete ? kDeliveryComplete : 0U) |
                                     (initiator_error ? kInitiatorError : 0U) | (relative ? kRelative : 0U) |
                                     (header_data ? kHeaderData : 0U) | (end_of_message ? kEndOfMessage : 0U) |
                                     (start_of_message ? kStartOfMessage : 0U)));
}

SesTarget SesTarget::load(std::span<const std::byte> bytes) {
  const std::uint16_t pid = load_be16(bytes, 4);
  const std::uint16_t index = load_be16(bytes, 6);
  return {.index_generation = load_u8(bytes, 0),
          .job_id = load_be24(bytes, 1),
          .reserved_pid = static_cast<std::uint8_t>(pid >> 12),
          .pid_on_fep = static_cast<std::uint16_t>(pid & 0x0FFFU),
          .reserved_index = static_cast<std::uint8_t>(index >> 12),
          .resource_index = static_cast<std::uint16_t>(index & 0x0FFFU)};
}

void SesTarget::emit(std::span<std::byte> out) const {
  store_u8(out, 0, index_generation);
  store_be24(out, 1, job_id);
  store_be16(out, 4, static_cast<std::uint16_t>((reserved_pid & 15U) << 12 | (pid_on_fep & 0x0FFFU)));
  store_be16(out, 6, static_cast<std::uint16_t>((reserved_index & 15U) << 12 | (resource_index & 0x0FFFU)));
}

Result<SesSmallRequest> SesSmallRequest::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES small request", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOperation> operation = SesOperation::parse(bytes);
  if (!operation) {
    return pass_on(operation);
  }
  return SesSmallRequest{.operation = *operation,
                         .request_length = SesLength::unpack(load_be16(bytes, SesOperation::kSize)),
                         .target = SesTarget::load(bytes.subspan(kTargetAt)),
                         .buffer_offset = load_be64(bytes, kOwnAt)};
}

void SesSmallRequest::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  operation.emit(out);
  store_be16(out, SesOperation::kSize, request_length.pack());
  target.emit(out.subspan(kTargetAt));
  store_be64(out, kOwnAt, buffer_offset);
}

Result<SesMediumRequest> SesMediumRequest::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES medium request", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOperation> operation = SesOperation::parse(bytes);
  if (!operation) {
    return pass_on(operation);
  }
  return SesMediumRequest{.operation = *operation,
                          .request_length = SesLength::unpack(load_be16(bytes, SesOperation::kSize)),
                          .target = SesTarget::load(bytes.subspan(kTargetAt)),
                          .header_data = load_be64(bytes, kOwnAt),
                          .initiator = load_be32(bytes, 20),
                          .memory_key = load_be64(bytes, 24)};
}

void SesMediumRequest::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  operation.emit(out);
  store_be16(out, SesOperation::kSize, request_length.pack());
  target.emit(out.subspan(kTargetAt));
  store_be64(out, kOwnAt, header_data);
  store_be32(out, 20, initiator);
  store_be64(out, 24, memory_key);
}

Result<SesStandardRequest> SesStandardRequest::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES standard request", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOperation> operation = SesOperation::parse(bytes);
  if (!operation) {
    return pass_on(operation);
  }
  SesStandardRequest request;
  request.operation = *operation;
  request.message_id = load_be16(bytes, SesOperation::kSize);
  request.target = SesTarget::load(bytes.subspan(kTargetAt));
  request.buffer_offset = load_be64(bytes, kOwnAt);
  request.initiator = load_be32(bytes, 20);
  request.memory_key = load_be64(bytes, 24);
  if (operation->start_of_message) {
    request.completion_data = load_be64(bytes, 32);
  } else {
    request.reserved = load_be16(bytes, 32);
    request.payload_length = SesLength::unpack(load_be16(bytes, 34));
    request.message_offset = load_be32(bytes, 36);
  }
  request.request_length = load_be32(bytes, 40);
  return request;
}

void SesStandardRequest::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  operation.emit(out);
  store_be16(out, SesOperation::kSize, message_id);
  target.emit(out.subspan(kTargetAt));
  store_be64(out, kOwnAt, buffer_offset);
  store_be32(out, 20, initiator);
  store_be64(out, 24, memory_key);
  if (operation.start_of_message) {
    store_be64(out, 32, completion_data);
  } else {
    store_be16(out, 32, reserved);
    store_be16(out, 34, payload_length.pack());
    store_be32(out, 36, message_offset);
  }
  store_be32(out, 40, request_length);
}

}  // namespace weft::wire::uet
