#include "transport/path/tcp_plb.h"

#include "base/assert.h"

namespace weft::transport {

TcpPlb::TcpPlb(const PlbRule::Options& rule, RandomStream random)
    : random_(random),
      rule_(rule, RandomStream(random_.next(), "plb")),
      label_(static_cast<std::uint16_t>(random_.uniform(kLabels))) {}

void TcpPlb::move() {
  const auto step = 1 + static_cast<std::uint32_t>(random_.uniform(kLabels - 1U));
  label_ = static_cast<std::uint16_t>(label_ + step);
  count_change();
}

void TcpPlb::leave_if_due(PlbRule::Flight flight, Time now) {
  if (rule_.leaves(flight, now)) {
    move();
  }
}

void TcpPlb::on_delivery(const Delivery& delivery, Time now) {
  WEFT_DCHECK(delivery.bytes >= 0 && delivery.unacknowledged <= delivery.next);
  const auto bytes = static_cast<std::uint64_t>(delivery.bytes);
  round_.acknowledged += bytes;
  round_.marked += delivery.mark == PathMark::kMarked ? bytes : 0;
  if (delivery.unacknowledged < round_end_ || round_.acknowledged == 0) {
    return;
  }
  rule_.on_round(round_);
  round_ = {};
  round_end_ = delivery.next;
  leave_if_due(delivery.unacknowledged == delivery.next ? PlbRule::Flight::kNone : PlbRule::Flight::kSome, now);
}

void TcpPlb::on_idle(Time now) { leave_if_due(PlbRule::Flight::kNone, now); }

void TcpPlb::on_timeout(Time now) {
  rule_.on_timeout(now);
  move();
}

}  // namespace weft::transport
