#include "host/sim_machine.h"

#include "base/assert.h"

namespace weft::host {

SimMachine::SimMachine(sim::Kernel& kernel, std::uint32_t index, const MachineOptions& options)
    : kernel_(kernel),
      index_(index),
      options_(options),
      work_({.gpus = options.gpus, .flops_per_second = options.flops_per_second, .copy_rate = options.copy_rate}) {}

void SimMachine::add_rail(Nic& nic, Rate rate) {
  providers_.push_back(std::make_unique<SimProvider>(nic, *this, options_.service));
  rails_.push_back({.endpoint = nic.options().device.endpoint, .rate = rate, .provider = providers_.back().get()});
}

void SimMachine::add_scale_up_rail(Nic& nic, Rate rate) {
  providers_.push_back(std::make_unique<SimProvider>(nic, *this, Service::kMemory));
  rails_.push_back({.endpoint = nic.options().device.endpoint,
                    .rate = rate,
                    .provider = providers_.back().get(),
                    .kind = verbs::RailKind::kScaleUp});
}

void SimMachine::on_completions(Time at) { kernel_.wake(wake_, sim::ActorId(kProgram, index_), at); }

Result<void> SimMachine::on_wake(Time now) {
  if (!wake_.fires(now) || failed_) {
    return {};
  }
  Result<void> ran = program_ ? program_() : Result<void>{};
  failed_ = !ran;
  Time next = later(work_.next(), now);
  for (const auto& provider : providers_) {
    next = earlier(next, provider->next_visible(now));
  }
  // What the program has left lying at this instant is its own affair: it is called again for news only.
  if (!next.is_never() && next > now) {
    kernel_.wake(wake_, sim::ActorId(kProgram, index_), next);
  }
  return ran;
}

void SimMachine::finish_at(const verbs::MachineEvent& event) {
  WEFT_DCHECK(event.at >= now());
  work_.add(event);
  kernel_.wake(wake_, sim::ActorId(kProgram, index_), event.at);
}

Result<void> SimMachine::compute(const verbs::ComputeRequest& request) {
  Result<verbs::MachineEvent> end = work_.compute(request, now());
  if (!end) {
    return pass_on(end);
  }
  finish_at(*end);
  return {};
}

Result<void> SimMachine::copy(const verbs::CopyRequest& request) {
  Result<void> right = work_.check(request);
  if (right) {
    finish_at({.kind = verbs::MachineEvent::Kind::kCopy, .token = request.token, .at = copied(request)});
  }
  return right;
}

Time SimMachine::copied(const verbs::CopyRequest& request) {
  if (options_.host != nullptr) {
    return options_.host->copy({.from = request.from, .to = request.to, .size = request.size, .core = options_.core},
                               now());
  }
  return now() + work_.copy_time(request.size);
}

void SimMachine::set_timer(const verbs::TimerRequest& request) {
  finish_at({.kind = verbs::MachineEvent::Kind::kTimer, .token = request.token, .at = later(request.at, now())});
}

std::size_t SimMachine::poll_events(std::span<verbs::MachineEvent> out) { return work_.poll(out, now()); }

}  // namespace weft::host
