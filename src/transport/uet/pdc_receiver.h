// Receiving half of a packet delivery context: which PSNs have come, what to acknowledge, and what to refuse.
//
// The cumulative PSN is the one before `base`. A packet whose response the peer may not have yet counts as received for
// duplicates, but neither the cumulative PSN nor the bitmap covers it: the peer learns of it by the acknowledgement
// that carries the response, and asks again if that is lost. Its clear PSN ends this.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "transport/loss/psn_bitmap.h"
#include "transport/uet/uet_types.h"

namespace weft::transport {

class PdcReceiver {
 public:
  void open(std::uint32_t start_psn, const UetOptions& options);

  enum class Place : std::uint8_t { kNew, kDuplicate, kBeyondWindow };
  [[nodiscard]] Place place_of(std::uint32_t psn) const {
    const std::int32_t ahead = psn_distance(base_, psn);
    if (ahead < 0)
      return ahead < -static_cast<std::int32_t>(kBehind) ? Place::kBeyondWindow : Place::kDuplicate;
    if (static_cast<std::uint32_t>(ahead) >= arrived_.window())
      return Place::kBeyondWindow;
    return arrived_.test(short_psn(psn)) ? Place::kDuplicate : Place::kNew;
  }
  /// Lowest PSN that has not come, or whose response is not cleared.
  [[nodiscard]] std::uint32_t base() const { return base_; }
  [[nodiscard]] std::uint32_t start() const { return start_; }
  /// Everything sent up to here has come, whether its responses are cleared or not.
  [[nodiscard]] bool complete_before(std::uint32_t psn) const;

  /// A new packet has been taken; `size` is that of its frame.
  void take(std::uint32_t psn, std::uint16_t size) {
    received_bytes_ += size;
    // In order, with nothing beyond it, it passes through the bitmap unseen.
    if (psn == base_ && beyond_ == 0 && responses_.empty()) {
      ++base_;
    } else {
      mark_taken(psn);
    }
  }
  /// Keeps a response to a packet that was taken; false: there is no room, and the packet must not be taken. For the
  /// oldest packet that is missing there always is: until it is taken, no response to one behind it can be cleared.
  [[nodiscard]] bool has_room_for_response(std::uint32_t psn, const UetOptions& options) const {
    return responses_.size() < options.max_responses || psn == base_;
  }
  void keep_response(std::uint32_t psn, const wire::UetExtension& response);
  /// The peer has all responses up to this PSN.
  void clear_up_to(std::uint32_t psn);
  [[nodiscard]] bool has_responses() const { return !responses_.empty(); }

  /// Why an acknowledgement is due, or not yet.
  struct Arrival {
    std::uint32_t psn = 0;
    std::uint16_t size = 0;
    bool marked = false;
    bool at_once = false;
    bool probe = false;
    bool again = false;       // it had been sent before
    std::int16_t opaque = 0;  // of the probe, which its answer repeats
  };
  void note_arrival(const Arrival& arrival, const UetOptions& options);
  /// Whether packets may be taken in runs: a packet has come, and no responses are kept.
  [[nodiscard]] bool may_have_run() const { return any_ && responses_.empty(); }
  // What on_packet does with a new packet, while may_have_run(); false: it is not for this, and nothing is done.
  /// A packet in its turn that leads to nothing, unless to an acknowledgement for so many bytes.
  [[nodiscard]] bool take_in_turn(const wire::Packet& packet, const UetOptions& options);
  /// Any that is new.
  [[nodiscard]] bool take_new(const wire::Packet& packet, const PdcCall& call);
  struct Refusal {
    std::uint32_t psn = 0;
    wire::UetNack code = wire::UetNack::kNone;
    std::uint32_t payload = 0;
    bool marked = false;  // the packet came marked
  };
  /// A NACK is to be sent.
  void refuse(const Refusal& refusal);
  /// Acknowledgements tell how much credit has been granted, and no longer what NSCC is to know.
  void tell_credit(std::uint32_t total) {
    tells_credit_ = true;
    credit_ = total;
  }
  /// ROD: one NACK per gap.
  [[nodiscard]] bool first_gap();
  /// The oldest gap has been overtaken by so many packets; told once per gap.
  [[nodiscard]] bool infers_loss(std::uint32_t after) {
    return beyond_ >= after && !arrived_.test(short_psn(base_)) && first_gap();
  }

  [[nodiscard]] bool has_answer() const { return due_ != kNothing; }
  /// The next answer is an acknowledgement that says nothing of responses, probes and credit.
  [[nodiscard]] bool owes_plain_ack() const { return due_ == kAck && !tells_credit_; }
  /// fill_answer for that one, whose sizes are there already.
  void fill_plain_ack(wire::UetHeader& header, std::uint8_t flags, const UetOptions& options);
  /// Fills the PDS fields of the next answer; only if there is one.
  /// Acknowledgements carry `flags` besides their own.
  void fill_answer(const TransmitSlot& slot, std::uint8_t flags, const PdcCall& call);
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  static constexpr std::uint32_t kBehind = 65'536;  // how old a duplicate may be
  struct Response {
    std::uint32_t psn;
    wire::UetExtension what;
  };
  /// Answers that are due, as bits.
  enum Due : std::uint8_t { kNothing = 0, kAck = 1, kOthers = 2 };
  void owe(Due due) { due_ = static_cast<Due>(due_ | due); }
  [[nodiscard]] bool ack_due() const { return (due_ & kAck) != 0; }
  void mark_taken(std::uint32_t psn);
  void settle_due();
  void describe(wire::UetHeader& header, std::uint32_t answered, const UetOptions& options) const;
  void advance();
  [[nodiscard]] const Response* response_to(std::uint32_t psn) const;
  void fill_ack(const TransmitSlot& slot, std::uint32_t answered, const PdcCall& call);
  void fill_bitmap(wire::UetHeader& header, std::uint32_t answered) const;

  PsnBitmap arrived_{64};
  std::uint32_t start_ = 0;
  std::uint32_t base_ = 0;
  std::uint32_t beyond_ = 0;  // packets that have come from base_ on
  std::uint32_t received_bytes_ = 0;
  std::uint32_t bytes_since_ack_ = 0;
  std::uint32_t ack_psn_ = 0;    // the packet that the next acknowledgement answers
  std::uint32_t asked_psn_ = 0;  // the last packet that asked to be acknowledged at once
  std::uint32_t gap_psn_ = 0;    // a NACK has been sent for it
  Time arrived_at_;              // of that packet
  Due due_ = kNothing;           // kOthers: NACKs, responses, or the acknowledgement is that of a probe
  bool ack_marked_ = false;
  bool ack_probe_ = false;
  bool ack_again_ = false;  // the packet that it answers had been sent before
  std::int16_t ack_opaque_ = 0;
  bool gap_reported_ = false;
  bool any_ = false;  // a packet has come
  bool tells_credit_ = false;
  std::uint32_t credit_ = 0;
  std::vector<Response> responses_;  // in order of arrival
  Ring<std::uint32_t> resend_;       // PSNs whose response is to be sent
  Ring<Refusal> nacks_;
};

}  // namespace weft::transport
