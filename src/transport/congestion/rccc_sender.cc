#include "transport/congestion/rccc_sender.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

CreditSender::CreditSender(const Parameters& parameters) : parameters_(&parameters), credit_(parameters.window) {
  WEFT_ASSERT(parameters.packet > Bytes::zero() && parameters.window > Bytes::zero());
  WEFT_ASSERT(parameters.round_trip > Duration::zero());
}

void CreditSender::on_sent(Bytes size) {
  WEFT_DCHECK(may_send() && size > Bytes::zero());
  credit_ -= size;
}

void CreditSender::on_feedback() {
  if (!speculating_) {
    return;
  }
  speculating_ = false;
  credit_ = std::min(credit_, Bytes::zero());
}

void CreditSender::on_credit(CreditTotal granted) {
  on_feedback();
  const std::int32_t more = granted - granted_;
  if (more <= 0) {
    return;
  }
  credit_ = std::min(credit_ + more * CreditTotal::kQuantum, parameters_->window);
  granted_ = granted;
}

CreditTotal CreditSender::target(const Demand& demand) const {
  WEFT_DCHECK(demand.active_flows > 0);
  Bytes wanted = demand.backlog;
  if (demand.sender_window < Bytes::max()) {
    wanted = std::min(wanted, demand.sender_window + parameters_->packet);
  }
  wanted = std::min(wanted, parameters_->window) - credit_;
  // Speculative credit may be void before it is used: a packet of it is asked for all the same.
  if (speculating_ && wanted < parameters_->packet && demand.backlog > Bytes::zero()) {
    wanted = parameters_->packet;
  }
  // Its NIC cannot send more than its share at once.
  wanted = wanted / demand.active_flows;
  const std::int64_t quantum = CreditTotal::kQuantum.count();
  const std::int64_t up = wanted > Bytes::zero() ? quantum - 1 : 0;
  return granted_ + (wanted.count() + up) / quantum;
}

bool CreditSender::request_to_send(Time now) {
  if (requested_ && now - last_request_ < parameters_->round_trip) {
    return false;
  }
  requested_ = true;
  last_request_ = now;
  return true;
}

}  // namespace weft::transport
