#include "transport/uet/ses_requester.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "transport/message_packet.h"
#include "transport/segmentation.h"
#include "transport/uet/ses_status.h"
#include "wire/aeth_syndrome.h"

namespace weft::transport {

using verbs::WcStatus;
using wire::UetOperation;

void SesRequester::start(const SesCall& call) {
  WEFT_DCHECK(queue_.empty() || cursor_ == 0);
  first_ = call.attributes().sq_psn.value();
}

Result<void> SesRequester::post(const verbs::SendWr& request, const SesCall& call) {
  if (request.opcode == verbs::WrOpcode::kSendWithInv)
    return fail("post_send: UET has no SEND with invalidate; deregister the region at its owner");
  const bool atomic =
      request.opcode == verbs::WrOpcode::kAtomicCmpAndSwp || request.opcode == verbs::WrOpcode::kAtomicFetchAndAdd;
  if ((atomic || request.opcode == verbs::WrOpcode::kRdmaRead) && (request.send_flags & verbs::kSendInline) != 0)
    return fail("post_send: READ and atomics cannot be inline");
  if (Result<void> allowed = call.core.check_send(request, queue_.size()); !allowed)
    return allowed;
  if (Result<void> readable = check_inline(request, call.core.init().pd, call.context.memory()); !readable)
    return readable;
  Message message{.wqe = make_send_wqe(
                      request,
                      {.path_mtu = call.mtu(), .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
                      call.context.memory())};
  if (atomic && message.wqe.length != 8)
    return fail("post_send: an atomic's local length is {} bytes; it must be 8", message.wqe.length);
  if (message.wqe.expects_response())
    message.wqe.packets = 1;
  if (message.wqe.consumes_receive())
    message.receive_number = receives_++;
  queue_.push_back(std::move(message));
  return {};
}

bool SesRequester::ready(const SesCall& call) const {
  if (cursor_ == queue_.size() || stopped_ || failed_ || refused_.has_value())
    return false;
  if (run_.packet.index != 0)
    return true;
  const SendWqe& wqe = queue_[cursor_].wqe;
  if (!call.core.may_request() || call.core.state() == verbs::QpState::kSqd || cursor_ >= call.options.max_messages)
    return false;
  if ((wqe.flags & verbs::kSendFence) != 0 && reads_ > 0)
    return false;
  return !wqe.expects_response() || reads_ < std::max<std::uint32_t>(call.attributes().max_rd_atomic, 1);
}

SesNext SesRequester::make_next(std::uint32_t owner, const TransmitSlot& slot, const SesCall& call) {
  if (!ready(call))
    return {};
  end_run();
  Message& message = queue_[cursor_];
  const SesPacket packet{.owner = owner, .message = first_ + cursor_, .index = run_.packet.index};
  // The memory may have been closed since the request was posted, or since the last packet.
  const bool check = run_.packet.index == 0 || !slot.payload.empty();
  if (check &&
      (message.wqe.local_fault || message.wqe.sg_list.check(call.context.memory(), call.core.init().pd,
                                                            message.wqe.local_access()) != verbs::AccessFault::kNone)) {
    fault(message, WcStatus::kLocProtErr, call);
    return {};
  }
  const std::uint16_t header = fill(message, packet.message, packet.index, slot, call);
  if (run_.packet.index == 0 && message.wqe.expects_response())
    ++reads_;
  if (++run_.packet.index == message.wqe.packets) {
    ++cursor_;
    run_.packet.index = 0;
  }
  return {.made = true,
          .more = ready(call),
          .packet = packet,
          .header_bytes = header,
          .expects_answer = message.wqe.expects_response()};
}

SesRequester::Run SesRequester::find_run(std::uint32_t owner, const wire::PacketCommon& common, const QpCore& core) {
  if (run_.goes_on())
    return {.run = &run_};
  // Of READs under way the queue pair keeps account packet by packet.
  if (run_.packet.index == 0 || stopped_ || failed_ || refused_.has_value() || reads_ > 0)
    return {};
  const Message& message = queue_[cursor_];
  const SendWqe& wqe = message.wqe;
  if (run_.packet.index + 1 >= wqe.packets)
    return {};
  const bool write = wqe.is_write();
  const std::uint32_t payload = full_payload(core.attributes().path_mtu);
  run_.packet.owner = owner;
  run_.packet.message = first_ + cursor_;
  run_.end = wqe.packets - 1;
  run_.step = payload;
  run_.next.common = common;
  run_.next.common.payload_bytes = static_cast<std::uint16_t>(payload);
  run_.next.uet = {};
  run_.next.uet.request = {
      .buffer_offset = run_.packet.index * payload + (write ? wqe.remote_address : 0),
      .memory_key = write ? wqe.rkey : message.receive_number,
      .message_id = static_cast<std::uint16_t>(run_.packet.message),
      .operation = static_cast<std::uint8_t>(write ? UetOperation::kWrite : UetOperation::kTaggedSend),
      .ses_flags = 0};
  run_.next.uet.set_target(wire::UetNextHeader::kRequestStandard, core.attributes().destination_qpn.value());
  return {.run = &run_, .fresh = true};
}

// Of many small messages, those beyond the first are counted by their headers.
Bytes SesRequester::backlog(Bytes enough, const SesCall& call) const {
  constexpr std::uint32_t kLookedAt = 32;
  if (!ready(call))
    return Bytes::zero();
  const auto payload = static_cast<std::int64_t>(full_payload(call.mtu()));
  Bytes sum;
  std::uint32_t sent = run_.packet.index;
  std::uint32_t place = cursor_;
  for (; place < std::min(cursor_ + kLookedAt, queue_.size()) && sum < enough; ++place) {
    const SendWqe& wqe = queue_[place].wqe;
    const Bytes data(wqe.expects_response() ? 0 : std::int64_t{wqe.length} - sent * payload);
    sum += packet_headers(call) * (wqe.packets - sent) + std::max(data, Bytes::zero());
    sent = 0;
  }
  return sum + packet_headers(call) * (queue_.size() - place);
}

std::uint16_t SesRequester::make_again(const SesPacket& packet, const TransmitSlot& slot, const SesCall& call) {
  Message* const message = find(packet.message);
  if (message == nullptr)
    return 0;
  if (!slot.payload.empty() && message->wqe.sg_list.check(call.context.memory(), call.core.init().pd,
                                                          message->wqe.local_access()) != verbs::AccessFault::kNone) {
    fault(*message, WcStatus::kLocProtErr, call);
    return 0;
  }
  return fill(*message, packet.message, packet.index, slot, call);
}

//= uet-1.0 3.4
std::uint16_t SesRequester::fill(const Message& message, std::uint32_t number, std::uint32_t index,
                                 const TransmitSlot& slot, const SesCall& call) const {
  wire::UetRequestFields& request = slot.packet.uet.request;
  const SendWqe& wqe = message.wqe;
  request.message_id = static_cast<std::uint16_t>(number);
  if (index == 0)
    request.ses_flags |= wire::kUetStartOfMessage;
  if (index + 1 == wqe.packets)
    request.ses_flags |= wire::kUetEndOfMessage;
  const std::uint16_t header =
      wqe.expects_response() ? fill_read(wqe, slot, call) : fill_data(message, index, slot, call);
  slot.packet.uet.set_target(
      header == kSesMediumBytes ? wire::UetNextHeader::kRequestMedium : wire::UetNextHeader::kRequestStandard,
      call.attributes().destination_qpn.value());
  return header;
}

std::uint16_t SesRequester::fill_data(const Message& message, std::uint32_t index, const TransmitSlot& slot,
                                      const SesCall& call) const {
  wire::UetRequestFields& request = slot.packet.uet.request;
  const SendWqe& wqe = message.wqe;
  const std::uint32_t mtu = full_payload(call.mtu());
  const std::uint32_t offset = index * mtu;
  const std::uint32_t payload = std::min(wqe.length - offset, mtu);
  request.operation = static_cast<std::uint8_t>(wqe.is_write() ? UetOperation::kWrite : UetOperation::kTaggedSend);
  request.buffer_offset = offset + (wqe.is_write() ? wqe.remote_address : 0);
  request.memory_key = wqe.is_write() ? wqe.rkey : message.receive_number;
  slot.packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  if (!slot.payload.empty() && payload > 0)
    wqe.sg_list.gather(call.context.memory(), offset, slot.payload.first(payload));
  const bool immediate =
      wqe.opcode == verbs::WrOpcode::kSendWithImm || wqe.opcode == verbs::WrOpcode::kRdmaWriteWithImm;
  const bool solicited = (wqe.flags & verbs::kSendSolicited) != 0;
  // Only a message's first header has room for them.
  const bool header_data = index == 0 && (immediate || solicited);
  if (header_data || call.options.full_headers) {
    wire::UetExtension& extension = attach_extension(slot);
    extension.length = wqe.length;
    extension.offset = offset;
    extension.job = call.core.identity().qpn.value();
    if (header_data) {
      request.ses_flags |= wire::kUetHeaderData;
      extension.header_data = pack({.immediate = wqe.immediate,
                                    .receive_number = static_cast<std::uint16_t>(message.receive_number),
                                    .has_immediate = immediate,
                                    .solicited = solicited});
    }
  }
  // The medium header has room for an offset or header data, not both.
  return wqe.packets == 1 && !(header_data && wqe.is_write()) ? kSesMediumBytes : kSesStandardBytes;
}

std::uint16_t SesRequester::fill_read(const SendWqe& wqe, const TransmitSlot& slot, const SesCall& call) {
  constexpr std::uint16_t kAtomicBytes = 4 + 8;  // extension and operand
  constexpr std::uint16_t kCompareSwapBytes = 36;
  wire::UetRequestFields& request = slot.packet.uet.request;
  request.buffer_offset = wqe.remote_address;
  request.memory_key = wqe.rkey;
  wire::UetExtension& extension = attach_extension(slot);
  extension.length = wqe.length;
  extension.job = call.core.identity().qpn.value();
  slot.packet.common.payload_bytes = 0;
  if (wqe.is_read()) {
    request.operation = static_cast<std::uint8_t>(UetOperation::kRead);
    return kSesStandardBytes;
  }
  request.operation = static_cast<std::uint8_t>(UetOperation::kFetchingAtomic);
  if (wqe.opcode == verbs::WrOpcode::kAtomicFetchAndAdd) {
    extension.operand = wqe.compare_add;
    extension.atomic_code = kAtomicAdd;
    return kSesStandardBytes + kAtomicBytes;
  }
  extension.compare = wqe.compare_add;
  extension.operand = wqe.swap;
  extension.atomic_code = kAtomicCompareSwap;
  return kSesStandardBytes + kCompareSwapBytes;
}

std::size_t SesRequester::heap_bytes() const {
  std::size_t bytes = queue_.heap_bytes();
  for (std::uint32_t i = 0; i < queue_.size(); ++i)
    bytes += queue_[i].wqe.sg_list.heap_bytes();
  return bytes;
}

}  // namespace weft::transport
