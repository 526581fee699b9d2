// A packet delivery context (PDC): both directions between two endpoints, from its first packet to its closing.
//
// The initiator opens it with its first data packet: until an acknowledgement tells the target's number, packets carry
// SYN and their distance from the start PSN, so that any of them makes the target's context. The return direction, in
// which answers with data travel, starts at the same PSN. Only the initiator closes: CLOSE takes the next PSN, and its
// acknowledgement ends the context; a target asks for it by a flag or a close request. Source: UET 1.0, PDS.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/uet/pdc_receiver.h"
#include "transport/uet/pdc_sender.h"

namespace weft::transport {

class Pdc {
 public:
  enum class State : std::uint8_t {
    kFree,
    kSyn,  // initiator: the target's number is not known
    kOpen,
    kClosing,  // initiator: CLOSE is under way
    kDone,     // to be freed by the pool
  };
  enum class Role : std::uint8_t { kInitiator, kTarget };

  /// Whom a context is for.
  struct Key {
    EndpointId peer{};
    std::uint8_t traffic_class = 0;
    UetMode mode = UetMode::kRud;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Opening {
    Key key{};
    Role role = Role::kInitiator;
    std::uint16_t id = 0;       // ours
    std::uint16_t peer_id = 0;  // target: the initiator's
    std::uint32_t start_psn = 0;
    wire::PacketCommon common{};  // of every packet: addresses, encapsulation, class
    FlowPolicies policies{};
    CreditSender* credit = nullptr;  // RCCC: of what it sends; not owned, null: none
  };
  void open(const Opening& opening, const PdcCall& call);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Role role() const { return role_; }
  [[nodiscard]] const Key& key() const { return key_; }
  [[nodiscard]] std::uint16_t id() const { return id_; }
  [[nodiscard]] std::uint16_t peer_id() const { return peer_id_; }
  [[nodiscard]] bool live() const { return state_ != State::kFree && state_ != State::kDone; }
  [[nodiscard]] const PdcSender& sender() const { return sender_; }
  [[nodiscard]] PdcSender& sender() { return sender_; }
  [[nodiscard]] const PdcReceiver& receiver() const { return receiver_; }
  /// First PSN that no packet of this context has: where the next one between the same endpoints may start.
  [[nodiscard]] std::uint32_t end_psn() const;
  /// Nothing is under way: it may be closed.
  [[nodiscard]] bool idle() const { return live() && sender_.drained() && users_ == 0; }
  [[nodiscard]] Time idle_since() const { return active_at_; }

  /// An owner has something to send through it.
  void enqueue(std::uint32_t owner, Time now) {
    sender_.enqueue(owner);
    active_at_ = now;
    watch_credit(now);
  }
  /// Credit granted to the peer so far, which a control packet tells; with `in_acks` acknowledgements do too.
  void grant(CreditTotal total, bool in_acks);
  // Messages whose answers are to come through it: it stays open.
  void add_user() { ++users_; }
  void remove_user() { --users_; }
  /// Initiator: close as soon as nothing is under way. Target: ask for it.
  void want_close(const PdcCall& call);
  [[nodiscard]] bool close_wanted() const { return close_wanted_; }
  void forget(std::uint32_t owner) {
    end_runs();
    sender_.forget(owner);
  }

