#include "wire/uet_ses_record.h"

#include <cstring>

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/uet_job_record.h"

namespace weft::wire {

namespace {

using uet::SesDataResponse;
using uet::SesMediumRequest;
using uet::SesOperation;
using uet::SesResponse;
using uet::SesSmallDataResponse;
using uet::SesSmallRequest;
using uet::SesStandardRequest;
using uet::SesTarget;

constexpr std::size_t kOperandBytes = 8;
constexpr unsigned kMessageIdShift = 48;  // of the key in a medium header

/// Where a value shorter than its field of 16 bytes lies in it.
constexpr std::size_t kShortValueAt = uet::SesCompareSwap::Value{}.size() - kOperandBytes;

std::uint32_t resource_of(const SesTarget& target) {
  return static_cast<std::uint32_t>(target.pid_on_fep) << 12 | target.resource_index;
}

SesTarget target_of(const UetHeader& header, const UetExtension* extension) {
  const std::uint32_t resource = header.resource();
  const bool has_generation = extension != nullptr && !uet::is_atomic(header.operation());
  return {.index_generation = has_generation ? generation_of(*extension) : std::uint8_t{0},
          .job_id = extension != nullptr ? extension->job : 0,
          .pid_on_fep = static_cast<std::uint16_t>(resource >> 12),
          .resource_index = static_cast<std::uint16_t>(resource & 0x0FFF)};
}

SesOperation operation_of(const UetHeader& header) {
  return {.opcode = header.operation(),
          .delivery_complete = header.has_ses(kUetDeliveryComplete),
          .initiator_error = header.has_ses(kUetInitiatorError),
          .relative = header.has_ses(kUetRelative),
          .header_data = header.has_ses(kUetHeaderData),
          .end_of_message = header.has_ses(kUetEndOfMessage),
          .start_of_message = header.has_ses(kUetStartOfMessage)};
}

std::uint8_t ses_flags_of(const SesOperation& operation) {
  return static_cast<std::uint8_t>(
      (operation.delivery_complete ? kUetDeliveryComplete : 0) | (operation.initiator_error ? kUetInitiatorError : 0) |
      (operation.relative ? kUetRelative : 0) | (operation.header_data ? kUetHeaderData : 0) |
      (operation.end_of_message ? kUetEndOfMessage : 0) | (operation.start_of_message ? kUetStartOfMessage : 0));
}

/// What a small or medium request asks for or brings; 14 bits.
uet::SesLength short_length(const Packet& packet, const UetExtension* extension) {
  const std::uint32_t length = extension != nullptr ? extension->length : packet.common.payload_bytes;
  return uet::SesLength::unpack(static_cast<std::uint16_t>(length & 0x3FFFU));
}

/// Memory key or match bits, where a message id stands elsewhere.
std::uint64_t key_of(const UetHeader& header, const UetExtension* extension) {
  return extension != nullptr && has_match_bits(header.operation()) ? match_bits_of(header, *extension)
                                                                    : header.request.memory_key;
}

SesMediumRequest make_medium(const Packet& packet, const UetExtension* extension) {
  constexpr std::uint64_t kBelowId = (std::uint64_t{1} << kMessageIdShift) - 1;
  const UetHeader& header = packet.uet;
  const bool has_data = header.has_ses(kUetHeaderData) && extension != nullptr;
  return {.operation = operation_of(header),
          .request_length = short_length(packet, extension),
          .target = target_of(header, extension),
          .header_data = has_data ? extension->header_data : header.request.buffer_offset,
          .initiator = extension != nullptr ? extension->initiator : 0,
          .memory_key =
              std::uint64_t{header.request.message_id} << kMessageIdShift | (key_of(header, extension) & kBelowId)};
}

/// Tokens that stand where others have an offset or a key.
void put_restart(const UetHeader& header, const ColdPacket* cold, SesStandardRequest& request) {
  const std::uint64_t token = cold != nullptr ? restart_of(*cold).pack() : 0;
  if (header.operation() == UetOperation::kReadyToRestart) {
    request.memory_key = token;
  } else if (uet::is_deferrable(header.operation())) {
    request.message_offset = static_cast<std::uint32_t>(header.request.buffer_offset);
    request.buffer_offset = token;
  }
}

SesStandardRequest make_standard(const Packet& packet, const ColdPacket* cold) {
  const UetExtension* const extension = cold != nullptr ? &cold->uet : nullptr;
  const UetHeader& header = packet.uet;
  SesStandardRequest request{.operation = operation_of(header),
                             .message_id = header.request.message_id,
                             .target = target_of(header, extension),
                             .buffer_offset = header.request.buffer_offset,
                             .memory_key = key_of(header, extension)};
  if (extension != nullptr) {
    request.initiator = extension->initiator;
    request.request_length = extension->length;
  }
  if (header.has_ses(kUetStartOfMessage)) {
    request.completion_data = header.has_ses(kUetHeaderData) && extension != nullptr ? extension->header_data : 0;
  } else {
    request.payload_length = uet::SesLength::unpack(static_cast<std::uint16_t>(packet.common.payload_bytes & 0x3FFFU));
    request.message_offset = extension != nullptr ? extension->offset : 0;
    request.buffer_offset -= request.message_offset;
  }
  put_restart(header, cold, request);
  return request;
}

std::span<const std::byte> bytes_of(const std::uint64_t& value) { return std::as_bytes(std::span(&value, 1)); }

void write_atomic(const UetExtension& extension, uet::UetFrame& frame) {
  const auto operation = static_cast<uet::AtomicOperation>(extension.atomic_code);
  frame.ses.extensions.atomic = uet::SesAtomic{.operation = operation};
  if (!has_two_operands(operation)) {
    frame.payload = bytes_of(extension.operand);
    return;
  }
  uet::SesCompareSwap operands;
  store_be64(operands.compare, kShortValueAt, extension.compare);
  store_be64(operands.swap, kShortValueAt, extension.operand);
  frame.ses.extensions.compare_swap = operands;
}

SesDataResponse make_data_response(const Packet& packet, const UetExtension* extension) {
  const UetRequestFields& answer = packet.uet.request;
  return {.outcome = {.opcode = uet::SesResponseOpcode::kWithData,
                      .return_code = static_cast<uet::SesReturnCode>(answer.memory_key)},
          .message_id = answer.message_id,
          .job_id = packet.uet.resource(),
          .read_message_id = answer.message_id,
          .payload_length = uet::SesLength::unpack(static_cast<std::uint16_t>(packet.common.payload_bytes & 0x3FFFU)),
          .modified_length = extension != nullptr ? extension->length : 0,
          .message_offset = static_cast<std::uint32_t>(answer.buffer_offset)};
}

SesResponse make_response(const Packet& packet, const UetExtension* extension) {
  const UetRequestFields& answer = packet.uet.request;
  return {.outcome = {.opcode = uet::SesResponseOpcode::kResponse,
                      .return_code = static_cast<uet::SesReturnCode>(answer.memory_key)},
          .message_id = answer.message_id,
          .job_id = packet.uet.resource(),
          .modified_length = extension != nullptr ? extension->length : 0};
}

// To the record: each of these reads one SES header.

struct SesReader {
  const uet::UetFrame& frame;
  UetHeader& header;
  ColdPacket& cold;
  UetExtension& extension = cold.uet;

