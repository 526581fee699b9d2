#include "base/worker_team.h"

#include "base/assert.h"

namespace weft {

WorkerTeam::WorkerTeam(std::uint32_t workers) : workers_(workers), meeting_(workers), gate_(workers) {
  WEFT_ASSERT(workers >= 1 && workers <= kMaxWorkers);
  for (WorkerIndex worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

WorkerTeam::~WorkerTeam() {
  if (!threads_.empty()) {
    part_ = nullptr;
    gate_.wait();
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerTeam::run(const std::function<void(WorkerIndex)>& part) {
  if (threads_.empty()) {
    return part(0);
  }
  part_ = &part;
  gate_.wait();
  part(0);
  gate_.wait();
}

void WorkerTeam::serve(WorkerIndex worker) {
  this_worker = worker;
  for (;;) {
    gate_.wait();
    if (part_ == nullptr) {
      return;
    }
    (*part_)(worker);
    gate_.wait();
  }
}

}  // namespace weft
