#include "transport/congestion/dctcp.h"

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {

void Dctcp::start(const TcpWindowStart& start) {
  TcpCongestionControl::start(start);
  alpha_ = parameters_.initial_alpha;
  acknowledged_ = Bytes::zero();
  marked_ = Bytes::zero();
  window_end_ = 0;
}

//= rfc8257 3.3
void Dctcp::on_tcp_ack(const TcpAckSample& sample, Time) {
  acknowledged_ += sample.acknowledged;
  if (sample.echoes_mark) {
    marked_ += sample.acknowledged;
  }
  if (sample.sequence > window_end_) {
    update_alpha();
    window_end_ = sample.next;
  }
  if (sample.may_grow && !sample.echoes_mark) {
    const Bytes rest = slow_start(sample.acknowledged);
    if (rest > Bytes::zero()) {
      additive_increase(rest);
    }
  }
}

/// alpha = (1 - g) alpha + g M, rounded down.
//= rfc8257 3.3
void Dctcp::update_alpha() {
  WEFT_DCHECK(Bytes::zero() <= marked_ && marked_ <= acknowledged_);
  if (acknowledged_ > Bytes::zero()) {
    const Probability share =
        Probability::from_ratio({.numerator = static_cast<std::uint64_t>(marked_.count()),
                                 .denominator = static_cast<std::uint64_t>(acknowledged_.count())});
    const Probability kept = parameters_.gain.complement() * alpha_;
    const Probability added = parameters_.gain * share;
    alpha_ = Probability::from_raw(std::min(kept.raw() + added.raw(), Probability::kOne));
  }
  acknowledged_ = Bytes::zero();
  marked_ = Bytes::zero();
}

Bytes Dctcp::reduced(Bytes flight, Cause cause, Time) {
  if (cause != Cause::kMark) {
    //= rfc8257 3.5
    return flight / 2;
  }
  //= rfc8257 3.4
  const auto cut = static_cast<Uint128>(static_cast<std::uint64_t>(flight.count())) * alpha_.raw() >> 64;
  return flight - Bytes(static_cast<std::int64_t>(cut));
}

}  // namespace weft::transport
