#include "workload/reconnections.h"

#include <algorithm>
#include <utility>

namespace weft::workload {

Duration ReconnectPolicy::wait_before(std::uint32_t attempt) const {
  if (attempt <= 1)
    return first_wait;
  Duration wait = next_wait;
  for (std::uint32_t n = 2; n < attempt && wait < longest_wait; ++n)
    wait = wait * backoff;
  return std::min(wait, std::max(longest_wait, next_wait));
}

Reconnections::Name Reconnections::common(const Name& name) {
  Name made = name;
  if (std::pair(made.connection.to, made.connection.remote_rail) <
      std::pair(made.connection.from, made.connection.rail)) {
    std::swap(made.connection.from, made.connection.to);
    std::swap(made.connection.rail, made.connection.remote_rail);
  }
  return made;
}

const Reconnections::Exchange* Reconnections::begin(const Name& name, Time now) {
  const auto known = exchanges_.find(common(name));
  if (known != exchanges_.end() && known->second.phase != Phase::kConnected)
    return &known->second;
  const std::uint32_t attempt = known == exchanges_.end() ? 1 : known->second.attempts + 1;
  if (attempt > policy_.attempts)
    return nullptr;
  if (exchanges_.empty())
    since_ = now;
  Exchange& exchange = exchanges_[common(name)];
  const Time request = now + policy_.wait_before(attempt);
  // The request takes one of the exchange's three ways, and the reply ends what either end has to wait for but one.
  exchange = {.phase = Phase::kWaiting,
              .attempts = attempt,
              .request_at = request + policy_.exchange / 3,
              .ready_at = request + policy_.exchange};
  return &exchange;
}

Reconnections::Exchange* Reconnections::find(const Name& name) {
  const auto known = exchanges_.find(common(name));
  return known == exchanges_.end() ? nullptr : &known->second;
}

void Reconnections::on_connected(Exchange& exchange) {
  exchange.phase = Phase::kConnected;
  exchange.idle_ends = 0;
  ++count_;
}

void Reconnections::on_recovered(const Name& name, Time now) {
  const auto known = exchanges_.find(common(name));
  if (known == exchanges_.end() || known->second.phase != Phase::kConnected)
    return;
  exchanges_.erase(known);
  if (exchanges_.empty())
    total_ = total_ + (now - since_);
}

void Reconnections::on_nothing_left(const Name& name, Time now) {
  Exchange* const exchange = find(name);
  if (exchange != nullptr && exchange->phase == Phase::kConnected && ++exchange->idle_ends == 2)
    on_recovered(name, now);
}

Duration Reconnections::disconnected(Time end) const {
  return exchanges_.empty() || end <= since_ ? total_ : total_ + (end - since_);
}

}  // namespace weft::workload
