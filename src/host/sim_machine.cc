#include "host/sim_machine.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::host {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.event.at != b.event.at ? b.event.at < a.event.at : b.order < a.order;
};

}  // namespace

SimMachine::SimMachine(sim::Kernel& kernel, std::uint32_t index, const MachineOptions& options)
    : kernel_(kernel), index_(index), options_(options), gpu_free_at_(options.gpus) {}

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
  if (!wake_.fires(now)) {
    return {};
  }
  Result<void> ran = program_ ? program_() : Result<void>{};
  Time next = pending_.empty() ? Time::never() : later(pending_.front().event.at, now);
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
  pending_.push_back({event, requests_++});
  std::push_heap(pending_.begin(), pending_.end(), kLater);
  kernel_.wake(wake_, sim::ActorId(kProgram, index_), event.at);
}

Result<void> SimMachine::compute(const verbs::ComputeRequest& request) {
  if (no_such_gpu(request.gpu)) {
    return fail("compute: GPU {}; this host has {}", request.gpu.value(), options_.gpus);
  }
  Duration time;
  if (const auto* const flops = std::get_if<verbs::Flops>(&request.work); flops != nullptr) {
    if (!request.gpu.is_valid() || options_.flops_per_second <= 0) {
      return fail("compute: the processor has no operation rate; give a time");
    }
    if (flops->count < 0) {
      return fail("compute: {} operations", flops->count);
    }
    const auto scaled = static_cast<Int128>(flops->count) * 1'000'000'000'000;
    const Int128 rate = options_.flops_per_second;
    time = Duration::picoseconds(static_cast<std::int64_t>((scaled + rate - 1) / rate));
  } else {
    time = std::get<Duration>(request.work);
  }
  if (time < Duration::zero()) {
    return fail("compute: a negative time");
  }
  Time start = now();
  if (request.gpu.is_valid()) {
    Time& free_at = gpu_free_at_[request.gpu.value()];
    start = later(start, free_at);
    free_at = start + time;
  }
  finish_at({.kind = verbs::MachineEvent::Kind::kCompute, .token = request.token, .at = start + time});
  return {};
}

Result<void> SimMachine::copy(const verbs::CopyRequest& request) {
  if (no_such_gpu(request.from.gpu) || no_such_gpu(request.to.gpu)) {
    return fail("copy: no such GPU; this host has {}", options_.gpus);
  }
  if (request.size < Bytes::zero()) {
    return fail("copy: {} bytes", request.size.count());
  }
  finish_at({.kind = verbs::MachineEvent::Kind::kCopy, .token = request.token, .at = copied(request)});
  return {};
}

Time SimMachine::copied(const verbs::CopyRequest& request) {
  if (options_.host != nullptr) {
    return options_.host->copy({.from = request.from, .to = request.to, .size = request.size, .core = options_.core},
                               now());
  }
  return options_.copy_rate == Rate::max() ? now() : now() + options_.copy_rate.transmit_time(request.size);
}

void SimMachine::set_timer(const verbs::TimerRequest& request) {
  finish_at({.kind = verbs::MachineEvent::Kind::kTimer, .token = request.token, .at = later(request.at, now())});
}

std::size_t SimMachine::poll_events(std::span<verbs::MachineEvent> out) {
  std::size_t moved = 0;
  while (moved < out.size() && !pending_.empty() && pending_.front().event.at <= now()) {
    std::pop_heap(pending_.begin(), pending_.end(), kLater);
    out[moved++] = pending_.back().event;
    pending_.pop_back();
  }
  return moved;
}

}  // namespace weft::host
