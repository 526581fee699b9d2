// Sending half of a packet delivery context: gives PSNs, keeps what is in flight, and sends again what is lost.
//
// Invariants: una <= next in PSN order; one record per PSN of [una, next). A record is in flight, lost (in the queue of
// those to be sent again), waiting (refused, until a time), or delivered. Bytes are those of frames, as the receiver
// counts them, so that both ends agree. What is lost is found by NACKs, by packets out of order, by probes, and by
// timeout. A packet's timeout is that of the options, but not below two of the longest recent round trips: queues that
// nothing trims may take longer than any option foresees, and copies of packets that wait in them would only make them
// longer. It doubles for all packets that leave after one, until a packet sent once is acknowledged.
#pragma once

#include <cstdint>

#include "base/ring.h"
#include "transport/congestion/rccc_sender.h"
#include "transport/loss/psn_bitmap.h"
#include "transport/uet/packet_runs.h"
#include "transport/uet/pds_client.h"
#include "transport/uet/psn_ring.h"
#include "wire/uet/ack_cc_state.h"

namespace weft::transport {

class PdcSender {
 public:
  struct Opening {
    std::uint32_t start_psn = 0;
    UetMode mode = UetMode::kRud;
    CreditSender* credit = nullptr;  // RCCC; not owned, null: none
  };
  void open(const Opening& opening, const UetOptions& options, const FlowPolicies& policies);
  /// All that was sent takes other PSNs and is sent again: the peer has named another start.
  void restart(std::uint32_t start_psn);

  /// An owner has packets to send. It stays in the ring until it has none; each is in it once.
  void enqueue(std::uint32_t owner) {
    end_run();
    owners_.push_back(owner);
  }
  [[nodiscard]] std::uint32_t una() const { return una_; }
  [[nodiscard]] std::uint32_t next() const { return next_; }
  [[nodiscard]] std::uint32_t start() const { return start_; }
  [[nodiscard]] bool drained() const { return una_ == next_ && owners_.empty(); }
  [[nodiscard]] bool in_flight() const { return in_flight_ > 0; }
  /// There is something to send, and no credit for it.
  [[nodiscard]] bool starves() const {
    return credit_ != nullptr && !credit_->may_send() && (!owners_.empty() || lost_bytes_ > 0);
  }
  /// How far credit is wanted, for a packet that asks for nothing else; only with credit.
  [[nodiscard]] CreditTotal credit_target(const PdcCall& call) const { return target(1, call); }

  /// `most`: PSNs that may be in flight, less than the window of the options while the peer is not known.
  [[nodiscard]] Time next_transmit(std::uint32_t most) const {
    if (!lost_.empty())
      return window_open() ? not_before_ : Time::never();
    if (owners_.empty() || next_ - una_ >= most || !window_open())
      return Time::never();
    return not_before_;
  }
  /// Sends one packet again, or a new one. False: nobody has one. The caller fills in PDCs and flags of the opening.
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, std::uint32_t most, const PdcCall& call);
  // The fast path, without credit and order:
  /// New packets are what leaves next, and it is the turn of first_owner().
  [[nodiscard]] bool may_have_run() const { return !owners_.empty() && lost_.empty(); }
  [[nodiscard]] std::uint32_t first_owner() const { return owners_.front(); }
  /// The run of the owner whose turn it is, if may_have_run(); it must stay where it is, or be ended by end_run().
  void begin_run(SendRun& run) {
    run_ = &run;
    alike_from_ = next_;
  }
  void end_run() { run_ = nullptr; }
  [[nodiscard]] const SendRun* run() const { return run_; }
  /// next_transmit() while there is a run.
  [[nodiscard]] Time next_in_run(std::uint32_t most) const {
    return next_ - una_ < most && window_has_room() ? not_before_ : Time::never();
  }
  /// The next packet of the run may leave.
  [[nodiscard]] bool may_send_fast(std::uint32_t most, Time now) const;
  [[nodiscard]] bool has_path_selector() const { return policies_.path_selector != nullptr; }
  [[nodiscard]] bool has_congestion_control() const { return policies_.congestion_control != nullptr; }
  void send_fast(wire::Packet& packet, const UetOptions& options, Time now);
  [[nodiscard]] bool has_several_owners() const { return owners_.size() > 1; }
  /// After a packet of the fast path: it is the turn of the next owner.
  void take_turns();
  /// on_ack for one that tells of nothing beyond the cumulative PSN; false: it does, and nothing is done.
  [[nodiscard]] bool acknowledge_fast(const wire::Packet& packet, const PdcCall& call);
  [[nodiscard]] Time next_timeout() const { return earlier(deadline_, waiting_until_); }
  enum class Outcome : std::uint8_t { kGoesOn, kGivesUp };
  [[nodiscard]] Outcome on_timeout(const PdcCall& call);

