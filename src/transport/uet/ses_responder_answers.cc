// How the responder of a UET queue pair serves READs and atomics: the answers, and their packets.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "transport/segmentation.h"
#include "transport/uet/ses_responder.h"

namespace weft::transport {

using wire::UetOperation;

namespace {

wire::uet::SesReturnCode code_of(verbs::AccessFault fault) {
  return fault == verbs::AccessFault::kInvalidKey ? wire::uet::SesReturnCode::kBadMemoryKey
                                                  : wire::uet::SesReturnCode::kPermissionViolation;
}

/// One with an operand that is not aligned, or an operation that verbs do not have.
bool malformed(std::uint64_t address, std::uint8_t code) {
  return address % 8 != 0 || (code != kAtomicAdd && code != kAtomicCompareSwap);
}

}  // namespace

void SesResponder::execute_read(const Incoming& message, const SesCall& call) {
  Answer answer{.address = message.start,
                .key = message.key,
                .length = message.received,
                .message_id = static_cast<std::uint16_t>(first_ - 1)};
  const bool allowed = (call.attributes().access_flags & verbs::kAccessRemoteRead) != 0;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = message.key,
                                                    .address = message.start,
                                                    .length = message.received,
                                                    .access = verbs::kAccessRemoteRead});
  if (!allowed || checked.fault != verbs::AccessFault::kNone) {
    access_violation_ = true;
    answer.code = code_of(checked.fault);
  } else {
    answer.packets = static_cast<std::uint32_t>(packet_count(answer.length, call.mtu()));
  }
  answers_.push_back(answer);
}

void SesResponder::execute_atomic(const Incoming& message, const SesCall& call) {
  Answer answer{.length = 8, .message_id = static_cast<std::uint16_t>(first_ - 1), .atomic = true};
  const bool allowed = (call.attributes().access_flags & verbs::kAccessRemoteAtomic) != 0;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = message.key,
                                                    .address = message.start,
                                                    .length = 8,
                                                    .access = verbs::kAccessRemoteAtomic});
  if (malformed(message.start, message.atomic_code)) {
    answer.code = wire::uet::SesReturnCode::kUnsupportedOperation;
  } else if (!allowed || checked.fault != verbs::AccessFault::kNone) {
    access_violation_ = true;
    answer.code = code_of(checked.fault);
  } else if (std::byte* const bytes = checked.region->data(message.start); bytes != nullptr) {
    std::memcpy(&answer.value, bytes, sizeof answer.value);
    const std::uint64_t next = message.atomic_code == kAtomicAdd ? answer.value + message.operand
                               : answer.value == message.compare ? message.operand
                                                                 : answer.value;
    std::memcpy(bytes, &next, sizeof next);
  }
  answers_.push_back(answer);
}

SesNext SesResponder::make_next(std::uint32_t owner, const TransmitSlot& slot, const SesCall& call) {
  if (!ready())
    return {};
  const SesPacket packet{.owner = owner, .message = first_answer_ + cursor_, .index = cursor_packet_};
  const Answer& answer = answers_[cursor_];
  const std::uint16_t header = fill(answer, cursor_packet_, slot, call);
  if (++cursor_packet_ == answer.packets) {
    ++cursor_;
    cursor_packet_ = 0;
  }
  return {.made = true, .more = ready(), .packet = packet, .header_bytes = header};
}

Bytes SesResponder::backlog(Bytes enough, const SesCall& call) const {
  constexpr std::uint32_t kLookedAt = 32;
  const auto payload = static_cast<std::int64_t>(full_payload(call.mtu()));
  Bytes sum;
  std::uint32_t sent = cursor_packet_;
  std::uint32_t place = cursor_;
  for (; place < std::min(cursor_ + kLookedAt, answers_.size()) && sum < enough; ++place) {
    const Bytes data(std::int64_t{answers_[place].length} - sent * payload);
    sum += packet_headers(call) * (answers_[place].packets - sent) + std::max(data, Bytes::zero());
    sent = 0;
  }
  return sum + packet_headers(call) * (answers_.size() - place);
}

std::uint16_t SesResponder::make_again(const SesPacket& packet, const TransmitSlot& slot, const SesCall& call) {
  const std::uint32_t place = packet.message - first_answer_;
  return place < answers_.size() ? fill(answers_[place], packet.index, slot, call) : std::uint16_t{0};
}

//= uet-1.0 3.4
std::uint16_t SesResponder::fill(const Answer& answer, std::uint32_t index, const TransmitSlot& slot,
                                 const SesCall& call) const {
  wire::UetRequestFields& request = slot.packet.uet.request;
  request.message_id = answer.message_id;
  request.operation = static_cast<std::uint8_t>(answer.atomic ? UetOperation::kFetchingAtomic : UetOperation::kRead);
  request.memory_key = static_cast<std::uint32_t>(answer.code);
  slot.packet.common.payload_bytes = 0;
  const std::uint32_t target = call.attributes().destination_qpn.value();
  if (answer.code != wire::uet::SesReturnCode::kOk) {
    slot.packet.uet.set_target(wire::UetNextHeader::kResponse, target);
    return kSesResponseBytes;
  }
  slot.packet.uet.set_target(wire::UetNextHeader::kResponseData, target);
  if (answer.atomic) {
    attach_extension(slot).header_data = answer.value;
    slot.cold.uet.length = sizeof answer.value;
    slot.packet.common.payload_bytes = sizeof answer.value;
    if (!slot.payload.empty())
      std::memcpy(slot.payload.data(), &answer.value, sizeof answer.value);
    return kSesResponseDataBytes;
  }
  if (call.options.full_headers)
    attach_extension(slot).length = answer.length;
  const std::uint32_t mtu = full_payload(call.mtu());
  const std::uint32_t offset = index * mtu;
  const std::uint32_t payload = std::min(answer.length - offset, mtu);
  request.buffer_offset = offset;
  slot.packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  if (!slot.payload.empty() && payload > 0) {
    const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                      .key = answer.key,
                                                      .address = answer.address + offset,
                                                      .length = payload,
                                                      .access = verbs::kAccessRemoteRead});
    if (checked.fault != verbs::AccessFault::kNone) {
      // The region has been closed since the READ was accepted.
      request.memory_key = static_cast<std::uint32_t>(code_of(checked.fault));
      slot.packet.common.payload_bytes = 0;
    } else if (const std::byte* const bytes = checked.region->data(answer.address + offset); bytes != nullptr) {
      std::memcpy(slot.payload.data(), bytes, payload);
    } else {
      std::memset(slot.payload.data(), 0, payload);
    }
  }
  return kSesResponseDataBytes;
}

void SesResponder::on_delivered(const SesPacket& packet) {
  if (const std::uint32_t place = packet.message - first_answer_; place < answers_.size())
    ++answers_[place].delivered;
  while (!answers_.empty() && cursor_ > 0 && answers_.front().delivered >= answers_.front().packets) {
    (void)answers_.pop_front();
    ++first_answer_;
    --cursor_;
  }
}

AnswerState SesResponder::answer_state(std::uint16_t message_id) const {
  if (static_cast<std::uint16_t>(message_id - static_cast<std::uint16_t>(first_)) < 0x8000)
    return AnswerState::kProcessing;
  for (std::uint32_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].message_id == message_id)
      return AnswerState::kUnderWay;
  }
  return AnswerState::kGiven;
}

void SesResponder::on_context_lost() {
  first_answer_ += answers_.size();
  answers_.clear();
  cursor_ = cursor_packet_ = 0;
}

}  // namespace weft::transport