  [[nodiscard]] std::uint16_t payload() const { return static_cast<std::uint16_t>(frame.payload.size()); }

  void take_operation(const SesOperation& operation, const SesTarget& target, UetNextHeader next) const {
    header.request.operation = static_cast<std::uint8_t>(operation.opcode);
    header.request.ses_flags = ses_flags_of(operation);
    header.set_target(next, resource_of(target));
    extension.job = target.job_id;
    if (!uet::is_atomic(operation.opcode)) {
      set_generation(extension, target.index_generation);
    }
  }
  void take_key(std::uint64_t key) const {
    header.request.memory_key = static_cast<std::uint32_t>(key);
    if (has_match_bits(header.operation())) {
      set_match_bits(header, extension, key);
    }
  }
  void take_restart(const SesStandardRequest& request) const {
    if (header.operation() == UetOperation::kReadyToRestart) {
      set_restart(cold, uet::RestartToken::unpack(request.memory_key));
    } else if (uet::is_deferrable(header.operation())) {
      set_restart(cold, uet::RestartToken::unpack(request.buffer_offset));
      header.request.buffer_offset = request.message_offset;
    }
  }
  /// Extension headers, and what of the payload is an operand.
  Result<SesRecord> take_extensions() const {
    const uet::SesExtensions& extensions = frame.ses.extensions;
    if (extensions.sync) {
      return fail("a request with an extension for synchronization has no form in a packet record");
    }
    if (extensions.rendezvous) {
      set_rendezvous(cold, *extensions.rendezvous);
    }
    if (!extensions.atomic) {
      return SesRecord{.payload_bytes = payload(), .has_cold = true};
    }
    const bool two = extensions.compare_swap.has_value();
    if (frame.payload.size() != (two ? 0 : kOperandBytes)) {
      return fail("an atomic's payload has {} bytes; a packet record has operands of {} bytes", frame.payload.size(),
                  kOperandBytes);
    }
    extension.atomic_code = static_cast<std::uint8_t>(extensions.atomic->operation);
    if (two) {
      extension.compare = load_be64(extensions.compare_swap->compare, kShortValueAt);
      extension.operand = load_be64(extensions.compare_swap->swap, kShortValueAt);
    } else {
      std::memcpy(&extension.operand, frame.payload.data(), kOperandBytes);
    }
    return SesRecord{.payload_bytes = 0, .has_cold = true};
  }

