// SharedPool<T>: records of one type behind 32-bit handles, allocated and released by the workers of a simulation.
//
// Records lie side by side in one range of addresses, so that a handle becomes an address without a load, and stay
// where they are. Each worker has free records of its own: released ones are reused last in, first out, while they are
// still in its caches; new ones come in ascending order. One that releases more than it allocates passes whole batches
// on to the others (Bonwick and Adams, "Magazines and Vmem", 2001). With one worker the handles that a run sees depend
// only on its calls; with several they mean nothing beyond their records.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/assert.h"
#include "base/huge_pages.h"
#include "base/worker.h"

namespace weft {

/// T has a trivial destructor and is at least four bytes long.
template <class T>
class SharedPool {
 public:
  using Index = std::uint32_t;

  /// At most `capacity` records live at once.
  explicit SharedPool(std::size_t capacity)
      : storage_(capacity * sizeof(T)), records_(static_cast<T*>(storage_.data())), shards_(1) {}

  /// Before the first run with so many; never fewer than before.
  void set_workers(std::uint32_t workers) {
    WEFT_ASSERT(workers >= shards_.size() && workers <= kMaxWorkers);
    shards_.resize(workers);
    batch_ = workers > 1 ? kBatch : kNone;
  }

  /// A record with a value.
  [[nodiscard]] Index allocate() {
    Shard& own = shards_[this_worker];
    Index index = own.first_free;
    if (index != kNone) [[likely]] {
      std::memcpy(&own.first_free, static_cast<const void*>(records_ + index), sizeof(Index));
      --own.count;
    } else {
      index = allocate_slow(own);
    }
    std::construct_at(records_ + index);
    mark(index, true);
    return index;
  }
  /// Releasing twice is caught in checked builds.
  void release(Index index) {
    check_live(index);
    Shard& own = shards_[this_worker];
    std::memcpy(static_cast<void*>(records_ + index), &own.first_free, sizeof(Index));
    own.first_free = index;
    mark(index, false);
    if (++own.count == batch_) [[unlikely]] {
      set_aside(own);
    }
  }

  [[nodiscard]] T& operator[](Index index) {
    check_live(index);
    return records_[index];
  }
  [[nodiscard]] const T& operator[](Index index) const {
    check_live(index);
    return records_[index];
  }
  // Forced inline: out of line, the compiler removes a function that only prefetches.
  [[gnu::always_inline]] void prefetch(Index index) const { __builtin_prefetch(records_ + index); }

  // Between runs.
  [[nodiscard]] std::uint32_t live_count() const {
    Index free = static_cast<Index>(batches_.size()) * kBatch;
    for (const Shard& shard : shards_) {
      free += shard.count + (shard.spare != kNone ? kBatch : 0) + (shard.fresh_end - shard.fresh);
    }
    return used_ - free;
  }
  /// Of what was ever given out.
  [[nodiscard]] std::size_t heap_bytes() const {
    Index given = used_;
    for (const Shard& shard : shards_) {
      given -= shard.fresh_end - shard.fresh;
    }
    return std::size_t{given} * sizeof(T);
  }

 private:
  static constexpr Index kNone = ~Index{0};
  /// So many records change their worker at once.
  static constexpr Index kBatch = 1024;

  struct alignas(64) Shard {
    Index first_free = kNone;  // of a list
    Index count = 0;           // its length
    Index spare = kNone;       // another one, of kBatch records
    Index fresh = 0;           // never given out from here to fresh_end
    Index fresh_end = 0;
  };

  // Out of line: for few records.
  [[gnu::noinline]] Index allocate_slow(Shard& own) {
    if (own.spare != kNone || take_batch(own)) {
      own.first_free = own.spare;
      own.count = kBatch - 1;
      own.spare = kNone;
      const Index index = own.first_free;
      std::memcpy(&own.first_free, static_cast<const void*>(records_ + index), sizeof(Index));
      return index;
    }
    if (own.fresh == own.fresh_end) {
      const std::lock_guard lock(mutex_);
      const std::size_t room = storage_.bytes() / sizeof(T) - used_;
      WEFT_ASSERT(room > 0);
      own.fresh = used_;
      used_ += static_cast<Index>(room < kBatch ? room : kBatch);
      own.fresh_end = used_;
    }
    return own.fresh++;
  }
  [[nodiscard]] bool take_batch(Shard& own) {
    if (batch_ == kNone) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) {
      return false;
    }
    own.spare = batches_.back();
    batches_.pop_back();
    return true;
  }
  /// A whole batch is free: one is kept, those beyond it are for all.
  [[gnu::noinline]] void set_aside(Shard& own) {
    if (own.spare != kNone) {
      const std::lock_guard lock(mutex_);
      batches_.push_back(own.spare);
    }
    own.spare = own.first_free;
    own.first_free = kNone;
    own.count = 0;
  }

#if defined(WEFT_DCHECKS)
  // A byte each: workers mark neighbours at the same time.
  void mark(Index index, bool live) { live_[index] = live ? 1 : 0; }
  void check_live(Index index) const { WEFT_ASSERT(index < live_reserve_.bytes() && live_[index] != 0); }
#else
  void mark(Index, bool) {}
  void check_live(Index) const {}
#endif

  HugeReserve storage_;
  T* records_;
#if defined(WEFT_DCHECKS)
  HugeReserve live_reserve_{storage_.bytes() / sizeof(T)};
  std::uint8_t* live_ = static_cast<std::uint8_t*>(live_reserve_.data());
#endif
  std::vector<Shard> shards_;
  Index batch_ = kNone;
  std::mutex mutex_;            // of what follows
  Index used_ = 0;              // records from here on were never given to a worker
  std::vector<Index> batches_;  // first records of lists of kBatch
};

}  // namespace weft
