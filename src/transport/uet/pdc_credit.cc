// What RCCC is to a packet delivery context: credit granted to the peer, and credit that it asks the peer for.
#include <algorithm>

#include "transport/uet/pdc.h"

namespace weft::transport {

void Pdc::grant(CreditTotal total, bool in_acks) {
  if (!live())
    return;
  granted_ = total;
  if (in_acks)
    receiver_.tell_credit(total.value());
  notices_ |= kCredit;
}

void Pdc::on_credit_control(const wire::UetHeader& header, const PdcCall& call) {
  if (credit_ == nullptr)
    return;  // it knows no credit, and a peer that asks for some gives up
  if (static_cast<wire::UetControl>(header.notice.code) == wire::UetControl::kCredit) {
    learn_peer(header);
    ++call.counters.credits;
    credit_->on_credit(CreditTotal(header.notice.payload));
  } else if (header.has(wire::kUetAckRequest)) {
    receiver_.note_arrival({.psn = receiver_.base() - 1, .at_once = true}, call.options);
  }
}

// A target that has made no context knows of no target for credit either: what was sent to it was sent for nothing.
void Pdc::on_refusal_with_credit(const wire::UetHeader& header) {
  if (credit_ == nullptr || header.source_pdc == 0)
    return;
  learn_peer(header);
  credit_->on_feedback();
}

// Credit that was lost, or a target that was: without work nothing is missed.
void Pdc::look_for_credit(Time now) {
  if (!sender_.starves()) {
    credit_due_ = Time::never();
  } else if (credit_due_.is_never()) {
    credit_due_ = now + credit_wait_;
  }
}

// A peer that has never been heard cannot be asked: speculation begins anew when all that was sent is lost.
void Pdc::ask_for_credit(const PdcCall& call) {
  watch_credit(call.now);
  if (credit_due_ > call.now)
    return;
  const Duration longest = std::max(call.options.max_timeout, credit_wait_);
  if (state_ != State::kSyn) {
    if (credit_retries_ == call.options.max_retries) {
      fail(call);
      return;
    }
    ++credit_retries_;
    if (credit_->request_to_send(call.now))
      notices_ |= kCreditRequest;
  } else if (!sender_.in_flight()) {
    credit_->restart();
    credit_due_ = Time::never();
    return;
  }
  credit_due_ =
      call.now + std::min(credit_wait_ * (std::int64_t{1} << std::min<unsigned>(credit_retries_, 16)), longest);
}

}  // namespace weft::transport
