#include "flow/flow_machine.h"

#include <array>
#include <vector>

#include "base/assert.h"

namespace weft::flow {

void FlowMachine::add_rail(EndpointId endpoint, Rate rate, verbs::RailKind kind) {
  devices_.push_back(std::make_unique<FlowDevice>(network_, *this, endpoint));
  rails_.push_back({.endpoint = endpoint, .rate = rate, .provider = devices_.back().get(), .kind = kind});
}

void FlowMachine::wake_at(Time at) {
  if (at < wakes_at_) {
    wakes_at_ = at;
    network_.schedule(at, FlowNetwork::EventKind::kWake, index_);
  }
}

void FlowMachine::finish_at(const verbs::MachineEvent& event) {
  WEFT_DCHECK(event.at >= now());
  work_.add(event);
  wake_at(event.at);
}

void FlowMachine::shift(Duration by) {
  wakes_at_ = wakes_at_.is_never() ? wakes_at_ : wakes_at_ + by;
  std::vector<verbs::MachineEvent> pending;
  std::array<verbs::MachineEvent, 1> one;
  const Time last = Time::zero() + (Duration::max() - Duration::picoseconds(1));  // before never
  while (work_.next() <= last && work_.poll(one, last) == 1) {
    pending.push_back(one[0]);
  }
  for (verbs::MachineEvent& event : pending) {
    event.at += by;
    work_.add(event);
  }
}

Result<void> FlowMachine::run() {
  wakes_at_ = wakes_at_ <= now() ? Time::never() : wakes_at_;
  Result<void> ran = program_ ? program_() : Result<void>{};
  // What the program has left lying at this instant is its own affair: it is called again for news only.
  if (const Time next = work_.next(); next > now() && !next.is_never()) {
    wake_at(next);
  }
  return ran;
}

Result<void> FlowMachine::compute(const verbs::ComputeRequest& request) {
  Result<verbs::MachineEvent> end = work_.compute(request, now());
  if (!end) {
    return pass_on(end);
  }
  finish_at(*end);
  return {};
}

Result<void> FlowMachine::copy(const verbs::CopyRequest& request) {
  Result<void> right = work_.check(request);
  if (right) {
    finish_at({.kind = verbs::MachineEvent::Kind::kCopy,
               .token = request.token,
               .at = now() + work_.copy_time(request.size)});
  }
  return right;
}

void FlowMachine::set_timer(const verbs::TimerRequest& request) {
  finish_at({.kind = verbs::MachineEvent::Kind::kTimer, .token = request.token, .at = later(request.at, now())});
}

std::size_t FlowMachine::poll_events(std::span<verbs::MachineEvent> out) { return work_.poll(out, now()); }

}  // namespace weft::flow
