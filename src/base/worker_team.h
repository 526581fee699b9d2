// Threads that run one function together, again and again: one call per slice of a simulation. Within it they may work
// in rounds of one part per worker, where a part waits for the threads that run, not for its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "base/spin_barrier.h"
#include "base/worker.h"

namespace weft {

class WorkerTeam {
 public:
  /// What is done in rounds. Neither may throw.
  struct Rounds {
    /// The part of one worker, with `this_worker` set to it; parts of one round run at the same time.
    std::function<void(WorkerIndex)> part;
    /// After the last part of a round, alone and as worker 0; false: that was the last round. Sees all that parts have
    /// written, and the next parts see all that it has.
    std::function<bool()> turn;
  };

  /// `workers`: 1 to kMaxWorkers; the caller of run() is the first of them, and the others are threads that sleep
  /// between calls.
  explicit WorkerTeam(std::uint32_t workers);
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  [[nodiscard]] std::uint32_t size() const { return workers_; }
  /// Calls part(worker) on every worker, with `this_worker` set, and returns when all are done. The function must not
  /// throw.
  void run(const std::function<void(WorkerIndex)>& part);
  /// Rounds until a turn says that it was the last. A part is done by the thread of its worker, or by another one that
  /// has waited for a while and found it not begun: a thread without a processor holds up the part that it is in, and
  /// no other.
  void run_rounds(const Rounds& rounds);
  /// Parts that were done by the thread of another worker; between calls.
  [[nodiscard]] std::uint64_t parts_taken_over() const { return taken_over_.load(std::memory_order_relaxed); }

 private:
  /// Who does the part of a worker, in a cache line of its own.
  struct alignas(64) Part {
    std::atomic<std::uint64_t> round = 0;  // the last one in which somebody has begun it
    std::atomic<WorkerIndex> thread = 0;   // who that was
  };
  /// What a thread knows while it works in rounds.
  struct Own {
    WorkerIndex thread = 0;
    std::uint64_t adopted = 0;    // bit w: it was the last to do the part of worker w, and need not wait for others
    std::uint32_t rounds = 0;     // in which it had a part since it slept
    std::uint32_t nap_turns = 0;  // how long it sleeps, as a power of two of the shortest time
  };

  void serve(WorkerIndex thread);
  void work_in_rounds(WorkerIndex thread, const Rounds& rounds);
  /// The parts that are the thread's, or have become so; how many.
  [[nodiscard]] std::uint32_t do_own(Own& own, std::uint64_t round, const Rounds& rounds);
  /// A part that nobody has begun; false: there is none.
  [[nodiscard]] bool take_over(Own& own, std::uint64_t round, const Rounds& rounds);
  [[nodiscard]] bool claim(WorkerIndex worker, std::uint64_t round, const Own& own);
  static void do_part(WorkerIndex worker, const Rounds& rounds);
  /// So many parts are done. If they were the last, the next round begins.
  void count_done(std::uint32_t parts, const Rounds& rounds);
  void wait(Own& own, std::uint64_t round, const Rounds& rounds);
  void nap(Own& own, std::uint64_t round, const Rounds& rounds);
  [[nodiscard]] bool is_current(std::uint64_t round) const { return round_.load(std::memory_order_acquire) == round; }

  std::uint32_t workers_;
  SpinBarrier gate_;                                        // at the beginning and at the end of a call
  const std::function<void(WorkerIndex)>* part_ = nullptr;  // null at the beginning of a call: the team is dismissed
  std::vector<Part> parts_;                                 // by worker
  alignas(64) std::atomic<std::uint64_t> round_ = 0;        // they are numbered on from call to call
  std::atomic<bool> is_over_ = false;                       // written before round_ changes
  alignas(64) std::atomic<std::uint32_t> left_ = 0;         // parts of this round that are not done
  std::atomic<std::uint64_t> taken_over_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace weft
