#include "verbs/machine_work.h"

#include <algorithm>

#include "base/int128.h"

namespace weft::verbs {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.event.at != b.event.at ? b.event.at < a.event.at : b.order < a.order;
};

}  // namespace

Result<MachineEvent> MachineWork::compute(const ComputeRequest& request, Time now) {
  if (no_such_gpu(request.gpu)) {
    return fail("compute: GPU {}; this host has {}", request.gpu.value(), options_.gpus);
  }
  Duration time;
  if (const auto* const flops = std::get_if<Flops>(&request.work); flops != nullptr) {
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
  Time start = now;
  if (request.gpu.is_valid()) {
    Time& free_at = gpu_free_at_[request.gpu.value()];
    start = later(start, free_at);
    free_at = start + time;
  }
  return MachineEvent{.kind = MachineEvent::Kind::kCompute, .token = request.token, .at = start + time};
}

Result<void> MachineWork::check(const CopyRequest& request) const {
  if (no_such_gpu(request.from.gpu) || no_such_gpu(request.to.gpu)) {
    return fail("copy: no such GPU; this host has {}", options_.gpus);
  }
  if (request.size < Bytes::zero()) {
    return fail("copy: {} bytes", request.size.count());
  }
  return {};
}

Duration MachineWork::copy_time(Bytes size) const {
  return options_.copy_rate == Rate::max() ? Duration::zero() : options_.copy_rate.transmit_time(size);
}

void MachineWork::add(const MachineEvent& event) {
  pending_.push_back({event, requests_++});
  std::ranges::push_heap(pending_, kLater);
}

std::size_t MachineWork::poll(std::span<MachineEvent> out, Time now) {
  std::size_t moved = 0;
  while (moved < out.size() && next() <= now) {
    std::ranges::pop_heap(pending_, kLater);
    out[moved++] = pending_.back().event;
    pending_.pop_back();
  }
  return moved;
}

}  // namespace weft::verbs
