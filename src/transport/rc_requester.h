// Requester half of a reliable connection: sends requests in order, keeps them until they are acknowledged, and
// completes them in the order in which they were posted.
//
// Invariants: una <= next <= end in PSN order; [una, next) is in flight, [next, end) was sent before a retransmission
// began and may still be acknowledged. The front of the queue holds una. An error is final: `failed()` tells it, the
// failing request has its completion, and the queue pair flushes the rest. Source: IBTA 9.7.5 and 9.7.7.
#pragma once

#include <cstdint>
#include <memory>

#include "base/ring.h"
#include "transport/loss/selective_repeat.h"
#include "transport/packet_io.h"
#include "transport/rc_types.h"
#include "transport/send_wqe.h"

namespace weft::transport {

class RcRequester {
 public:
  /// Starts from RTR: the next message takes the send PSN of the attributes. Queued requests stay.
  void start(const RcCall& call);
  /// Takes over the ACK timeout and the window; after every change of attributes in RTS or SQD.
  void adopt_attributes(const RcCall& call);
  /// Empties everything, as on the way to RESET.
  void reset();

  /// Errors: limits of the queue pair, a message that takes more PSNs than may be outstanding, an atomic whose
  /// local length is not 8.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const RcCall& call);

  /// ACK, NAK, READ response, atomic acknowledgement or selective acknowledgement.
  void on_response(const ReceivedPacket& received, const RcCall& call);
  void on_timeout(const RcCall& call);
  /// A CNP or BECN for this connection.
  void on_congestion(const RcCall& call);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, const RcCall& call);

  [[nodiscard]] Time next_transmit(const RcCore& core) const {
    if (slow_path_reasons_ != 0)
      return next_transmit_slow(core);
    if (hot_.cursor == hot_.queue.size() || static_cast<std::uint32_t>(hot_.next - hot_.una) >= window_packets_)
      return Time::never();
    return hot_.cursor_packet != 0 ? hot_.not_before : next_transmit_slow(core);
  }

  // The fast path through the engine, for what is the same packet after packet (transport/rc_fast_path.h). Each does
  // nothing and returns false unless it would do exactly what the slow path does.

  /// Sends the middle of a message of which lengths alone travel.
  [[nodiscard]] bool poll_fast(const TransmitSlot& slot, RcCore& core, Time now);
  /// Takes an acknowledgement inside a message.
  [[nodiscard]] bool acknowledge_fast(const wire::Packet& packet, const RcCore& core, Time now);
  [[nodiscard]] Time next_timeout() const { return hot_.next == hot_.una ? Time::never() : hot_.deadline; }

  /// A request has failed, or a completion queue overflowed: the queue pair must go to ERR.
  [[nodiscard]] bool failed() const { return failed_; }
  /// Completes every queued request with kWrFlushErr.
  void flush(const RcCall& call);
  /// Everything ever sent is acknowledged and no message is half sent: an SQD queue pair has drained.
  [[nodiscard]] bool drained() const { return hot_.end == hot_.una && hot_.cursor_packet == 0; }

  [[nodiscard]] std::uint32_t queued() const { return hot_.queue.size(); }
  [[nodiscard]] Psn next_psn() const { return hot_.next; }
  [[nodiscard]] Psn oldest_unacknowledged() const { return hot_.una; }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  enum SlowPathReason : std::uint8_t { kCredits = 1, kLocalFault = 2, kRepair = 4 };

  [[nodiscard]] bool by_time() const { return selective_ != nullptr && selective_->by_time(); }

  /// Selective repeat, with the times that make up the deadline when losses are found by time.
  struct Recovery : SelectiveRepeat {
    using SelectiveRepeat::SelectiveRepeat;
    Time ack_deadline;
    Time probe_at;
    Time lost_at = Time::never();  // when a packet that others have overtaken counts as lost
    Duration probe_timeout;        // doubled with each probe in vain
    Psn acknowledged;              // everything before it has been executed, though answers may be missing
    [[nodiscard]] Time soonest() const { return earlier(ack_deadline, earlier(probe_at, lost_at)); }
  };

  /// What almost every packet and acknowledgement touches, together and no longer than a cache line.
  struct Hot {
    Ring<SendWqe> queue;
    Time deadline;                    // ACK timeout of the oldest packet in flight
    Time not_before;                  // pacing, or the end of an RNR wait
    Psn una;                          // oldest unacknowledged PSN
    Psn next;                         // next PSN to send
    Psn end;                          // one past the highest PSN ever sent
    std::uint32_t cursor = 0;         // request that `next` belongs to, counted from the front
    std::uint32_t cursor_packet = 0;  // packet of that request; 0 for READ and atomics
    std::uint16_t since_ack_request = 0;
    std::uint8_t reads_in_flight = 0;
    bool gap_handled = false;  // a gap in the responses has already led to a retransmission
  };
  static_assert(sizeof(Hot) == 64);

