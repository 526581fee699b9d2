// The pending wake-ups, in buckets of time: insertion and removal in O(1), no comparison heap near the present.
//
// A ring of buckets covers the near future; what lies beyond waits in an overflow heap. Buckets that have come, and a
// few more so that the kernel may prefetch, are sorted by (time, rank) into the active list; what is inserted at the
// present instant, or in one of those buckets, goes into its place among those that remain. Memory follows the number
// of events pending, never the traffic.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/huge_pages.h"
#include "base/prefetch.h"
#include "base/time.h"
#include "sim/actor.h"

namespace weft::sim {

/// For heaps whose first event is the earliest.
inline constexpr auto kLater = [](const Event& a, const Event& b) { return b.before(a); };

class EventSet {
 public:
  struct Options {
    /// A bucket spans 2^shift picoseconds. Best: a bucket of a busy run holds some three events.
    std::uint8_t bucket_shift = 8;
    /// 2^count buckets, 6 to 24; they should span the usual delays.
    std::uint8_t bucket_count_shift = 13;
    /// The kernel prefetches: buckets are opened ahead of time, and their memory is prefetched before that.
    bool prefetches = false;
  };

  /// So many events are sorted beforehand, as long as they come close together.
  static constexpr std::size_t kPrefetchDepth = 16;

  EventSet() : EventSet(Options{}) {}
  explicit EventSet(Options options);

  /// Not before the time of the event popped last; never() is not allowed.
  // Inlined by force, and by value so that the event stays in registers: every one comes by here.
  [[gnu::always_inline]] void insert(Event event) {
    const std::uint64_t bucket = bucket_of(event.time);
    if (insert_if_open(event)) {
      return;
    }
    if (bucket - current_ - 1 < mask_) {
      push(bucket, event);
    } else {
      insert_slow(event, bucket);
    }
  }
  /// The same, but only if that is a matter of a few instructions; false: it was not inserted.
  [[gnu::always_inline, nodiscard]] bool insert_if_open(Event event) {
    // Buckets before the current one have nothing left: whatever still comes for them is due now.
    if (bucket_of(event.time) > current_ || end_ >= room_) {
      return false;
    }
    insert_sorted(active_.data() + end_, event);
    ++end_;
    return true;
  }

  /// The earliest event if it is not after `limit`; it leaves the set.
  [[gnu::always_inline, nodiscard]] bool pop(Event& event, Time limit) {
    if (next_ == end_ && !advance(bucket_of(limit))) [[unlikely]] {
      return false;
    }
    Event& first = active_[next_];
    if (first.time > limit) {
      return false;
    }
    event = first;
    // A search from behind ends here from now on, without a test of the index.
    first.time = kBeforeAll;
    ++next_;
    return true;
  }

  /// The same, with prefetches.
  [[nodiscard]] bool pop_prefetching(Event& event, Time limit) {
    // Asked for exactly once as the list runs short, and again when it is empty: a quiet run need not look each time.
    if (end_ - next_ == open_ahead_at_) [[unlikely]] {
      open_ahead();
    }
    return pop(event, limit);
  }

  /// The earliest event, which stays in the set; null if there is none. Good until anything is inserted or popped.
  [[nodiscard]] const Event* first() { return next_ == end_ && !advance(kNever - 1) ? nullptr : &active_[next_]; }

  /// No event comes before this one: the earliest, or while that lies in a bucket which is not open, one at the
  /// bucket's beginning and of no actor. At never() if there is none.
  [[nodiscard]] Event not_before() const;

  /// The event that comes `ahead` places after the next one, as things stand, in a busy run; in a quiet one possibly
  /// some event that has been, since a test would cost more than a prefetch in vain. For prefetching only. At most
  /// kPrefetchDepth, and not without prefetches.
  [[nodiscard, gnu::returns_nonnull]] const Event* peek(std::size_t ahead) const {
    return active_.data() + next_ + ahead;
  }

  // Ask for the memory of the set, of one that has not been used for a while: first its own, then what that names.
  [[gnu::always_inline]] void prefetch() const { prefetch_lines<sizeof(EventSet)>(this); }
  [[gnu::always_inline]] void prefetch_contents() const {
    prefetch_lines<kFetched * sizeof(Event)>(active_.data() + next_);
    __builtin_prefetch(buckets_.data() + ((current_ + 1) & mask_));
    __builtin_prefetch(occupied_.data() + (((current_ + 1) & mask_) >> 6));
    __builtin_prefetch(summary_.data());
    if (free_ != kNone) {
      __builtin_prefetch(&chunks_[free_]);
    }
  }