  Result<SesRecord> operator()(std::monostate /*none*/) const { return SesRecord{.payload_bytes = payload()}; }
  Result<SesRecord> operator()(const SesSmallRequest& request) const {
    take_operation(request.operation, request.target, UetNextHeader::kRequestSmall);
    header.request.buffer_offset = request.buffer_offset;
    extension.length = request.request_length.bytes;
    return take_extensions();
  }
  Result<SesRecord> operator()(const SesMediumRequest& request) const {
    take_operation(request.operation, request.target, UetNextHeader::kRequestMedium);
    take_key(request.memory_key);
    header.request.message_id = static_cast<std::uint16_t>(request.memory_key >> kMessageIdShift);
    extension.length = request.request_length.bytes;
    extension.initiator = request.initiator;
    (request.operation.header_data ? extension.header_data : header.request.buffer_offset) = request.header_data;
    return take_extensions();
  }
  Result<SesRecord> operator()(const SesStandardRequest& request) const {
    take_operation(request.operation, request.target, UetNextHeader::kRequestStandard);
    take_key(request.memory_key);
    header.request.message_id = request.message_id;
    header.request.buffer_offset = request.buffer_offset + request.message_offset;
    take_restart(request);
    extension.length = request.request_length;
    extension.initiator = request.initiator;
    extension.header_data = request.operation.header_data ? request.completion_data : 0;
    extension.offset = request.message_offset;
    return take_extensions();
  }
  Result<SesRecord> operator()(const SesResponse& response) const {
    const auto code = static_cast<std::uint8_t>(response.outcome.return_code);
    if (uet::is_ack(header.type)) {
      extension.return_code = code;
      extension.message_id = response.message_id;
      extension.job = response.job_id;
      extension.length = response.modified_length;
      return SesRecord{.payload_bytes = payload(), .has_cold = true};
    }
    header.set_target(UetNextHeader::kResponse, response.job_id);
    header.request.message_id = response.message_id;
    header.request.memory_key = code;
    extension.length = response.modified_length;
    return SesRecord{.payload_bytes = payload(), .has_cold = true};
  }
  Result<SesRecord> operator()(const SesDataResponse& response) const {
    header.set_target(UetNextHeader::kResponseData, response.job_id);
    header.request.message_id = response.read_message_id;
    header.request.memory_key = static_cast<std::uint8_t>(response.outcome.return_code);
    header.request.buffer_offset = response.message_offset;
    extension.length = response.modified_length;
    if (frame.payload.size() == kOperandBytes) {
      std::memcpy(&extension.header_data, frame.payload.data(), kOperandBytes);
    }
    return SesRecord{.payload_bytes = payload(), .has_cold = true};
  }
  Result<SesRecord> operator()(const SesSmallDataResponse& /*response*/) const {
    return fail("a small response with data has no form in a packet record");
  }
};

/// Fields of ACKs and notices stand in the record where those of requests do.
bool may_follow(const uet::Ses& ses, UetType type) {
  const bool response = std::holds_alternative<SesResponse>(ses.header);
  if (uet::is_ack(type)) {
    return response || std::holds_alternative<std::monostate>(ses.header);
  }
  const bool notice = type == UetType::kNack || type == UetType::kNackCcx || type == UetType::kControl;
  return !notice || std::holds_alternative<std::monostate>(ses.header);
}

}  // namespace

SesResponse make_ses_answer(const UetExtension& extension) {
  return {.outcome = {.opcode = uet::SesResponseOpcode::kResponse,
                      .return_code = static_cast<uet::SesReturnCode>(extension.return_code)},
          .message_id = extension.message_id,
          .job_id = extension.job,
          .modified_length = extension.length};
}

void write_ses(const Packet& packet, const ColdPacket* cold, uet::UetFrame& frame, SesPayload payload) {
  const UetExtension* const extension = cold != nullptr ? &cold->uet : nullptr;
  const UetHeader& header = packet.uet;
  const bool is_request = header.next_header() <= UetNextHeader::kRequestStandard;
  switch (header.next_header()) {
    case UetNextHeader::kRequestSmall:
      frame.ses.header = SesSmallRequest{.operation = operation_of(header),
                                         .request_length = short_length(packet, extension),
                                         .target = target_of(header, extension),
                                         .buffer_offset = header.request.buffer_offset};
      break;
    case UetNextHeader::kRequestMedium:
      frame.ses.header = make_medium(packet, extension);
      break;
    case UetNextHeader::kRequestStandard:
      frame.ses.header = make_standard(packet, cold);
      break;
    case UetNextHeader::kResponse:
      frame.ses.header = make_response(packet, extension);
      break;
    case UetNextHeader::kResponseData:
      frame.ses.header = make_data_response(packet, extension);
      // Of lengths alone, an atomic's result has its bytes all the same.
      if (payload == SesPayload::kLengthAlone && extension != nullptr && frame.payload.size() == kOperandBytes) {
        frame.payload = bytes_of(extension->header_data);
      }
      break;
    case UetNextHeader::kNone:
    case UetNextHeader::kResponseDataSmall:
      WEFT_ASSERT(false && "the SES header of a UET packet has no record form");
      break;
  }
  if (is_request && uet::is_atomic(header.operation())) {
    WEFT_ASSERT(extension != nullptr);
    write_atomic(*extension, frame);
  }
  if (is_request && uet::is_rendezvous(header.operation())) {
    WEFT_ASSERT(cold != nullptr);
    frame.ses.extensions.rendezvous = rendezvous_of(*cold);
  }
}

Result<SesRecord> read_ses(const uet::UetFrame& frame, UetHeader& header, ColdPacket& cold) {
  // A PDS header may name an SES header that nobody knows.
  if (frame.pds && next_header_of(*frame.pds) > UetNextHeader::kResponseDataSmall) {
    return fail("next header {} has no form in a packet record", static_cast<unsigned>(next_header_of(*frame.pds)));
  }
  if (!may_follow(frame.ses, header.type)) {
    return fail("an SES header of that kind behind {} has no form in a packet record", to_string(header.type));
  }
  return std::visit(SesReader{frame, header, cold}, frame.ses.header);
}

}  // namespace weft::wire
