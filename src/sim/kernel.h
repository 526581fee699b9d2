// The simulation clock and the pending events.
//
// One total order: (time, rank). A handler is a class with `bool on_event(ActorId, Time)`, false to stop the run after
// this event. Where its `prefetches()` is true, `prefetch_first(ActorId)`, and a little later `prefetch_second` and
// `prefetch_third`, ask for the memory that an event will need: each may read what the one before has asked for; the
// actor need not have an event any more, and nothing may change that decides anything. A handler is a template
// argument, so that each kind of actor is reached by a switch and no call through a pointer. A wake-up that an earlier
// one has replaced still arrives, as a stale event: handlers call Wake::fires first. A wake-up at the present instant
// runs after the actor that asked for it; only parts of one device may do that.
//
// A simulation may be partitioned (docs/decisions/0026). An event in one partition affects another only after the
// lookahead, so each partition runs a window of that length independently, which keeps its state in the caches.
// Handlers may have `prefetch_partition(PartitionIndex)` and, a little later, `prefetch_contents`, for the memory of
// partitions that come next, and `ran_partition(PartitionIndex, events)` to see which of them that is worth while for.
// Windows begin at multiples of the lookahead. Partition 0 holds global events; they run in the total order, after all
// earlier events of every partition. A run that is asked to stop continues to the end of the window, so that it ends at
// the same instant in every mode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "sim/actor.h"
#if defined(WEFT_EVENT_SET_HEADER)
#include WEFT_EVENT_SET_HEADER  // tests put a plain one in its place
#else
#include "sim/event_set.h"
#endif

namespace weft::sim {

class Kernel {
 public:
  /// Of one partition, or with a lookahead that is not zero of as many as there are options; at least two then.
  struct Division {
    Duration lookahead;
    std::vector<EventSet::Options> event_sets;  // by partition
  };

  Kernel() : Kernel(EventSet::Options{}) {}
  explicit Kernel(EventSet::Options options) { partitions_.emplace_back(options); }
  explicit Kernel(const Division& division);

  [[nodiscard]] Time now() const { return now_; }
  /// Events handled so far, stale ones included.
  [[nodiscard]] std::uint64_t events() const { return count_; }
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Of a divided world, after a run that was asked to stop: where it was to end, the limit apart.
  [[nodiscard]] Time stop_end() const { return stop_end_; }
  [[nodiscard]] bool is_divided() const { return lookahead_ > Duration::zero(); }

  /// Asks for an event at `at` (>= now), unless one is pending that is not later. From another partition: not before
  /// the end of the window, and what is pending there may be of an earlier or a later instant than this one, so the
  /// other must come upon what it was woken for in any case.
  void wake(Wake& wake, ActorId actor, Time at) {
    if (at < wake.pending()) {
      wake_always(wake, actor, at);
    }
  }
  /// The same, when it is known that none is pending.
  void wake_always(Wake& wake, ActorId actor, Time at) {
    WEFT_DCHECK(at >= now_ && at < wake.pending());
    WEFT_DCHECK(wake.partition() == running_ || at > window_end_);
    WakeAccess::set(wake, at);
    Partition& partition = partitions_[wake.partition()];
    if (at <= partition.due) [[unlikely]] {
      return insert_and_enqueue(wake.partition(), Event(at, wake.rank(), actor));
    }
    partition.events.insert(Event(at, wake.rank(), actor));
  }
  /// The same for the actor whose event is being handled: its place in the order and its event set are at hand. Inlined
  /// by force: nearly every event of a port is followed by another in this way.
  [[gnu::always_inline]] void reschedule_current(Wake& wake, Time at) {
    Event event;
    event.time = at;
    event.order = current_order_;
    WEFT_DCHECK(at >= now_ && wake.pending().is_never() && wake.rank() == event.rank());
    WakeAccess::set(wake, at);
    if (!current_events_->insert_if_open(event)) [[unlikely]] {
      insert_again(event);
    }
  }

  enum class Stop : std::uint8_t { kEmpty, kLimit, kAsked };

