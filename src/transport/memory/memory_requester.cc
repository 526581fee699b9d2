#include "transport/memory/memory_requester.h"

#include <algorithm>

#include "base/assert.h"
#include "transport/message_packet.h"
#include "transport/rc_timing.h"

namespace weft::transport {
namespace {

using wire::MemoryOperation;

Result<void> check_opcode(verbs::WrOpcode opcode) {
  switch (opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
    case verbs::WrOpcode::kRdmaRead:
      return {};
    case verbs::WrOpcode::kSendWithInv:
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return fail("post_send: a scale-up link has SEND and WRITE, with or without immediate data, and READ; nothing else");
}

/// Whether message `number` comes before `end`; both wrap.
bool before(std::uint32_t number, std::uint32_t end) { return static_cast<std::int32_t>(number - end) < 0; }

}  // namespace

Result<void> MemoryRequester::post(const verbs::SendWr& request, const MemoryCall& call) {
  if (Result<void> known = check_opcode(request.opcode); !known)
    return known;
  if (request.opcode == verbs::WrOpcode::kRdmaRead && (request.send_flags & verbs::kSendInline) != 0)
    return fail("post_send: READ cannot be inline");
  if (Result<void> allowed = call.core.check_send(request, queue_.size()); !allowed)
    return allowed;
  if (Result<void> readable = check_inline(request, call.core.init().pd, call.context.memory()); !readable)
    return readable;
  SendWqe wqe = make_send_wqe(
      request,
      {.path_mtu = verbs::PathMtu::k4096, .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
      call.context.memory());
  wqe.ssn = next_message_++;
  queue_.push_back(std::move(wqe));
  return {};
}

// In SQD a message that has begun is finished, and no other begins; a fenced one waits for the loads before it.
bool MemoryRequester::may_begin(const SendWqe& wqe, const QpCore& core) const {
  return core.state() != verbs::QpState::kSqd && ((wqe.flags & verbs::kSendFence) == 0 || loads_ == 0);
}

bool MemoryRequester::ready(const QpCore& core, const MemoryOptions& options) const {
  if (failed_ || refusal_.has_value() ||
      (offset_ == 0 && (begun_ == queue_.size() || !may_begin(queue_[begun_], core))))
    return false;
  return !current().is_read() ||
         load_in_flight_ + options.format.unit <= static_cast<std::uint64_t>(options.load_window.count());
}

bool MemoryRequester::poll_transmit(const TransmitSlot& slot, const MemoryCall& call) {
  if (!ready(call.core, call.options))
    return false;
  if (offset_ == 0) {
    const SendWqe& wqe = queue_[begun_++];
    if (wqe.sg_list.check(call.context.memory(), call.core.init().pd, wqe.local_access()) !=
        verbs::AccessFault::kNone) {
      refuse_own(wqe, call);
      return false;
    }
    loads_ += wqe.is_read() ? 1 : 0;
  }
  const SendWqe& wqe = queue_[begun_ - 1];
  start_unit(call.core, slot.packet);
  slot.packet.memory.message = wqe.ssn;
  slot.packet.memory.offset = offset_;
  if (offset_ == 0)
    slot.packet.memory.flags = wire::kMemoryFirst;
  if (wqe.is_read()) {
    fill_load(wqe, slot, call);
  } else if (!fill_data(wqe, slot, call)) {
    refuse_own(wqe, call);
    return false;
  }
  progress(call);
  WEFT_DCHECK(consistent());
  return true;
}

bool MemoryRequester::consistent() const {
  if (failed_)
    return true;  // the queue pair flushes what is left
  const bool numbered = queue_.empty() || queue_.front().ssn == next_message_ - queue_.size();
  return numbered && begun_ <= queue_.size() && (offset_ == 0 || begun_ > 0) && loads_ <= begun_ &&
         (loads_ > 0 || load_in_flight_ == 0);
}

// Those before it may still complete; it fails in its turn.
void MemoryRequester::refuse_own(const SendWqe& wqe, const MemoryCall& call) {
  refusal_ = Refusal{wqe.ssn, verbs::WcStatus::kLocProtErr};
  complete_responded(call);
}

bool MemoryRequester::fill_data(const SendWqe& wqe, const TransmitSlot& slot, const MemoryCall& call) {
  const wire::MemoryFormat& format = call.options.format;
  wire::MemoryHeader& header = slot.packet.memory;
  const std::uint32_t payload = std::min(wqe.length - offset_, format.unit);
  header.operation = wqe.is_write() ? MemoryOperation::kStore : MemoryOperation::kSend;
  if (wqe.is_write()) {
    header.address = wqe.remote_address + offset_;
    header.remote_key = wqe.rkey;
  }
  if (!slot.payload.empty()) {
    // A region may have been closed between two units.
    if (wqe.sg_list.check(call.context.memory(), call.core.init().pd, 0) != verbs::AccessFault::kNone)
      return false;
    wqe.sg_list.gather(call.context.memory(), offset_, slot.payload.first(payload));
  }
  set_memory_sizes(slot.packet, payload, wire::data_wire_bytes(format, payload));
  offset_ += payload;
  if (offset_ == wqe.length) {
    offset_ = 0;
    header.flags |= wire::kMemoryLast;
    if (wqe.opcode == verbs::WrOpcode::kSendWithImm || wqe.opcode == verbs::WrOpcode::kRdmaWriteWithImm) {
      header.flags |= wire::kMemoryImmediate;
      header.argument = wqe.immediate;
    }
    if ((wqe.flags & verbs::kSendSolicited) != 0)
      header.flags |= wire::kMemorySolicited;
  }
  return true;
}

void MemoryRequester::fill_load(const SendWqe& wqe, const TransmitSlot& slot, const MemoryCall& call) {
  const wire::MemoryFormat& format = call.options.format;
  wire::MemoryHeader& header = slot.packet.memory;
  const std::uint32_t asked = std::min(wqe.length - offset_, format.unit);
  header.operation = MemoryOperation::kLoad;
  header.address = wqe.remote_address + offset_;
  header.remote_key = wqe.rkey;
  header.argument = asked;
  set_memory_sizes(slot.packet, 0, wire::request_wire_bytes(format, asked));
  load_in_flight_ += asked;
  offset_ += asked;
  if (offset_ == wqe.length) {
    offset_ = 0;
    header.flags |= wire::kMemoryLast;
  }
}

// A sign of life, of this side or the other: the deadline begins anew.
void MemoryRequester::progress(const MemoryCall& call) {
  const Duration span = ack_timeout(call.attributes().timeout);
  deadline_ = begun_ == 0 || peer_waits_ || span == Duration::max() ? Time::never() : call.now + span;
}

// An answer says that all messages before `message` are executed, a refusal that the one of that number never will be.
bool MemoryRequester::was_sent(std::uint32_t message, bool itself) const {
  const std::uint32_t next = next_message_ - queue_.size() + begun_;
  return itself ? before(message, next) : !before(next, message);
}

/// Bytes of a load that have been asked for.
std::uint32_t MemoryRequester::asked(std::uint32_t place) const {
  return place + 1 == begun_ && offset_ > 0 ? offset_ : queue_[place].length;
}

void MemoryRequester::on_response(const ReceivedPacket& received, const MemoryCall& call) {
  const wire::MemoryHeader& header = received.packet.memory;
  const bool refuses = header.operation == MemoryOperation::kRefusal;
  if (!was_sent(header.message, refuses) || (refuses && header.status == 0)) {
    ++call.counters.discarded;
    return;
  }
  if (before(executed_, header.message))
    executed_ = header.message;
  peer_waits_ = header.operation == MemoryOperation::kWait;
  if (refuses && !refusal_.has_value())
    refusal_ = Refusal{header.message, static_cast<verbs::WcStatus>(header.status)};
  complete_responded(call);
  progress(call);
}

void MemoryRequester::on_load_data(const ReceivedPacket& received, const MemoryCall& call) {
  const wire::MemoryHeader& header = received.packet.memory;
  const std::uint32_t place = header.message - (queue_.empty() ? 0 : queue_.front().ssn);
  const std::uint32_t payload = received.packet.common.payload_bytes;
  if (place >= begun_ || !queue_[place].is_read() || queue_[place].started ||
      header.offset != queue_[place].responses || payload > asked(place) - header.offset) {
    // One before it is missing, and nothing repeats it; or nobody has asked for so much.
    ++call.counters.discarded;
    return;
  }
  SendWqe& wqe = queue_[place];
  if (!received.payload.empty()) {
    if (wqe.sg_list.check(call.context.memory(), call.core.init().pd, wqe.local_access()) !=
        verbs::AccessFault::kNone) {
      refusal_ = Refusal{wqe.ssn, verbs::WcStatus::kLocProtErr};
    } else {
      wqe.sg_list.scatter(call.context.memory(), header.offset, received.payload.first(payload));
    }
  }
  WEFT_DCHECK(loads_ > 0 && load_in_flight_ >= payload);
  wqe.responses += payload;
  load_in_flight_ -= payload;
  if (wqe.responses == wqe.length) {
    --loads_;
    wqe.started = true;  // all here, an empty load too
  }
  complete_responded(call);
  progress(call);
  WEFT_DCHECK(consistent());
}

void MemoryRequester::complete_responded(const MemoryCall& call) {
  while (begun_ > 0 && !failed_) {
    const SendWqe& front = queue_.front();
    if (refusal_.has_value() && refusal_->message == front.ssn) {
      complete_front(refusal_->status, call);
      failed_ = true;
      return;
    }
    const bool answered = front.is_read() ? front.started : before(front.ssn, executed_);
    if (!answered || (begun_ == 1 && offset_ > 0))
      return;
    complete_front(verbs::WcStatus::kSuccess, call);
  }
}

void MemoryRequester::complete_front(verbs::WcStatus status, const MemoryCall& call) {
  const SendWqe wqe = queue_.pop_front();
  begun_ -= begun_ > 0 ? 1 : 0;
  if (status == verbs::WcStatus::kSuccess && !wqe.is_signaled())
    return;
  if (!call.core.complete_send(send_completion(wqe, call.core.identity().qpn, status), call.context))
    failed_ = true;
}

void MemoryRequester::on_timeout(const MemoryCall& call) {
  if (deadline_ > call.now || failed_)
    return;
  WEFT_DCHECK(begun_ > 0);  // or there was no deadline
  ++call.counters.timeouts;
  complete_front(verbs::WcStatus::kRetryExcErr, call);
  failed_ = true;
}

void MemoryRequester::flush(const MemoryCall& call) {
  while (!queue_.empty()) {
    const bool refused = refusal_.has_value() && refusal_->message == queue_.front().ssn;
    complete_front(refused ? refusal_->status : verbs::WcStatus::kWrFlushErr, call);
  }
  deadline_ = Time::never();
  offset_ = 0;
}

std::size_t MemoryRequester::heap_bytes() const {
  std::size_t bytes = queue_.heap_bytes();
  for (std::uint32_t i = 0; i < queue_.size(); ++i)
    bytes += queue_[i].sg_list.heap_bytes();
  return bytes;
}

}  // namespace weft::transport
