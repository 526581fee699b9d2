// A barrier for threads that reach it within microseconds of each other: it spins for a while, then sleeps.
//
// What a thread wrote before the barrier is seen by all others behind it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/pause.h"

namespace weft {

class SpinBarrier {
 public:
  explicit SpinBarrier(std::uint32_t threads) : threads_(threads) {}

  /// Returns when all threads have called it.
  void wait() {
    const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      generation_.notify_all();
      return;
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      if (generation_.load(std::memory_order_acquire) != generation) {
        return;
      }
      pause();
    }
    generation_.wait(generation, std::memory_order_acquire);
  }

 private:
  /// Some tens of microseconds: longer than partitions of equal size differ, shorter than a slice of the scheduler.
  static constexpr int kTurns = 1'000;

  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_ = 0;
  alignas(64) std::atomic<std::uint32_t> generation_ = 0;
};

}  // namespace weft