  /// Runs events until there is none left, or the next is after `limit`, or `budget` events were taken (in a divided
  /// world at least so many: windows are not broken off).
  template <class Handler>
  Stop run(Time limit, std::uint64_t budget, Handler& handler) {
    return is_divided() ? run_windows(limit, budget, handler) : run_whole(limit, budget, handler);
  }

  /// The same, in the one total order even in a divided world.
  template <class Handler>
  Stop run_in_order(Time limit, std::uint64_t budget, Handler& handler) {
    return is_divided() ? run_merged(limit, budget, handler) : run_whole(limit, budget, handler);
  }

 private:
  // In events: an access to memory takes as long as about one of them.
  static constexpr std::size_t kFirstAhead = 12;
  static constexpr std::size_t kSecondAhead = 8;
  static constexpr std::size_t kThirdAhead = 4;
  /// Partition::due of a partition that is not in the queue.
  static constexpr Time kNotEnqueued = Time::from_picoseconds(-1);

  /// In cache lines of its own, so that fetching one partition fetches nothing of its neighbours.
  struct alignas(64) Partition {
    explicit Partition(EventSet::Options options) : events(options) {}
    EventSet events;
    Time due = kNotEnqueued;  // not after its first event; the agenda has an entry of that time
  };

  template <class Handler>
  Stop run_whole(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  Stop run_windows(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  Stop run_merged(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  [[nodiscard]] bool run_window(Event entry, Time last, Handler& handler);
  template <class Handler>
  [[nodiscard]] bool run_partition(PartitionIndex index, Time last, Handler& handler);

  template <class Handler>
  void fetch_partition(PartitionIndex index, Handler& handler) const {
    partitions_[index].events.prefetch();
    if constexpr (requires { handler.prefetch_partition(index); }) {
      handler.prefetch_partition(index);
    }
  }
  template <class Handler>
  void fetch_contents(PartitionIndex index, Handler& handler) const {
    partitions_[index].events.prefetch_contents();
    if constexpr (requires { handler.prefetch_contents(index); }) {
      handler.prefetch_contents(index);
    }
  }
  /// The partition that an entry of the agenda is for, which is to run next; 0 if it has another entry by now.
  [[nodiscard]] PartitionIndex take(const Event& entry) {
    const PartitionIndex index = entry.actor().value();
    if (partitions_[index].due != entry.time) {
      return 0;
    }
    partitions_[index].due = kNotEnqueued;
    return index;
  }
  void begin(const Event& event) {
    now_ = event.time;
    current_order_ = event.order;
    ++count_;
  }
  // Tail calls, so that the fast path saves no registers.
  [[gnu::noinline]] void insert_again(Event event);
  [[gnu::noinline]] void insert_and_enqueue(PartitionIndex index, Event event);
  /// Puts the partition into the agenda at its next event, or where that may be at the earliest.
  void enqueue_partition(PartitionIndex index);
  void enqueue_partitions();
  /// The last instant of the window that an instant is in.
  [[nodiscard]] Time end_of_window(Time time) const;
  [[nodiscard]] bool is_empty() const;

  std::vector<Partition> partitions_;
  Duration lookahead_;
  EventSet partition_queue_;  // of a divided world: when partitions have something to do, those with `due` at that time
  Time now_;
  std::uint64_t count_ = 0;
  Time stop_end_;
  EventSet* current_events_ = nullptr;  // of the event that is being handled
  std::uint64_t current_order_ = 0;     // its own
  PartitionIndex running_ = 0;          // where a window runs
  Time window_end_ = kNotEnqueued;      // its last instant; before all others if none runs
};

template <class Handler>
Kernel::Stop Kernel::run_whole(Time limit, std::uint64_t budget, Handler& handler) {
  EventSet& events = partitions_.front().events;
  current_events_ = &events;
  Event event;
  for (; budget > 0; --budget) {
    if (!events.pop_prefetching(event, limit)) {
      return events.size() == 0 ? Stop::kEmpty : Stop::kLimit;
    }
    if (handler.prefetches()) {
      handler.prefetch_first(events.peek(kFirstAhead)->actor());
      handler.prefetch_second(events.peek(kSecondAhead)->actor());
      handler.prefetch_third(events.peek(kThirdAhead)->actor());
    }
    begin(event);
    if (!handler.on_event(event.actor(), event.time)) {
      break;
    }
  }
  return Stop::kAsked;
}

template <class Handler>
bool Kernel::run_partition(PartitionIndex index, Time last, Handler& handler) {
  Partition& partition = partitions_[index];
  running_ = index;
  current_events_ = &partition.events;
  bool goes_on = true;
  const std::uint64_t count_before = count_;
  Event event;
  while (partition.events.pop(event, last)) {
    begin(event);
    if (!handler.on_event(event.actor(), event.time)) {
      goes_on = false;
    }
  }
  if constexpr (requires { handler.ran_partition(index, count_); }) {
    handler.ran_partition(index, count_ - count_before);
  }
  enqueue_partition(index);
  return goes_on;
}

// Between windows the clock shows the last instant at which anything happened.
template <class Handler>
Kernel::Stop Kernel::run_windows(Time limit, std::uint64_t budget, Handler& handler) {
  const std::uint64_t end_count = count_ + std::min(budget, ~std::uint64_t{0} - count_);
  bool asked = false;
  while (asked || count_ < end_count) {
    const Time common = partitions_.front().events.not_before().time;
    const bool is_common_due = !common.is_never() && common <= limit;
    const Time bound = is_common_due ? common - Duration::picoseconds(1) : limit;
    Time begin = common;
    bool goes_on = true;
    if (Event entry; partition_queue_.pop(entry, bound)) {
      begin = entry.time;
      goes_on = run_window(entry, earlier(end_of_window(begin), bound), handler);
    } else if (is_common_due) {
      // Global events run among the other events of their instant.
      goes_on = run_merged(common, ~std::uint64_t{0}, handler) != Stop::kAsked;
    } else {
      return asked ? Stop::kAsked : is_empty() ? Stop::kEmpty : Stop::kLimit;
    }
    if (!goes_on) {
      asked = true;
      stop_end_ = end_of_window(begin);
      limit = earlier(limit, stop_end_);
    }
  }
  return Stop::kAsked;
}

template <class Handler>
bool Kernel::run_window(Event entry, Time last, Handler& handler) {
  window_end_ = last;
  bool goes_on = true;
  Time latest = now_;
  // While one partition runs, the next two are being fetched.
  PartitionIndex current = 0;
  PartitionIndex next = 0;
  PartitionIndex second = take(entry);
  do {
    if (second != 0) {
      fetch_partition(second, handler);
    }
    if (next != 0) {
      fetch_contents(next, handler);
    }
    if (current != 0) {
      goes_on &= run_partition(current, last, handler);
      latest = later(latest, now_);
    }
    current = next;
    next = second;
    second = 0;
    while (second == 0 && partition_queue_.pop(entry, last)) {
      second = take(entry);
    }
  } while ((current | next | second) != 0);
  now_ = latest;
  window_end_ = kNotEnqueued;
  return goes_on;
}

template <class Handler>
Kernel::Stop Kernel::run_merged(Time limit, std::uint64_t budget, Handler& handler) {
  enqueue_partitions();
  bool goes_on = true;
  Event entry;
  while ((budget > 0 || !goes_on) && partition_queue_.pop(entry, limit)) {
    const PartitionIndex index = entry.actor().value();
    Partition& partition = partitions_[index];
    const Event* const first = partition.events.first();
    if (first == nullptr || first->time != entry.time || first->rank() != entry.rank()) {
      // A stale entry: its event was handled, or an earlier entry replaced it; or only a lower bound was known.
      if (entry.time == partition.due) {
        enqueue_partition(index);
      }
      continue;
    }
    Event event;
    (void)partition.events.pop(event, limit);
    partition.due = kNotEnqueued;
    current_events_ = &partition.events;
    begin(event);
    if (!handler.on_event(event.actor(), event.time)) {
      goes_on = false;
      stop_end_ = end_of_window(now_);
      limit = earlier(limit, stop_end_);
    }
    enqueue_partition(index);
    budget -= budget > 0 ? 1 : 0;
  }
  partitions_.front().due = kNotEnqueued;
  if (!goes_on || budget == 0) {
    return Stop::kAsked;
  }
  return is_empty() ? Stop::kEmpty : Stop::kLimit;
}

}  // namespace weft::sim