  [[nodiscard]] std::size_t size() const { return end_ - next_ + near_ + overflow_.size(); }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// What stands before the active list: a search from behind ends there, at the latest.
  static constexpr Time kBeforeAll = Time::from_picoseconds(-1);
  static constexpr std::size_t kFront = 1;
  /// Events of the active list that are fetched beforehand: a small partition has some ten to twenty pending.
  static constexpr std::size_t kFetched = 16;
  /// A few events of one bucket as they came: two cache lines, so that opening a bucket waits for memory once per chunk
  /// and not once per event.
  struct alignas(64) Chunk {
    static constexpr std::uint32_t kEvents = 7;
    std::array<Event, kEvents> events;
    std::uint32_t next = kNone;  // of the same bucket, in a circle; or of those that are free
  };
  static_assert(sizeof(Chunk) == 128);
  struct Bucket {
    std::uint32_t last = kNone;  // chunk: the one before it in the circle is full, and so on; the next is the first
    std::uint32_t used = Chunk::kEvents;  // of the last
  };

  [[nodiscard]] std::uint64_t bucket_of(Time time) const {
    return static_cast<std::uint64_t>(time.picoseconds()) >> shift_;
  }
  void push(std::uint64_t bucket, Event event) {
    Bucket& into = buckets_[bucket & mask_];
    if (into.used == Chunk::kEvents) {
      return push_slow(event, bucket);
    }
    Event& place = chunks_[into.last].events[into.used++];
    place.time = event.time;
    place.order = event.order;
    ++near_;
  }
  /// Puts an event into its place in front of `end`, which is free, among the sorted ones of the active list.
  // Half by half, as written: reading the whole after partial stores defeats store forwarding.
  [[gnu::always_inline]] static void insert_sorted(Event* end, Event event) {
    Event* place = end;
    while (true) {
      const Time time = place[-1].time;
      const std::uint64_t order = place[-1].order;
      if (time <= event.time && (time != event.time || order <= event.order)) {
        break;
      }
      place->time = time;
      place->order = order;
      --place;
    }
    place->time = event.time;
    place->order = event.order;
  }
  // Behind a full chunk. Tail call, so that the fast path saves no registers.
  [[gnu::noinline]] void push_slow(Event event, std::uint64_t bucket);
  void add_chunk(std::uint64_t index);
  [[gnu::noinline]] void insert_slow(Event event, std::uint64_t bucket);
  void make_room() {
    if (end_ >= room_) [[unlikely]] {
      lengthen();
    }
  }
  void lengthen();
  /// What has been popped makes room: the rest of the active list moves to its front.
  void drop_popped();
  /// Opens the next bucket, but none behind `last`; false if there is none.
  [[nodiscard]] bool advance(std::uint64_t last);
  /// Of what is in no active list; kNever if there is nothing.
  [[nodiscard]] std::uint64_t first_bucket() const;
  void open_ahead();
  [[gnu::always_inline]] void prefetch_soon() const;
  [[nodiscard]] std::uint64_t next_occupied() const;
  void take_overflow();
  void open_bucket();

  std::uint8_t shift_;
  std::size_t open_ahead_at_;  // so many events are left; kNever: at no time
  std::uint64_t mask_;
  std::uint64_t current_ = 0;  // the last bucket that the active list holds
  std::size_t next_ = kFront;  // first event of the active list that has not been popped; before it is kBeforeAll
  std::size_t end_ = kFront;   // behind its last
  std::size_t room_ = 0;       // up to here a chunk more fits behind the list, and as many as may be peeked at
  std::vector<Event> active_;  // as long as any bucket was; the list is a part of it
  HugeVector<Chunk> chunks_;
  std::uint32_t free_ = kNone;
  std::size_t near_ = 0;
  HugeVector<Bucket> buckets_;
  std::vector<std::uint64_t> occupied_;   // one bit per bucket
  std::vector<std::uint64_t> summary_;    // one bit per word of occupied_
  std::vector<Event> overflow_;           // heap, earliest first
  std::uint64_t overflow_from_ = kNever;  // bucket of its first; kNever if it is empty
};

}  // namespace weft::sim