  /// The packet that an acknowledgement answers. That of a probe answers none: the last one that it covers stands for
  /// it.
  [[nodiscard]] static std::uint32_t answered_by(const wire::UetHeader& ack) {
    return ack.psn + static_cast<std::uint32_t>(ack.has(wire::kUetProbeReply) ? 0 : std::int32_t{ack.psn_offset});
  }
  /// False: it acknowledges what was never sent.
  [[nodiscard]] bool on_ack(const wire::Packet& packet, const wire::UetExtension* response, const PdcCall& call);
  [[nodiscard]] bool was_sent(std::uint32_t psn) const {
    return psn_distance(una_, psn) >= 0 && psn_distance(psn, next_) > 0;
  }
  // One packet that the peer did not take; was_sent must hold.
  enum class TrimmedAt : std::uint8_t { kOnTheWay, kLastHop };
  void on_trimmed(std::uint32_t psn, TrimmedAt place, const PdcCall& call);
  void on_inferred_loss(std::uint32_t psn, const PdcCall& call);
  /// A probe's answer, which on_ack has had: what departed by then and is not among what has come is lost.
  void on_probe_answer(const wire::UetHeader& header, Time departed, const PdcCall& call);
  /// SES was asked how long to wait.
  void on_refused(std::uint32_t psn, const wire::UetNoticeFields& notice, const PdcCall& call);
  /// For a reason that has nothing to do with the packet: like a timeout, it counts.
  [[nodiscard]] Outcome on_refused_for_now(std::uint32_t psn, const PdcCall& call);
  /// Everything from here on is sent again, in order.
  void go_back(std::uint32_t psn);
  // Packets that ask for data: their PSNs, until the peer says that their answer has been given.
  [[nodiscard]] bool awaits() const { return !awaited_.empty(); }
  /// No others do but these.
  [[nodiscard]] bool knows_all_awaited() const { return !awaits_others_; }
  /// Each in its turn; there must be one.
  [[nodiscard]] std::uint32_t next_awaited();
  void forget_awaited(std::uint32_t psn);

  /// Forgets everything.
  void close();
  /// Packets of an owner that is gone become places in the PSN sequence.
  void forget(std::uint32_t owner);
  [[nodiscard]] std::size_t heap_bytes() const {
    return sent_.heap_bytes() + lost_.heap_bytes() + owners_.heap_bytes() + awaited_.heap_bytes() +
           delivered_.heap_bytes();
  }

 private:
  enum class State : std::uint8_t { kInFlight, kLost, kWaiting, kDelivered };
  struct Sent {
    Time at;  // of departure; waiting: when to send it again
    SesPacket packet;
    std::uint16_t size = 0;
    std::uint16_t entropy = 0;
    std::uint8_t retries = 0;
    State state = State::kInFlight;
    std::uint8_t copies = 0;  // that left after the first one; 255 stands for more
    std::uint32_t after = 0;  // the PSNs from here on departed later
  };
  static_assert(sizeof(Sent) == 32);

  /// Of what became of the packets that one acknowledgement covers.
  struct Tally {
    std::uint64_t bytes = 0;
    std::uint16_t entropy = 0;  // of the packet that it answers
    bool known = false;         // which is known
    Duration rtt = Duration::picoseconds(-1);
  };

