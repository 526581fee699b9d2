// Requester half of the unreliable services: sends requests in order, each complete when its last packet has left.
//
// `Service` (UcService, UdService) says what a request is and how it becomes packets. A request that cannot be sent
// completes with an error; `fault()` then tells the queue pair to stop the send queue (SQE) or everything (ERR).
// Source: IBTA 9.8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/ring.h"
#include "transport/message_packet.h"
#include "transport/packet_io.h"
#include "transport/send_wqe.h"
#include "transport/unreliable_types.h"

namespace weft::transport {

/// What a failed request means for its queue pair.
enum class SendFault : std::uint8_t { kNone, kSendQueue, kQueuePair };

template <class Service>
class UnreliableRequester {
 public:
  /// Starts from RTR: the first packet takes the send PSN of the attributes.
  void start(const UnreliableCall& call) { next_psn_ = call.attributes().sq_psn; }
  void reset() { *this = UnreliableRequester{}; }

  /// Errors: limits of the queue pair, an operation that the service does not have, and others of the service.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const UnreliableCall& call);
  [[nodiscard]] bool poll_transmit(TransmitSlot& slot, const UnreliableCall& call);
  [[nodiscard]] Time next_transmit(const QpCore& core) const {
    return blocked(core) ? Time::never() : pacer_.not_before();
  }

  [[nodiscard]] SendFault fault() const { return fault_; }
  /// The send queue goes on after SQE.
  void clear_fault() { fault_ = SendFault::kNone; }
  /// Completes every queued request with kWrFlushErr. False: the completion queue overflowed.
  bool flush(const UnreliableCall& call);
  /// No message is half sent: an SQD queue pair has drained.
  [[nodiscard]] bool drained() const { return packet_ == 0; }

  [[nodiscard]] std::uint32_t queued() const { return queue_.size(); }
  [[nodiscard]] Psn next_psn() const { return next_psn_; }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  using Wqe = typename Service::Wqe;

  // In SQD a message that has begun is finished, and no other begins.
  [[nodiscard]] bool blocked(const QpCore& core) const {
    return queue_.empty() || (core.state() == verbs::QpState::kSqd && packet_ == 0);
  }
  [[nodiscard]] bool complete_front(verbs::WcStatus status, const UnreliableCall& call);

  Ring<Wqe> queue_;
  FlowPacer pacer_;
  std::uint32_t packet_ = 0;  // of the front request
  Psn next_psn_;
  SendFault fault_ = SendFault::kNone;
};

template <class Service>
Result<void> UnreliableRequester<Service>::post(const verbs::SendWr& request, const UnreliableCall& call) {
  if (Result<void> allowed = call.core.check_send(request, queue_.size()); !allowed)
    return allowed;
  if (Result<void> allowed = Service::check_request(request, call); !allowed)
    return allowed;
  if (Result<void> readable = check_inline(request, call.core.init().pd, call.context.memory()); !readable)
    return readable;
  queue_.push_back(Service::make_wqe(request, call));
  return {};
}

template <class Service>
bool UnreliableRequester<Service>::poll_transmit(TransmitSlot& slot, const UnreliableCall& call) {
  if (call.now < pacer_.not_before() || blocked(call.core))
    return false;
  const Wqe& wqe = queue_.front();
  WEFT_DCHECK(fault_ == SendFault::kNone && packet_ < wqe.packets);  // a fault has led to SQE or ERR
  // A region may be closed between two packets; where only lengths travel, nothing would be read from it.
  if (packet_ == 0 || !slot.payload.empty()) {
    if (const verbs::WcStatus status = Service::check_start(wqe, call); status != verbs::WcStatus::kSuccess) {
      fault_ = complete_front(status, call) ? SendFault::kSendQueue : SendFault::kQueuePair;
      return false;
    }
  }
  call.core.start_packet(slot.packet);
  Service::fill(wqe, packet_, slot, call);
  slot.packet.ib.psn = next_psn_;
  ++next_psn_;
  pacer_.send(slot.packet, call.flow, call.now);
  if (++packet_ == wqe.packets && !complete_front(verbs::WcStatus::kSuccess, call))
    fault_ = SendFault::kQueuePair;
  return true;
}

template <class Service>
bool UnreliableRequester<Service>::complete_front(verbs::WcStatus status, const UnreliableCall& call) {
  const Wqe wqe = queue_.pop_front();
  packet_ = 0;
  if (status == verbs::WcStatus::kSuccess && !wqe.is_signaled())
    return true;
  return call.core.complete_send(send_completion(wqe, call.core.identity().qpn, status), call.context);
}

template <class Service>
bool UnreliableRequester<Service>::flush(const UnreliableCall& call) {
  bool fitted = true;
  while (!queue_.empty())
    fitted &= complete_front(verbs::WcStatus::kWrFlushErr, call);
  return fitted;
}

template <class Service>
std::size_t UnreliableRequester<Service>::heap_bytes() const {
  std::size_t bytes = queue_.heap_bytes();
  for (std::uint32_t i = 0; i < queue_.size(); ++i)
    bytes += queue_[i].sg_list.heap_bytes();
  return bytes;
}

}  // namespace weft::transport
