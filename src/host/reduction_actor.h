// Whoever takes part in reductions by the network and is woken for it: a reducer, or a rank's groups on one rail.
#pragma once

#include <cstdint>

#include "host/actors.h"
#include "sim/kernel.h"

namespace weft::host {

class ReductionActor {
 public:
  ReductionActor(sim::Kernel& kernel, std::uint32_t index) : kernel_(kernel), index_(index) {}
  virtual ~ReductionActor() = default;
  ReductionActor(const ReductionActor&) = delete;
  ReductionActor& operator=(const ReductionActor&) = delete;

  void on_wake(Time now) {
    if (wake_.fires(now)) {
      work(now);
    }
  }
  [[nodiscard]] sim::Wake& wake() { return wake_; }

 protected:
  virtual void work(Time now) = 0;
  [[nodiscard]] Time now() const { return kernel_.now(); }
  void wake_at(Time at) {
    if (!at.is_never()) {
      kernel_.wake(wake_, sim::ActorId(kReduction, index_), later(at, kernel_.now()));
    }
  }

 private:
  sim::Kernel& kernel_;
  std::uint32_t index_;
  sim::Wake wake_;
};

}  // namespace weft::host