  /// For a packet as large as the largest so far. One may always be in flight.
  //= uet-1.0 3.6
  [[nodiscard]] bool window_has_room() const { return in_flight_ <= room_; }
  void set_room() { room_ = window_ > largest_ ? window_ - largest_ : 0; }
  [[nodiscard]] bool window_open() const {
    return window_has_room() && !(in_order_ && !waiting_until_.is_never()) &&
           (credit_ == nullptr || credit_->may_send());
  }
  [[nodiscard]] Sent& record(std::uint32_t psn) { return sent_[psn]; }
  /// Of the next new packet, which is in the window from now on.
  [[nodiscard]] Sent& new_record() {
    if (next_ - una_ == sent_.capacity()) [[unlikely]]
      sent_.grow({.first = una_, .count = next_ - una_});
    return sent_[next_++];
  }
  [[nodiscard]] bool send_again(const TransmitSlot& slot, const PdcCall& call);
  [[nodiscard]] bool send_new(const TransmitSlot& slot, const PdcCall& call);
  void depart(const TransmitSlot& slot, Sent& sent, std::uint32_t psn, const PdcCall& call);
  [[nodiscard]] std::uint16_t request_bytes() const {
    return credit_ == nullptr ? kPdsRequestBytes : kPdsCreditRequestBytes;
  }
  void spend_credit(const TransmitSlot& slot, std::uint16_t size, const PdcCall& call);
  [[nodiscard]] CreditTotal target(std::uint32_t active_senders, const PdcCall& call) const;
  [[nodiscard]] Bytes backlog(const PdcCall& call) const;
  void take_credit(const wire::UetHeader& header);
  [[nodiscard]] wire::uet::NsccState state_of(const wire::UetHeader& header) const;
  void arm(Time at) { deadline_ = earlier(deadline_, at); }
  [[nodiscard]] Duration timeout_of(const Sent& sent, const UetOptions& options) const;
  void note_round_trip(Duration rtt);
  void back_off(Time departed, Time now);
  void lose(std::uint32_t psn, Sent& sent);
  void wait(Sent& sent, Time until);
  void await(std::uint32_t psn);
  void go_back_to_first_lost();
  void leave_flight(Sent& sent);
  void deliver(Sent& sent, Tally& tally, const PdcCall& call);
  void take_cumulative(std::uint32_t cumulative, Tally& tally, const PdcCall& call);
  [[nodiscard]] bool take_run(std::uint32_t cumulative, Tally& tally, const PdcCall& call);
  void take_front(Tally& tally, const PdcCall& call);
  void take_bitmap(std::uint32_t from, std::uint64_t bits, Tally& tally, const PdcCall& call);
  void drop_delivered();
  void report(const wire::Packet& packet, const wire::uet::NsccState& state, const Tally& tally, const PdcCall& call);
  void detect_by_count(const wire::uet::NsccState& state, std::uint32_t highest, const PdcCall& call);
  [[nodiscard]] std::uint32_t delivered_between(std::uint32_t first, std::uint32_t last) const;
  void infer_loss(std::uint32_t psn, const PdcCall& call);
  void tell_of_inferred_loss(const PdcCall& call);
  void read_window(Time now);

  PsnRing<Sent> sent_;           // of [una, next)
  Ring<std::uint32_t> owners_;   // that have packets to send
  Ring<std::uint32_t> lost_;     // PSNs to send again; some may have been delivered since
  Ring<std::uint32_t> awaited_;  // PSNs whose packets ask for data, the latest of them
  PsnBitmap delivered_{64};      // of [una, next)
  FlowPolicies policies_;
  CreditSender* credit_ = nullptr;
  std::uint64_t lost_bytes_ = 0;  // of records that are lost
  std::uint64_t in_flight_ = 0;   // bytes
  std::uint64_t window_ = ~0ULL;  // bytes that may be
  std::uint64_t room_ = ~0ULL;    // bytes in flight with which a packet as large as the largest so far fits the window
  std::uint32_t largest_ = 0;     // of a frame that has left
  SendRun* run_ = nullptr;        // whose next packet is the next to leave
  std::uint32_t alike_from_ = 0;  // from here on, all that was sent is in flight, of one message, and of one size
  std::uint32_t start_ = 0;
  std::uint32_t una_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t recovery_end_ = 0;      // congestion control knows of losses before it
  std::uint32_t received_bytes_ = 0;    // as the receiver counts, modulo 2^24
  Time not_before_;                     // pacing
  Time deadline_ = Time::never();       // not after the timeout of any packet in flight, as it was when it left
  Time waiting_until_ = Time::never();  // the soonest of the waiting
  Duration longest_;                    // round trip, forgotten slowly
  Time backed_off_at_;
  std::uint8_t doublings_ = 0;  // of all timeouts
  bool awaits_others_ = false;  // than the latest, which are kept
  bool in_order_ = false;       // ROD: nothing passes a packet that waits
};

}  // namespace weft::transport
