// Requester half of a memory queue pair: messages become units, in order; each is complete when the answer has come.
//
// Completions are in the order of posting. A store or send is done when the responder says that it has executed it, a
// load when all its data are here. A message that is answered by nothing for the queue pair's timeout fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/ring.h"
#include "transport/memory/memory_types.h"
#include "transport/packet_io.h"
#include "transport/send_wqe.h"

namespace weft::transport {

class MemoryRequester {
 public:
  void reset() { *this = MemoryRequester{}; }

  /// Errors: limits of the queue pair, an operation that loads and stores do not give.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const MemoryCall& call);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, const MemoryCall& call);
  /// A unit may leave now.
  [[nodiscard]] bool ready(const QpCore& core, const MemoryOptions& options) const;
  [[nodiscard]] Time next_timeout() const { return deadline_; }

  void on_response(const ReceivedPacket& received, const MemoryCall& call);
  void on_load_data(const ReceivedPacket& received, const MemoryCall& call);
  void on_timeout(const MemoryCall& call);

  /// A request has failed: the queue pair goes to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Completes every queued request with kWrFlushErr.
  void flush(const MemoryCall& call);
  /// Every message begun is complete: an SQD queue pair has drained.
  [[nodiscard]] bool drained() const { return begun_ == 0; }
  [[nodiscard]] std::uint32_t queued() const { return queue_.size(); }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Refusal {
    std::uint32_t message = 0;
    verbs::WcStatus status = verbs::WcStatus::kSuccess;
  };

  /// The message whose units leave now, or the next one; only if there is one.
  [[nodiscard]] const SendWqe& current() const { return queue_[offset_ > 0 ? begun_ - 1 : begun_]; }
  /// Counts agree with the queue; for assertions.
  [[nodiscard]] bool consistent() const;
  [[nodiscard]] bool may_begin(const SendWqe& wqe, const QpCore& core) const;
  [[nodiscard]] bool fill_data(const SendWqe& wqe, const TransmitSlot& slot, const MemoryCall& call);
  void fill_load(const SendWqe& wqe, const TransmitSlot& slot, const MemoryCall& call);
  void refuse_own(const SendWqe& wqe, const MemoryCall& call);
  void complete_responded(const MemoryCall& call);
  void complete_front(verbs::WcStatus status, const MemoryCall& call);
  void progress(const MemoryCall& call);
  [[nodiscard]] bool was_sent(std::uint32_t message, bool itself) const;
  [[nodiscard]] std::uint32_t asked(std::uint32_t place) const;

  Ring<SendWqe> queue_;
  std::uint32_t begun_ = 0;         // messages at its front that have begun
  std::uint32_t offset_ = 0;        // of the last of them; 0: all its units have left
  std::uint32_t next_message_ = 0;  // number of the message posted next
  std::uint32_t executed_ = 0;      // by the responder: all before this number
  std::uint64_t load_in_flight_ = 0;
  std::uint32_t loads_ = 0;  // begun and not complete
  std::optional<Refusal> refusal_;
  Time deadline_ = Time::never();
  bool peer_waits_ = false;  // for a receive request: no timeout
  bool failed_ = false;
};

}  // namespace weft::transport
