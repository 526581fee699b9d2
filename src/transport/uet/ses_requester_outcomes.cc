// What becomes of the requests of a UET queue pair: deliveries, refusals, answers, completions.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "transport/uet/ses_requester.h"
#include "transport/uet/ses_status.h"
#include "wire/aeth_syndrome.h"

namespace weft::transport {

using verbs::WcStatus;

SesRequester::Message* SesRequester::find(std::uint32_t number) {
  const std::uint32_t place = number - first_;
  return place < queue_.size() ? &queue_[place] : nullptr;
}

bool SesRequester::is_done(const Message& message) {
  return message.delivered == message.wqe.packets && (!message.wqe.expects_response() || message.answered);
}

bool SesRequester::on_delivered(const SesPacket& packet, const SesCall& call) {
  Message* const message = find(packet.message);
  if (message == nullptr)
    return false;
  bool changes = false;
  if (refused_.has_value() && refused_->message == packet.message && refused_->index == packet.index) {
    refused_.reset();
    refusals_ = 0;
    changes = true;
  }
  ++message->delivered;
  WEFT_DCHECK(message->delivered <= message->wqe.packets);
  if (packet.message == first_ && message->delivered == message->wqe.packets) {
    complete_in_order(call);
    changes = true;
  }
  return changes;
}

// A message ends with its last packet, and a receiver that refused one is heard again: those are not for here.
std::uint32_t SesRequester::count_delivered(const SesPacket& packet, std::uint32_t count) {
  Message* const message = find(packet.message);
  if (message == nullptr)
    return count;
  if (refused_.has_value())
    return 0;
  const std::uint32_t taken = std::min(count, message->wqe.packets - message->delivered - 1);
  message->delivered += taken;
  return taken;
}

void SesRequester::on_response(const SesPacket& packet, std::uint8_t code, const SesCall& call) {
  Message* const message = find(packet.message);
  if (message == nullptr)
    return;
  if (const WcStatus status = status_of(code); status != WcStatus::kSuccess) {
    fault(*message, status, call);
  } else {
    (void)on_delivered(packet, call);
  }
}

// The packet waits, and with it all that has not been sent: the receiver could take none of it either.
Duration SesRequester::on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, const SesCall& call) {
  constexpr std::uint8_t kForEver = 7;
  Message* const message = find(packet.message);
  if (message == nullptr)
    return Duration::max();
  if (static_cast<wire::UetNack>(notice.code) != wire::UetNack::kNoResource)
    return call.options.timeout;
  if (!refused_.has_value() || packet.message - first_ < refused_->message - first_) {
    refused_ = packet;
    refusals_ = 0;
    end_run();
  }
  if (refused_->message == packet.message && refused_->index == packet.index &&
      call.attributes().rnr_retry != kForEver) {
    if (refusals_ == call.attributes().rnr_retry) {
      fault(*message, WcStatus::kRnrRetryExcErr, call);
      return Duration::max();
    }
    ++refusals_;
  }
  return wire::rnr_timer(static_cast<std::uint8_t>(notice.payload & 31));
}

void SesRequester::on_answer(const ReceivedPacket& received, const SesCall& call) {
  const wire::UetRequestFields& answer = received.packet.uet.request;
  const auto place = static_cast<std::uint16_t>(answer.message_id - static_cast<std::uint16_t>(first_));
  if (place >= cursor_ || !queue_[place].wqe.expects_response() || queue_[place].answered)
    return;
  Message& message = queue_[place];
  if (const WcStatus status = status_of(static_cast<std::uint8_t>(answer.memory_key)); status != WcStatus::kSuccess) {
    fault(message, status, call);
    return;
  }
  if (!take_answer(message, received, call))
    return;
  if (message.received >= message.wqe.length && !message.answered) {
    message.answered = true;
    WEFT_DCHECK(reads_ > 0);
    --reads_;
  }
  complete_in_order(call);
}

bool SesRequester::take_answer(Message& message, const ReceivedPacket& received, const SesCall& call) {
  const SendWqe& wqe = message.wqe;
  const std::uint64_t offset = received.packet.uet.request.buffer_offset;
  const std::uint32_t length = wqe.is_atomic() ? 8 : received.packet.common.payload_bytes;
  if (offset + length > wqe.length || offset > wqe.length ||
      (wqe.is_atomic() && !received.packet.has(wire::kHasCold))) {
    fault(message, WcStatus::kBadRespErr, call);
    return false;
  }
  message.received += length;
  if (wqe.sg_list.check(call.context.memory(), call.core.init().pd, wqe.local_access()) != verbs::AccessFault::kNone) {
    fault(message, WcStatus::kLocProtErr, call);
    return false;
  }
  if (wqe.is_atomic()) {
    std::array<std::byte, 8> value;
    std::memcpy(value.data(), &received.cold.uet.header_data, value.size());
    wqe.sg_list.scatter(call.context.memory(), 0, value);
  } else if (!received.payload.empty()) {
    wqe.sg_list.scatter(call.context.memory(), offset, received.payload.first(length));
  }
  return true;
}

// Those before it may still complete; it fails in its turn.
void SesRequester::fault(Message& message, WcStatus status, const SesCall& call) {
  if (!message.fault)
    message.fault = status;
  stopped_ = true;
  end_run();
  complete_in_order(call);
}

void SesRequester::on_context_lost(const SesCall& call) {
  if (cursor_ > 0 || run_.packet.index > 0)
    fault(queue_.front(), WcStatus::kRetryExcErr, call);
}

void SesRequester::complete_in_order(const SesCall& call) {
  while (!queue_.empty() && !failed_) {
    const Message& front = queue_.front();
    if (front.fault) {
      complete_front(*front.fault, call);
      failed_ = true;
      end_run();
      return;
    }
    if (!is_done(front))
      return;
    complete_front(WcStatus::kSuccess, call);
  }
}

void SesRequester::complete_front(WcStatus status, const SesCall& call) {
  const Message message = queue_.pop_front();
  ++first_;
  if (cursor_ > 0) {
    --cursor_;
  } else {
    end_run();
    run_.packet.index = 0;
  }
  if (status == WcStatus::kSuccess && !message.wqe.is_signaled())
    return;
  if (!call.core.complete_send(send_completion(message.wqe, call.core.identity().qpn, status), call.context)) {
    failed_ = true;
    end_run();
  }
}

void SesRequester::flush(const SesCall& call) {
  while (!queue_.empty())
    complete_front(queue_.front().fault.value_or(WcStatus::kWrFlushErr), call);
  end_run();
  cursor_ = run_.packet.index = reads_ = 0;
  refused_.reset();
}

}  // namespace weft::transport
