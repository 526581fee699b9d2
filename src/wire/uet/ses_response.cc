#include "wire/uet/ses_response.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

Result<SesOutcome> SesOutcome::parse(std::span<const std::byte> bytes) {
  WEFT_DCHECK(bytes.size() >= kSize);
  const std::uint8_t first = load_u8(bytes, 0);
  const std::uint8_t second = load_u8(bytes, 1);
  if ((second >> 6) != 0) {
    return fail("SES response has version {}, must be 0", second >> 6);
  }
  return SesOutcome{.list = static_cast<SesList>(first >> 6),
                    .opcode = static_cast<SesResponseOpcode>(first & 0x3FU),
                    .return_code = static_cast<SesReturnCode>(second & 0x3FU)};
}

void SesOutcome::emit(std::span<std::byte> out) const {
  store_u8(out, 0,
           static_cast<std::uint8_t>(shifted<6>(static_cast<unsigned>(list) & 3U) |
                                     (static_cast<unsigned>(opcode) & 0x3FU)));
  store_u8(out, 1, static_cast<std::uint8_t>(static_cast<unsigned>(return_code) & 0x3FU));
}

Result<SesResponse> SesResponse::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES response", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOutcome> outcome = SesOutcome::parse(bytes);
  if (!outcome) {
    return pass_on(outcome);
  }
  return SesResponse{.outcome = *outcome,
                     .message_id = load_be16(bytes, 2),
                     .index_generation = load_u8(bytes, 4),
                     .job_id = load_be24(bytes, 5),
                     .modified_length = load_be32(bytes, 8)};
}

void SesResponse::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  outcome.emit(out);
  store_be16(out, 2, message_id);
  store_u8(out, 4, index_generation);
  store_be24(out, 5, job_id);
  store_be32(out, 8, modified_length);
}

Result<SesDataResponse> SesDataResponse::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES response with data", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOutcome> outcome = SesOutcome::parse(bytes);
  if (!outcome) {
    return pass_on(outcome);
  }
  return SesDataResponse{.outcome = *outcome,
                         .message_id = load_be16(bytes, 2),
                         .reserved = load_u8(bytes, 4),
                         .job_id = load_be24(bytes, 5),
                         .read_message_id = load_be16(bytes, 8),
                         .payload_length = SesLength::unpack(load_be16(bytes, 10)),
                         .modified_length = load_be32(bytes, 12),
                         .message_offset = load_be32(bytes, 16)};
}

void SesDataResponse::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  outcome.emit(out);
  store_be16(out, 2, message_id);
  store_u8(out, 4, reserved);
  store_be24(out, 5, job_id);
  store_be16(out, 8, read_message_id);
  store_be16(out, 10, payload_length.pack());
  store_be32(out, 12, modified_length);
  store_be32(out, 16, message_offset);
}

Result<SesSmallDataResponse> SesSmallDataResponse::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("SES small response with data", {.needed = kSize, .found = bytes.size()});
  }
  Result<SesOutcome> outcome = SesOutcome::parse(bytes);
  if (!outcome) {
    return pass_on(outcome);
  }
  return SesSmallDataResponse{.outcome = *outcome,
                              .payload_length = SesLength::unpack(load_be16(bytes, 2)),
                              .reserved = load_u8(bytes, 4),
                              .job_id = load_be24(bytes, 5),
                              .original_psn = load_be32(bytes, 8)};
}

void SesSmallDataResponse::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  outcome.emit(out);
  store_be16(out, 2, payload_length.pack());
  store_u8(out, 4, reserved);
  store_be24(out, 5, job_id);
  store_be32(out, 8, original_psn);
}

}  // namespace weft::wire::uet