  /// A packet for this context, whose addresses and numbers agree with it.
  void on_packet(const ReceivedPacket& received, const PdcCall& call);
  void on_timeout(const PdcCall& call);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, const PdcCall& call);
  // The fast path (transport/uet/uet_fast_path.h): data packets that change nothing but counts and bitmaps.
  /// poll_transmit would send a new packet, the next of first_owner().
  [[nodiscard]] bool may_have_send_run() const { return fast_ && state_ == State::kOpen && sender_.may_have_run(); }
  /// Fills in what a run's packets have of the context.
  void prepare(SendRun& run, const UetOptions& options) const;
  /// poll_transmit would send the next packet of the sender's run.
  [[nodiscard]] bool may_send_fast(Time now) const;
  /// It does; then, with several owners, the sender's take_turns().
  void send_fast(wire::Packet& packet, const UetOptions& options, Time now);
  /// poll_transmit for an acknowledgement that tells of nothing but arrivals; false: it is none.
  [[nodiscard]] bool answer_fast(wire::Packet& packet, const UetOptions& options);
  /// on_packet would give new requests like this one to SES, and ask nothing else of them.
  [[nodiscard]] bool may_have_take_run(const wire::Packet& packet) const;
  [[nodiscard]] TakeRun& take_run() { return take_run_; }
  /// Whether a request, in whatever turn, is of the run.
  [[nodiscard]] bool is_in_run(const wire::Packet& packet, std::uint32_t memory_version) const;
  // on_packet for a packet of the run; false: it is not for this, and nothing is done.
  /// One in its turn, if it is of the run.
  [[nodiscard]] bool take_in_turn(const wire::Packet& packet, std::uint32_t memory_version, const UetOptions& options,
                                  Time now);
  /// Any new one, which is of the run.
  [[nodiscard]] bool take_in_run(const wire::Packet& packet, const PdcCall& call);
  /// on_packet for an acknowledgement that tells of nothing but arrivals; false: it is the general code's.
  [[nodiscard]] bool acknowledge_fast(const wire::Packet& packet, const PdcCall& call);
  [[nodiscard]] bool response_pending() const { return live() && (receiver_.has_answer() || notices_ != 0); }
  [[nodiscard]] Time next_data() const {
    if (sender_.run() != nullptr)
      return sender_.next_in_run(peer_window_);
    return state_ == State::kOpen || state_ == State::kSyn ? sender_.next_transmit(most_in_flight()) : Time::never();
  }
  [[nodiscard]] Time next_timeout() const {
    // With packets to send or under way none of the others is due, but for probes and notices of closing.
    if (sender_.drained() || !notice_due_.is_never() || (state_ != State::kOpen && state_ != State::kSyn))
      return next_timeout_of_all();
    const Time soonest = earlier(sender_.next_timeout(), credit_due_);
    const bool probes = probe_after_ > Duration::zero() && sender_.in_flight() && state_ == State::kOpen;
    return probes ? earlier(soonest, heard_at_ + probe_after_) : soonest;
  }
  // Once it is done:
  [[nodiscard]] bool failed() const { return failed_; }
  /// Closed in good order before all was acknowledged: the peer has had it, or nobody wants it.
  [[nodiscard]] bool cut_short() const { return cut_short_; }
  /// Because the peer has not answered its closing.
  [[nodiscard]] bool failed_closing() const { return failed_ && closing_failed_; }
  /// By CLOSE, which is still to be acknowledged.
  [[nodiscard]] bool closed_by_peer() const { return closed_by_peer_; }
  void free() {
    end_runs();
    sender_.close();
    state_ = State::kFree;
  }
  /// Gives up: nothing more will be delivered.
  void fail(const PdcCall& call);
  [[nodiscard]] std::size_t heap_bytes() const {
    return sender_.heap_bytes() + receiver_.heap_bytes() + data_answers_.capacity() * sizeof(DataAnswer);
  }

 private:
  /// Control packets that are to be sent.
  enum Notice : std::uint8_t {
    kClear = 1,
    kClose = 2,
    kCloseRequest = 4,
    kProbe = 8,
    kCredit = 16,
    kCreditRequest = 32,
    kAckRequest = 64,
  };
  /// A request that was taken, and whose answer is data in the return direction.
  struct DataAnswer {
    std::uint32_t psn = 0;
    std::uint32_t resource = 0;
    std::uint16_t message_id = 0;
  };
  static constexpr std::uint32_t kMostInSyn = 4'096;  // twelve bits of PSN offset

  [[nodiscard]] std::uint32_t most_in_flight() const {
    return state_ == State::kSyn ? std::min(kMostInSyn, peer_window_) : peer_window_;
  }
  void start(const TransmitSlot& slot) const;
  void finish_request(const TransmitSlot& slot, const PdcCall& call);
  void fill_notice(const TransmitSlot& slot, const PdcCall& call);

