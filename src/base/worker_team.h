// Threads that run one function together, again and again: one call per slice of a simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/spin_barrier.h"
#include "base/worker.h"

namespace weft {

class WorkerTeam {
 public:
  /// `workers`: 1 to kMaxWorkers; the caller of run() is the first of them, and the others are threads that sleep
  /// between calls.
  explicit WorkerTeam(std::uint32_t workers);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  [[nodiscard]] std::uint32_t size() const { return workers_; }
  /// For the function itself: all workers meet here.
  void meet() {
    if (workers_ > 1) {
      meeting_.wait();
    }
  }
  /// Calls part(worker) on every worker, with `this_worker` set, and returns when all are done. The function must not
  /// throw.
  void run(const std::function<void(WorkerIndex)>& part);

 private:
  void serve(WorkerIndex worker);

  std::uint32_t workers_;
  SpinBarrier meeting_;
  SpinBarrier gate_;                                        // at the beginning and at the end of a call
  const std::function<void(WorkerIndex)>* part_ = nullptr;  // null at the beginning of a call: the team is dismissed
  std::vector<std::thread> threads_;
};

}  // namespace weft
