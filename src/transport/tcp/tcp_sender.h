// The sending half of a connection: what may leave when, loss recovery, timers.
//
// New data leave within the peer's window and the congestion window; what is lost leaves first. One timer serves
// retransmission, tail probes and window probes, for at most one of them is wanted at any time; a second one waits for
// segments that may be late only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/packet_io.h"
#include "transport/tcp/rack.h"
#include "transport/tcp/rate_reduction.h"
#include "transport/tcp/rtt_estimator.h"
#include "transport/tcp/scoreboard.h"
#include "transport/tcp/tcp_core.h"

namespace weft::transport {

/// What an acknowledgement says, in numbers that do not wrap.
struct TcpAck {
  TcpSequence sequence = 0;  // of the segment that carries it, in the peer's numbers
  TcpSequence acknowledged = 0;
  std::int64_t window = 0;  // bytes, scaled
  std::uint32_t echo = 0;   // of a timestamp; meaningful if `has_echo`
  bool has_echo = false;
  bool echoes_mark = false;
  bool occupies = false;  // the segment has payload, SYN or FIN
  std::span<const wire::TcpSackBlock> sack{};
};

class TcpSender {
 public:
  /// Why a timeout ended without a segment to send.
  enum class Verdict : std::uint8_t { kGoesOn, kGivesUp };

  // From the connection.

  void start(const TcpCore& core);
  /// A SYN is to be sent, or sent again with other flags.
  void queue_syn();
  /// Data may be sent from now on. `edge`: the end of the peer's window.
  void open(TcpCore& core, TcpSequence edge);
  void write(const TcpCore& core, std::uint64_t length, Time now);
  void queue_fin(const TcpCore& core, Time now);
  /// Nothing will be sent or waited for any more.
  void stop();

  void on_ack(TcpCore& core, const TcpAck& ack, Time now);
  /// What an acknowledgement without SACK blocks says at least.
  struct AckState {
    TcpSequence acknowledged = 0;
    std::int64_t window = 0;
  };
  /// It brings nothing new: the usual case for unidirectional data.
  [[nodiscard]] bool is_redundant(const AckState& told) const {
    return board_.outstanding() == 0 && told.acknowledged == board_.una() && told.acknowledged + told.window == edge_ &&
           attempts_ == 0;
  }
  [[nodiscard]] Verdict on_timeout(TcpCore& core, Time now);

  /// When the next segment may leave, as windows and pacing go; past = at once. Asked far more often than it changes.
  [[nodiscard]] Time next_data(const TcpCore& core) const {
    if (stale_) {
      stale_ = false;
      data_at_ = ready(core) ? not_before_ : Time::never();
    }
    return data_at_;
  }
  /// next_data() must have come. Fills sequence, flags, payload and ECN of a packet that has been started.
  void fill(TcpCore& core, const TransmitSlot& slot, Time now);
  /// A segment without payload that makes the peer tell its window.
  [[nodiscard]] bool window_probe_waits() const { return window_probe_; }
  void fill_window_probe(TcpCore& core, wire::Packet& packet);

  [[nodiscard]] Time next_timeout() const { return earlier(timer_at_, reorder_at_); }

  // Of the stream.

  [[nodiscard]] TcpSequence una() const { return board_.una(); }
  [[nodiscard]] TcpSequence next() const { return board_.next(); }
  [[nodiscard]] StreamOffset written() const { return static_cast<StreamOffset>(end_ - 1); }
  [[nodiscard]] StreamOffset acknowledged() const;
  [[nodiscard]] bool fin_queued() const { return fin_queued_; }
  [[nodiscard]] bool fin_acknowledged() const { return fin_sent_ && board_.una() > end_; }
  [[nodiscard]] std::int64_t window() const { return window_; }
  [[nodiscard]] std::int64_t in_flight() const { return board_.in_flight(); }
  [[nodiscard]] const RttEstimator& rtt() const { return rtt_; }
  [[nodiscard]] std::size_t heap_bytes() const { return board_.heap_bytes(); }

 private:
  enum class Recovery : std::uint8_t { kOpen, kFast, kTimeout };
  enum class Timer : std::uint8_t { kNone, kRetransmission, kTailProbe, kWindowProbe };

  // tcp_sender.cc: sending.
  /// Points of the stream in order, and a timer only for something that is waited for; for assertions.
  [[nodiscard]] bool consistent() const;
  /// Whether a segment may leave as far as windows go.
  [[nodiscard]] bool ready(const TcpCore& core) const;
  [[nodiscard]] std::uint32_t next_length(const TcpCore& core) const;
  [[nodiscard]] bool new_data_ready(const TcpCore& core) const;
  [[nodiscard]] bool window_admits(const TcpCore& core, std::int64_t length) const;
  [[nodiscard]] std::int64_t unsent() const { return end_ - board_.next(); }
  [[nodiscard]] bool fin_unsent() const { return fin_queued_ && !fin_sent_; }
  void fill_syn(const TcpCore& core, wire::Packet& packet, Time now) const;
  void fill_new(TcpCore& core, const TransmitSlot& slot, Time now);
  void fill_again(TcpCore& core, const TransmitSlot& slot, std::uint32_t index, Time now);
  void fill_tail_probe(TcpCore& core, const TransmitSlot& slot, Time now);
  void fill_payload(const TcpCore& core, const TransmitSlot& slot, TcpSequence begin, std::uint32_t length) const;
  void after_send(TcpCore& core, const wire::Packet& packet, std::uint32_t length, Time now);
  void pace(const TcpCore& core, const wire::Packet& packet, Time now);
  void restart_if_idle(TcpCore& core, Time now);