  /// In the middle of a message with no reason for the slow path: `blocked` need not be checked.
  [[nodiscard]] bool on_fast_path() const {
    return hot_.cursor_packet != 0 && slow_path_reasons_ == 0 &&
           static_cast<std::uint32_t>(hot_.next - hot_.una) < window_packets_;
  }
  /// The invariants above, and what follows from them for cursor and counters; for assertions.
  [[nodiscard]] bool consistent() const;
  [[nodiscard]] bool inside_message() const;
  [[nodiscard, gnu::noinline]] Time next_transmit_slow(const RcCore& core) const;
  [[nodiscard]] bool blocked(const RcCore& core) const;
  [[nodiscard]] bool beyond_credits(const SendWqe& wqe) const;
  [[nodiscard]] bool begin(SendWqe& wqe, const RcCall& call);
  void advance_cursor(const SendWqe& wqe);
  [[nodiscard]] bool wants_ack(const SendWqe& wqe, const RcCall& call);
  void emit_request(const SendWqe& wqe, std::uint32_t index, const TransmitSlot& slot, const RcCall& call) const;
  void finish_fast(const TransmitSlot& slot, const RcCore& core, Time now);
  void track_fast(wire::Packet& packet, const SendWqe& wqe, const RcCore& core, Time now);
  [[gnu::noinline]] void finish_packet(const TransmitSlot& slot, const RcCore& core, Time now);
  [[nodiscard]] bool poll_retransmission(const TransmitSlot& slot, const RcCall& call);

  void on_acknowledge(const ReceivedPacket& received, const RcCall& call);
  void on_nak(std::uint8_t syndrome, const RcCall& call);
  void on_receiver_not_ready(Duration wait, const RcCall& call);
  void process_response(const ReceivedPacket& received, const RcCall& call);
  void take_echoes(const wire::Packet& packet, const RcCall& call);
  void on_selective_acknowledge(const ReceivedPacket& received, const RcCall& call);
  void on_data_response(const ReceivedPacket& received, const RcCall& call);
  void on_any_data_response(const ReceivedPacket& received, const RcCall& call);
  [[nodiscard]] bool take_response_data(const SendWqe& wqe, const ReceivedPacket& received, const RcCall& call);
  void accept_response(SendWqe& wqe, const ReceivedPacket& received, const RcCall& call);
  void update_credits(const wire::AethFields& aeth);
  [[nodiscard]] SendWqe* oldest_incomplete_read();
  [[nodiscard]] SendWqe* request_of(Psn psn);
  void acknowledge_through(Psn psn, const RcCall& call);
  void advance_in_any_order(const RcCall& call);
  void advance(Psn una, const RcCall& call);
  void complete_front(const RcCall& call);
  void rewind();
  void resend_from(Psn psn, const RcCall& call);
  [[nodiscard]] bool take_retry(const RcCall& call);
  void fail_front(verbs::WcStatus status, const RcCall& call);
  [[gnu::noinline]] void report_ack(std::int32_t progress, const RcCore& core, Time now);
  void report_loss(LossEvent sign, const RcCore& core, Time now);
  void refresh_window(const RcCore& core, Time now);
  void restart_deadline(Time now);
  void find_losses(const RcCall& call);
  void on_recovery_timer(const RcCall& call);
  void probe(bool oldest_is_answer, const RcCall& call);
  [[nodiscard]] bool oldest_is_response() const;
  [[nodiscard]] Psn first_response() const;
  void refresh_slow_path_reasons();

  Hot hot_;
  std::unique_ptr<Recovery> selective_;  // only with selective repeat
  Time sample_sent_;                     // when the packet of the running round-trip sample left
  Duration ack_timeout_;
  Psn sample_psn_;
  std::uint32_t window_packets_ = 1;    // PSNs that may be in flight
  std::uint32_t incomplete_reads_ = 0;  // queued READs and atomics that are not complete
  std::uint32_t next_ssn_ = 1;
  Psn credit_limit_;  // highest SSN the peer has granted
  bool credits_known_ = false;
  bool has_policies_ = false;           // congestion control or path selection finish each packet
  bool paces_only_ = false;             // congestion control alone, without a look at acknowledgements
  bool wants_acks_ = false;             // congestion control hears of acknowledgements
  bool learns_paths_ = false;           // path selection hears what becomes of packets
  std::uint8_t slow_path_reasons_ = 0;  // SlowPathReason bits: why the fast path does not apply
  // Sizes of a packet in the middle of a message, kept so that the fast path need not ask the encapsulation.
  std::uint16_t full_payload_ = 0;
  std::uint16_t full_frame_ = 0;
  std::uint16_t full_wire_ = 0;
  std::uint16_t echoed_entropy_ = 0;  // of the answer being processed
  bool echoed_mark_ : 1 = false;
  bool follows_messages_ : 1 = false;  // path selection hears of which message each packet is
  bool paced_ : 1 = false;             // `not_before` is what pacing alone has made of it, of a flow with telemetry
  wire::TelemetryKind telemetry_ = wire::TelemetryKind::kNone;  // that data packets carry
  bool sampling_ = false;
  bool failed_ = false;
  std::uint8_t retries_left_ = 0;
  std::uint8_t rnr_retries_left_ = 0;
};

}  // namespace weft::transport
