// What machines of simulated time do alike: what compute and copies take, and the order in which their ends are told.
//
// A GPU does one request after another, the processor any number at once; a copy takes its time at the machine's copy
// rate and shares nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "verbs/machine.h"

namespace weft::verbs {

class MachineWork {
 public:
  struct Options {
    std::uint32_t gpus = 0;
    std::int64_t flops_per_second = 0;  // of a GPU; 0: unknown, and operations are refused
    Rate copy_rate = Rate::max();
  };
  explicit MachineWork(const Options& options) : options_(options), gpu_free_at_(options.gpus) {}

  /// The end of a request that is made now. Errors: those of Machine::compute.
  [[nodiscard]] Result<MachineEvent> compute(const ComputeRequest& request, Time now);
  /// Errors: those of Machine::copy.
  [[nodiscard]] Result<void> check(const CopyRequest& request) const;
  [[nodiscard]] Duration copy_time(Bytes size) const;

  /// To be told at its time. O(log pending events).
  void add(const MachineEvent& event);
  /// When the next event is to be told; never if there is none.
  [[nodiscard]] Time next() const { return pending_.empty() ? Time::never() : pending_.front().event.at; }
  /// Machine::poll_events.
  std::size_t poll(std::span<MachineEvent> out, Time now);

 private:
  struct Pending {
    MachineEvent event;
    std::uint64_t order = 0;  // of request
  };
  [[nodiscard]] bool no_such_gpu(GpuIndex gpu) const { return gpu.is_valid() && gpu.value() >= options_.gpus; }

  Options options_;
  std::vector<Time> gpu_free_at_;
  std::vector<Pending> pending_;  // heap, earliest first
  std::uint64_t requests_ = 0;
};

}  // namespace weft::verbs