  /// While the peer's number is not known, packets of an earlier context that had ours may come: about PSNs that none
  /// of this one has.
  [[nodiscard]] bool is_late(std::uint32_t psn) const {
    return state_ == State::kSyn && psn - sender_.start() >= peer_window_;
  }
  void end_runs() {
    sender_.end_run();
    take_run_.end();
  }
  void count_in_run(const wire::Packet& packet, Time now);
  void learn_peer(const wire::UetHeader& header);
  /// Acknowledgements and control packets take the path that last brought something: one that is dead brings nothing.
  void answer_by_path_of(const wire::Packet& packet) { template_.entropy = packet.common.entropy; }
  void on_request(const ReceivedPacket& received, const PdcCall& call);
  void take(const ReceivedPacket& received, const PdcCall& call);
  void on_acknowledge(const ReceivedPacket& received, const PdcCall& call);
  void on_nack(const ReceivedPacket& received, const PdcCall& call);
  void take_probe_answer(const wire::UetHeader& header, const PdcCall& call);
  void on_packet_refused(std::uint32_t psn, const wire::UetNoticeFields& notice, const PdcCall& call);
  [[nodiscard]] bool settles_without_packet(wire::UetNack code, std::uint32_t psn, const PdcCall& call);
  void on_control(const ReceivedPacket& received, const PdcCall& call);
  void on_ack_request(std::uint32_t psn, const PdcCall& call);
  [[nodiscard]] AnswerState answer_to(std::uint32_t psn, const PdcCall& call) const;
  void note_data_answer(const wire::UetHeader& header, const PdcCall& call);
  [[nodiscard]] Time ask_due() const;
  [[nodiscard]] Time next_timeout_of_all() const;
  void on_close(const wire::Packet& packet, const PdcCall& call);
  void begin_close(const PdcCall& call);
  void go_on_closing(const PdcCall& call);
  void finish(const PdcCall& call);
  void settle(const PdcCall& call);
  [[nodiscard]] Time close_due() const;
  void watch_credit(Time now) {
    if (credit_ != nullptr)
      look_for_credit(now);
  }
  void look_for_credit(Time now);
  void ask_for_credit(const PdcCall& call);
  void on_credit_control(const wire::UetHeader& header, const PdcCall& call);
  void on_refusal_with_credit(const wire::UetHeader& header);

  wire::PacketCommon template_;
  PdcSender sender_;
  PdcReceiver receiver_;
  TakeRun take_run_;
  Time active_at_;                   // when something last happened
  Time heard_at_;                    // from the peer, or the first packet sent since nothing was in flight
  Time notice_due_ = Time::never();  // when CLOSE or a close request is sent again
  Time credit_due_ = Time::never();  // when to ask for credit, for want of any
  Duration idle_close_;
  Duration probe_after_;
  Time probed_at_;  // when the last probe left, if there was one
  Duration credit_wait_;
  CreditSender* credit_ = nullptr;
  CreditTotal granted_;                   // to the peer
  Duration ask_after_;                    // answers with data
  std::vector<DataAnswer> data_answers_;  // that may not have been given
  std::uint32_t asked_psn_ = 0;           // of the last ACK request
  Key key_;
  std::uint32_t peer_window_ = 0;
  std::uint32_t close_psn_ = 0;
  std::uint32_t users_ = 0;
  std::uint16_t id_ = 0;
  std::uint16_t peer_id_ = 0;
  std::int16_t probe_ = 0;  // number of the last one, which its answer repeats
  State state_ = State::kFree;
  Role role_ = Role::kInitiator;
  std::uint8_t notices_ = 0;
  std::uint8_t notice_retries_ = 0;
  std::uint8_t credit_retries_ = 0;
  bool fast_ = false;  // any order, and no credit: the fast path is for it
  bool close_wanted_ = false;
  bool failed_ = false;
  bool closed_by_peer_ = false;
  bool closing_failed_ = false;
  bool cut_short_ = false;
};

}  // namespace weft::transport
