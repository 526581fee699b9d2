#include "transport/congestion/tcp_congestion_control.h"

#include "base/assert.h"

namespace weft::transport {

void TcpCongestionControl::start(const TcpWindowStart& start) {
  WEFT_ASSERT(start.segment > Bytes::zero() && start.initial_window >= start.segment);
  segment_ = start.segment;
  initial_window_ = start.initial_window;
  window_ = start.initial_window;
  ssthresh_ = kNoThreshold;
  counted_ = Bytes::zero();
  saved_window_ = window_;
  saved_ssthresh_ = ssthresh_;
  after_timeout_ = false;
  set_steady({});  // departures say nothing
}

void TcpCongestionControl::on_ack(const AckSample& sample, Time now) {
  on_tcp_ack({.rtt = sample.rtt,
              .smoothed_rtt = sample.rtt,
              .minimum_rtt = sample.rtt,
              .acknowledged = sample.acknowledged,
              .may_grow = true,
              .echoes_mark = sample.marked},
             now);
}

void TcpCongestionControl::reduce(Bytes flight, Cause cause, Time now) {
  WEFT_DCHECK(flight >= Bytes::zero());
  saved_window_ = window_;
  saved_ssthresh_ = ssthresh_;
  save();
  //= rfc5681 3.1
  ssthresh_ = std::max(reduced(flight, cause, now), 2 * segment_);
  counted_ = Bytes::zero();
}

void TcpCongestionControl::on_fast_recovery(Bytes flight, Time now) {
  reduce(flight, Cause::kLoss, now);
  window_ = ssthresh_;
}

void TcpCongestionControl::on_congestion(Time now) {
  reduce(window_, Cause::kMark, now);
  window_ = ssthresh_;
}

//= rfc5681 3.1
void TcpCongestionControl::on_retransmission_timeout(Bytes flight, Time now) {
  if (!after_timeout_) {
    reduce(flight, Cause::kTimeout, now);
  }
  after_timeout_ = true;
  window_ = segment_;
}

void TcpCongestionControl::on_undo(Time) {
  window_ = std::max(window_, saved_window_);
  ssthresh_ = saved_ssthresh_;
  after_timeout_ = false;
  restore();
}

//= rfc5681 4.1
void TcpCongestionControl::on_idle(Time) { window_ = std::min(window_, initial_window_); }

Bytes TcpCongestionControl::slow_start(Bytes acknowledged) {
  after_timeout_ = false;
  if (!in_slow_start()) {
    return acknowledged;
  }
  const Bytes raise = std::min(acknowledged, ssthresh_ - window_);
  window_ += raise;
  return acknowledged - raise;
}

void TcpCongestionControl::additive_increase(Bytes acknowledged) {
  WEFT_DCHECK(acknowledged > Bytes::zero() && counted_ >= Bytes::zero() && window_ >= segment_);
  counted_ += acknowledged;
  if (counted_ >= window_) {
    counted_ -= window_;
    window_ += segment_;
  }
}

}  // namespace weft::transport
