#include "transport/uet/pdc_receiver.h"

#include <algorithm>

#include "wire/uet/ack_cc_state.h"

namespace weft::transport {

namespace {
/// NACKs that wait to leave; more would only repeat what these say.
constexpr std::uint32_t kMostNacks = 4'096;
}  // namespace

void PdcReceiver::open(std::uint32_t start_psn, const UetOptions& options) {
  if (arrived_.window() != options.psn_window) {
    arrived_ = PsnBitmap(PsnBitmap::window_for(options.psn_window));
  } else {
    arrived_.clear();
  }
  start_ = base_ = start_psn;
  asked_psn_ = start_psn - 1;
  beyond_ = received_bytes_ = bytes_since_ack_ = ack_psn_ = gap_psn_ = 0;
  due_ = kNothing;
  ack_marked_ = ack_probe_ = ack_again_ = gap_reported_ = any_ = tells_credit_ = false;
  responses_.clear();
  resend_.clear();
  nacks_.clear();
}

bool PdcReceiver::complete_before(std::uint32_t psn) const {
  const std::int32_t left = psn_distance(base_, psn);
  return left <= 0 ||
         (static_cast<std::uint32_t>(left) <= arrived_.window() &&
          arrived_.run_from(short_psn(base_), static_cast<std::uint32_t>(left)) == static_cast<std::uint32_t>(left));
}

void PdcReceiver::mark_taken(std::uint32_t psn) {
  arrived_.set(short_psn(psn));
  ++beyond_;
  if (psn == base_)
    advance();
}

// Stops before the first packet whose response is not cleared.
void PdcReceiver::advance() {
  std::uint32_t most = arrived_.window();
  for (const Response& response : responses_)
    most = std::min(most, static_cast<std::uint32_t>(std::max(psn_distance(base_, response.psn), 0)));
  const std::uint32_t run = arrived_.run_from(short_psn(base_), most);
  arrived_.reset_range(short_psn(base_), run);
  base_ += run;
  beyond_ -= run;
}

void PdcReceiver::keep_response(std::uint32_t psn, const wire::UetExtension& response) {
  responses_.push_back({psn, response});
  resend_.push_back(psn);
  owe(kOthers);
}

void PdcReceiver::clear_up_to(std::uint32_t psn) {
  if (responses_.empty())
    return;
  const auto cleared = [psn](const Response& response) { return psn_distance(response.psn, psn) >= 0; };
  if (std::erase_if(responses_, cleared) > 0)
    advance();
}

const PdcReceiver::Response* PdcReceiver::response_to(std::uint32_t psn) const {
  const auto found = std::ranges::find(responses_, psn, &Response::psn);
  return found == responses_.end() ? nullptr : &*found;
}

//= uet-1.0 3.5
void PdcReceiver::note_arrival(const Arrival& arrival, const UetOptions& options) {
  bytes_since_ack_ += arrival.size;
  if (response_to(arrival.psn) != nullptr) [[unlikely]] {
    if (resend_.size() < options.max_responses)
      resend_.push_back(arrival.psn);
    owe(kOthers);
    return;
  }
  if (arrival.at_once && psn_distance(asked_psn_, arrival.psn) > 0)
    asked_psn_ = arrival.psn;
  // A packet that one with a request has overtaken: the sender may wait for nothing but this.
  const bool overtaken = psn_distance(arrival.psn, asked_psn_) > 0;
  const bool due = arrival.at_once || overtaken || arrival.marked || !any_ ||
                   bytes_since_ack_ >= static_cast<std::uint64_t>(options.ack_every.count());
  // A packet that asks for an answer is the one answered, not one that comes before the answer leaves.
  if (!ack_due()) {
    ack_psn_ = arrival.psn;
    ack_marked_ = arrival.marked;
    ack_again_ = arrival.again;
  }
  any_ = true;
  if (due)
    owe(kAck);
  ack_marked_ |= arrival.marked;
  if (arrival.probe) [[unlikely]] {
    ack_probe_ = true;
    owe(kOthers);
    ack_opaque_ = arrival.opaque;
  }
}

void PdcReceiver::refuse(const Refusal& refusal) {
  if (nacks_.size() < kMostNacks)
    nacks_.push_back(refusal);
  owe(kOthers);
}

bool PdcReceiver::first_gap() {
  if (gap_reported_ && gap_psn_ == base_)
    return false;
  gap_reported_ = true;
  gap_psn_ = base_;
  return true;
}

void PdcReceiver::fill_answer(const TransmitSlot& slot, std::uint8_t flags, const PdcCall& call) {
  wire::UetHeader& header = slot.packet.uet;
  if (!nacks_.empty()) {
    const Refusal nack = nacks_.pop_front();
    header.type = wire::UetType::kNack;
    header.psn = nack.psn;
    header.flags = static_cast<std::uint8_t>(nack.marked ? wire::kUetMarked : 0);
    header.notice = {.payload = nack.payload, .code = static_cast<std::uint8_t>(nack.code)};
    ++call.counters.nacks_sent[static_cast<std::size_t>(nack.code)];
    set_uet_sizes(slot.packet, UetSizeClass::kControl, {.headers = Bytes(kPdsNoticeBytes)}, call.options.sizes);
    settle_due();
    return;
  }
  if (!resend_.empty()) {
    const std::uint32_t psn = resend_.pop_front();
    fill_ack(slot, psn, call);
    if (const Response* const response = response_to(psn); response != nullptr) {
      slot.packet.common.flags |= wire::kHasCold;
      slot.cold = wire::ColdPacket{};
      slot.cold.uet = response->what;
      header.flags |= wire::kUetRequestClear;
      set_uet_sizes(slot.packet, UetSizeClass::kControl, {.headers = Bytes(kPdsAckCcBytes + kSesResponseBytes)},
                    call.options.sizes);
    }
  } else {
    fill_ack(slot, ack_psn_, call);
    header.flags = static_cast<std::uint8_t>(ack_marked_ ? wire::kUetMarked : 0);
    if (ack_probe_) [[unlikely]] {
      header.flags |= wire::kUetProbeReply;
      header.psn_offset = ack_opaque_;  // so it names no packet
    } else if (ack_again_) [[unlikely]] {
      header.flags |= wire::kUetRetransmit;
    }
    ack_marked_ = ack_probe_ = ack_again_ = false;
    due_ = static_cast<Due>(due_ & ~kAck);
  }
  // The header has room for one request.
  if (!header.has(wire::kUetRequestClear))
    header.flags |= flags;
  bytes_since_ack_ = 0;
  settle_due();
}

// One answer has left: which others are due?
void PdcReceiver::settle_due() {
  const bool others = !nacks_.empty() || !resend_.empty() || ack_probe_;
  due_ = static_cast<Due>((due_ & kAck) | (others ? kOthers : kNothing));
}

void PdcReceiver::fill_plain_ack(wire::UetHeader& header, std::uint8_t flags, const UetOptions& options) {
  header.flags =
      static_cast<std::uint8_t>((ack_marked_ ? wire::kUetMarked : 0) | (ack_again_ ? wire::kUetRetransmit : 0) | flags);
  header.cc_type = 0;
  describe(header, ack_psn_, options);
  ack_marked_ = ack_again_ = false;
  due_ = kNothing;
  bytes_since_ack_ = 0;
}

bool PdcReceiver::take_new(const wire::Packet& packet, const PdcCall& call) {
  const std::uint32_t psn = packet.uet.psn;
  if (place_of(psn) != Place::kNew)
    return false;
  if (psn != base_)
    ++call.counters.out_of_order;
  take(psn, packet.common.frame_bytes);
  if (call.options.infer_loss_after != 0 && infers_loss(call.options.infer_loss_after))
    refuse({.psn = base_, .code = wire::UetNack::kReceiverInferredLoss});
  note_arrival({.psn = psn,
                .size = packet.common.frame_bytes,
                .marked = packet.common.ecn == wire::Ecn::kCe,
                .at_once = packet.uet.has(wire::kUetAckRequest)},
               call.options);
  return true;
}

void PdcReceiver::fill_ack(const TransmitSlot& slot, std::uint32_t answered, const PdcCall& call) {
  describe(slot.packet.uet, answered, call.options);
  if (tells_credit_) {
    slot.packet.uet.cc_type = static_cast<std::uint8_t>(wire::uet::CcType::kCredit);
    slot.packet.uet.ack.cc_state =
        wire::uet::CreditState{.credit = credit_, .ooo_count = static_cast<std::uint16_t>(std::min(beyond_, 0xFFFFU))}
            .pack();
  }
  set_uet_sizes(slot.packet, UetSizeClass::kControl, {.headers = Bytes(kPdsAckCcBytes)}, call.options.sizes);
}

void PdcReceiver::describe(wire::UetHeader& header, std::uint32_t answered, const UetOptions& options) const {
  header.type = wire::UetType::kAckCc;
  header.psn = base_ - 1;
  const std::int32_t offset = psn_distance(header.psn, answered);
  header.psn_offset = static_cast<std::int16_t>(std::clamp<std::int32_t>(offset, -32'768, 32'767));
  header.ack.cc_state = wire::uet::NsccState{.rcv_cwnd_pend = options.receiver_penalty,
                                             .rcvd_bytes = received_bytes_,
                                             .ooo_count = static_cast<std::uint16_t>(std::min(beyond_, 0xFFFFU))}
                            .pack();
  header.mpr_or_header = static_cast<std::uint8_t>(std::min(arrived_.window() / 128, 255U));
  fill_bitmap(header, answered);
}

// 64 PSNs, so placed that the one answered is among them, and from the cumulative one on if that is possible.
void PdcReceiver::fill_bitmap(wire::UetHeader& header, std::uint32_t answered) const {
  header.sack_offset = 1;
  header.ack.sack_bitmap = 0;
  if (beyond_ == 0)
    return;
  const std::int32_t ahead = psn_distance(base_, answered);
  const std::uint32_t from = ahead < 64 ? base_ : answered - 63;
  header.sack_offset = static_cast<std::int16_t>(psn_distance(header.psn, from));
  std::uint64_t bits = arrived_.bits_from(short_psn(from));
  // Beyond the window, places belong to PSNs of before.
  const std::uint32_t tracked = arrived_.window() - (from - base_);
  bits &= low_bits(tracked);
  for (const Response& response : responses_) {
    if (const std::int32_t place = psn_distance(from, response.psn); place >= 0 && place < 64)
      bits &= ~(std::uint64_t{1} << place);
  }
  header.ack.sack_bitmap = bits;
}

std::size_t PdcReceiver::heap_bytes() const {
  return arrived_.heap_bytes() + responses_.capacity() * sizeof(Response) + resend_.heap_bytes() + nacks_.heap_bytes();
}

}  // namespace weft::transport
