#include "base/worker_team.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/assert.h"
#include "base/pause.h"

namespace weft {
namespace {

/// A part that nobody has begun so long after others were done, some microseconds, waits for a thread that does not
/// run: it is worth what its memory costs another processor.
constexpr std::uint32_t kPatience = 256;
constexpr std::uint32_t kBetweenLooks = 64;
/// Some tens of microseconds: longer than parts of equal size differ, shorter than a slice of the scheduler.
constexpr std::uint32_t kTurns = 1'024;
/// Then a thread leaves its processor to others. Nobody wakes it, which would cost whoever goes on more than it is
/// worth where rounds are short: it looks again after a while.
constexpr std::chrono::microseconds kShortestNap{50};
constexpr std::uint32_t kLongestNap = 5;  // as a power of two of that
/// Who slept through so many rounds and had a part in no more before is not missed, and only takes processors from
/// those that work: it sleeps longer.
constexpr std::uint64_t kMissed = 4;
constexpr std::uint32_t kFew = 32;

}  // namespace

WorkerTeam::WorkerTeam(std::uint32_t workers) : workers_(workers), gate_(workers), parts_(workers) {
  WEFT_ASSERT(workers >= 1 && workers <= kMaxWorkers);
  for (WorkerIndex worker = 0; worker < workers; ++worker) {
    parts_[worker].thread = worker;
  }
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

void WorkerTeam::serve(WorkerIndex thread) {
  for (;;) {
    this_worker = thread;
    gate_.wait();
    if (part_ == nullptr) {
      return;
    }
    (*part_)(thread);
    gate_.wait();
  }
}

void WorkerTeam::run_rounds(const Rounds& rounds) {
  is_over_.store(false, std::memory_order_relaxed);
  left_.store(workers_, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_relaxed);  // the gate orders it before all that follows
  run([&](WorkerIndex thread) { work_in_rounds(thread, rounds); });
}

void WorkerTeam::work_in_rounds(WorkerIndex thread, const Rounds& rounds) {
  Own own{.thread = thread};
  for (;;) {
    const std::uint64_t round = round_.load(std::memory_order_acquire);
    if (is_over_.load(std::memory_order_relaxed)) {
      break;
    }
    const std::uint32_t done = do_own(own, round, rounds);
    own.rounds += done > 0 ? 1 : 0;
    count_done(done, rounds);
    wait(own, round, rounds);
  }
  this_worker = thread;
}

std::uint32_t WorkerTeam::do_own(Own& own, std::uint64_t round, const Rounds& rounds) {
  std::uint32_t done = 0;
  if (claim(own.thread, round, own)) {
    do_part(own.thread, rounds);
    ++done;
  }
  for (std::uint64_t left = own.adopted; left != 0; left &= left - 1) {
    const auto worker = static_cast<WorkerIndex>(std::countr_zero(left));
    if (parts_[worker].thread.load(std::memory_order_relaxed) != own.thread) {
      own.adopted &= ~(std::uint64_t{1} << worker);  // its own thread is back, or a third one was faster
    } else if (claim(worker, round, own)) {
      do_part(worker, rounds);
      ++done;
    }
  }
  return done;
}

bool WorkerTeam::take_over(Own& own, std::uint64_t round, const Rounds& rounds) {
  for (WorkerIndex worker = 0; worker < workers_; ++worker) {
    if (claim(worker, round, own)) {
      own.adopted |= worker == own.thread ? 0 : std::uint64_t{1} << worker;
      taken_over_.fetch_add(worker == own.thread ? 0 : 1, std::memory_order_relaxed);
      do_part(worker, rounds);
      count_done(1, rounds);
      return true;
    }
  }
  return false;
}

// A round ends only when every part of it has been begun and done: so a thread that still has the number of a past one
// finds all of its parts begun.
bool WorkerTeam::claim(WorkerIndex worker, std::uint64_t round, const Own& own) {
  Part& part = parts_[worker];
  std::uint64_t begun = part.round.load(std::memory_order_relaxed);
  if (begun >= round || !part.round.compare_exchange_strong(begun, round, std::memory_order_acq_rel)) {
    return false;
  }
  part.thread.store(own.thread, std::memory_order_relaxed);
  return true;
}

void WorkerTeam::do_part(WorkerIndex worker, const Rounds& rounds) {
  this_worker = worker;
  rounds.part(worker);
}

void WorkerTeam::count_done(std::uint32_t parts, const Rounds& rounds) {
  if (parts == 0 || left_.fetch_sub(parts, std::memory_order_acq_rel) != parts) {
    return;
  }
  this_worker = 0;
  is_over_.store(!rounds.turn(), std::memory_order_relaxed);
  left_.store(workers_, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
}

void WorkerTeam::wait(Own& own, std::uint64_t round, const Rounds& rounds) {
  for (std::uint32_t turn = 1; turn <= kTurns; ++turn) {
    if (!is_current(round)) {
      return;
    }
    if (turn >= kPatience && turn % kBetweenLooks == 0 && take_over(own, round, rounds)) {
      turn = kPatience;
    }
    pause();
  }
  nap(own, round, rounds);
}

void WorkerTeam::nap(Own& own, std::uint64_t round, const Rounds& rounds) {
  while (is_current(round)) {
    if (!take_over(own, round, rounds)) {
      std::this_thread::sleep_for(kShortestNap * (1U << own.nap_turns));
    }
  }
  const std::uint64_t missed = round_.load(std::memory_order_relaxed) - round;
  const bool is_missed = missed < kMissed || own.rounds >= kFew;
  own.nap_turns = is_missed ? 0 : std::min(own.nap_turns + 1, kLongestNap);
  own.rounds = 0;
}

}  // namespace weft
