// The pending wake-ups, in buckets of time: insertion and removal in O(1), no comparison heap near the present.
//
// A ring of buckets covers the near future; what lies beyond waits in an overflow heap. The bucket that has come is
// sorted by (time, rank) into the active list; what is inserted at the present instant, or in the active bucket, goes
// into its place among those that remain. Memory follows the number of events pending, never the traffic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "sim/actor.h"

namespace weft::sim {

class EventSet {
 public:
  struct Options {
    /// A bucket spans 2^shift picoseconds. Best: a bucket of a busy run holds some ten events.
    std::uint8_t bucket_shift = 8;
    /// 2^count buckets, 6 to 24; they should span the usual delays.
    std::uint8_t bucket_count_shift = 13;
  };

  EventSet() : EventSet(Options{}) {}
  explicit EventSet(Options options);

  /// Not before the time of the event popped last; never() is not allowed.
  void insert(const Event& event) {
    const std::uint64_t bucket = bucket_of(event.time);
    const std::uint64_t ahead = bucket - current_;
    if (ahead - 1 < mask_) {
      push(bucket, event);
    } else {
      insert_apart(event, bucket);
    }
  }

  /// The earliest event if it is not after `limit`; it leaves the set.
  [[nodiscard]] bool pop(Event& event, Time limit) {
    if (next_ == end_ && !advance()) {
      return false;
    }
    const Event& first = active_[next_];
    if (first.time > limit) {
      return false;
    }
    event = first;
    ++next_;
    return true;
  }

  /// The event that comes `ahead` places after the next one, if it lies in the active bucket; null otherwise. For
  /// prefetching only.
  [[nodiscard]] const Event* peek(std::size_t ahead) const {
    return next_ + ahead < end_ ? &active_[next_ + ahead] : nullptr;
  }

  [[nodiscard]] std::size_t size() const { return end_ - next_ + near_ + overflow_.size(); }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Pending {
    Event event;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  [[nodiscard]] std::uint64_t bucket_of(Time time) const {
    return static_cast<std::uint64_t>(time.picoseconds()) >> shift_;
  }
  void push(std::uint64_t bucket, const Event& event) {
    std::uint32_t slot = free_;
    if (slot != kNone) {
      free_ = pool_[slot].next;
    } else {
      slot = static_cast<std::uint32_t>(pool_.size());
      pool_.emplace_back();
    }
    const std::uint64_t index = bucket & mask_;
    const std::uint32_t head = heads_[index];
    pool_[slot] = {event, head};
    heads_[index] = slot;
    if (head == kNone) {
      occupied_[index >> 6] |= std::uint64_t{1} << (index & 63);
      summary_[index >> 12] |= std::uint64_t{1} << (index >> 6 & 63);
    }
    ++near_;
  }
  void insert_apart(const Event& event, std::uint64_t bucket);
  void insert_active(const Event& event);
  void make_room();
  [[nodiscard]] bool advance();
  [[nodiscard]] std::uint64_t next_occupied() const;
  void take_overflow();
  void open_bucket();

  std::uint8_t shift_;
  std::uint64_t mask_;
  std::uint64_t current_ = 0;  // the bucket that the active list holds
  std::size_t next_ = 0;       // first event of the active list that has not been popped
  std::size_t end_ = 0;        // behind its last
  std::vector<Event> active_;  // as long as any bucket was; the list is a part of it
  std::vector<Pending> pool_;
  std::uint32_t free_ = kNone;
  std::size_t near_ = 0;
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint64_t> occupied_;  // one bit per bucket
  std::vector<std::uint64_t> summary_;   // one bit per word of occupied_
  std::vector<Event> overflow_;          // heap, earliest first
};

}  // namespace weft::sim