  // tcp_sender_acks.cc: acknowledgements and recovery.
  /// What an acknowledgement, or a look at late segments, has brought.
  struct Outcome {
    Duration rtt;                // negative: not measured
    std::int64_t delivered = 0;  // bytes
    std::int64_t acknowledged = 0;
    bool limited = false;  // the congestion window held the sender back
    bool lost = false;     // more was found lost
  };
  void report(TcpCore& core, const TcpAck& ack, const Outcome& outcome, Time now);
  [[nodiscard]] bool update_peer_window(const TcpAck& ack);
  void read_blocks(const TcpCore& core, const TcpAck& ack, const AckEvidence& evidence, Delivery& delivery);
  void count_duplicate(const TcpCore& core, Delivery& delivery);
  void advance(TcpCore& core, const TcpAck& ack, Time now);
  [[nodiscard]] Duration measure(const TcpCore& core, const TcpAck& ack, const Delivery& delivery, Time now);
  [[nodiscard]] bool was_spurious(const TcpAck& ack) const;
  void undo(TcpCore& core, Time now);
  void leave_recovery(const TcpCore& core);
  void settle_tail_probe(const TcpCore& core, const TcpAck& ack, bool advances, Time now);
  void find_losses(TcpCore& core, Time now);
  void enter_fast_recovery(TcpCore& core, Time now);
  void react_to_mark(TcpCore& core, Time now);
  void refresh_window(const TcpCore& core);
  void tell_plb(TcpCore& core, const TcpAck& ack, const Outcome& outcome, Time now) const;
  [[nodiscard]] bool uses_rack(const TcpCore& core) const {
    return core.agreed.sack && core.options.loss_detection == TcpLossDetection::kRack;
  }

  // tcp_sender_timers.cc.
  void arm(const TcpCore& core, Time now);
  [[nodiscard]] Duration backed_off(const TcpCore& core) const;
  [[nodiscard]] bool tail_probe_wanted(const TcpCore& core) const;
  [[nodiscard]] Verdict retransmission_timeout(TcpCore& core, Time now);
  [[nodiscard]] Verdict window_probe_timeout(TcpCore& core, Time now);

  TcpScoreboard board_;
  RttEstimator rtt_;
  Rack rack_;
  RateReduction reduction_;

  TcpSequence end_ = 1;              // behind the last byte written; the FIN's number
  TcpSequence edge_ = 0;             // end of the peer's window
  TcpSequence window_from_ = -1;     // the peer's segment that told it last
  TcpSequence recovery_point_ = 0;   // acknowledging it ends the recovery
  TcpSequence reduction_point_ = 0;  // the same of a reduction for marks
  TcpSequence probe_end_ = 0;        // of a tail probe that is not settled; 0 = none
  TcpSequence limited_until_ = 0;    // data below it were sent while the congestion window was full
  std::int64_t window_ = 0;          // congestion window in force
  std::int64_t largest_window_ = 0;  // of the peer's
  Time timer_at_ = Time::never();
  Time reorder_at_ = Time::never();
  Time not_before_;
  Time last_sent_;
  mutable TcpSequence length_of_ = -1;  // what `length_` was asked for
  mutable std::uint32_t length_room_ = 0;
  mutable std::uint32_t length_ = 0;      // of the next new segment
  mutable Time data_at_ = Time::never();  // of next_data(), unless `stale_`
  std::uint32_t undo_stamp_ = 0;          // timestamp of the first retransmission of a recovery
  Recovery recovery_ = Recovery::kOpen;
  Timer timer_ = Timer::kNone;
  std::uint8_t backoff_ = 0;     // doublings of the timeout
  std::uint8_t attempts_ = 0;    // timeouts without an answer
  std::uint8_t duplicates_ = 0;  // acknowledgements, without SACK
  mutable bool stale_ = true;
  bool open_ = false;
  bool syn_waits_ = false;
  bool fin_queued_ = false;
  bool fin_sent_ = false;
  bool undo_possible_ = false;  // nothing yet proves that the recovery was needed
  bool stamp_pending_ = false;  // the next retransmission is the first of its recovery
  bool tail_probe_ = false;     // one is to be sent
  bool probe_resent_ = false;   // the last one carried old data
  bool window_probe_ = false;
  bool small_segment_ = false;   // the override timer has fired: send what fits into the window
  bool duplicate_seen_ = false;  // the acknowledgement at hand reports a segment that arrived twice
  bool reduced_mark_ = false;    // tell the peer with the next new data (CWR)
};

}  // namespace weft::transport
