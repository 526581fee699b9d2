// The clock of one partition and what it will do next.
//
// One total order: (time, rank). A handler is a class with `bool on_event(ActorId, Time)`, false to stop the run after
// this event. Where its `prefetches()` is true, `prefetch_first(ActorId)`, and a little later `prefetch_second` and
// `prefetch_third`, ask for the memory that an event will need: each may read what the one before has asked for; the
// actor need not have an event any more, and nothing may change that decides anything. A handler is a template
// argument, so that each kind of actor is reached by a switch and no call through a pointer. A wake-up that an earlier
// one has replaced still comes, and means nothing: handlers ask Wake::fires first. A wake-up at the present instant
// runs after the actor that asked for it; only parts of one device may do that.
#pragma once

#include <cstdint>

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
  Kernel() = default;
  explicit Kernel(EventSet::Options options) : events_(options) {}

  [[nodiscard]] Time now() const { return now_; }
  /// Events taken so far, those that meant nothing included.
  [[nodiscard]] std::uint64_t events() const { return count_; }
  [[nodiscard]] std::size_t heap_bytes() const { return events_.heap_bytes(); }

  /// Asks for an event at `at` (>= now), unless one is pending that is not later.
  void wake(Wake& wake, ActorId actor, Time at) {
    if (at < wake.pending()) {
      wake_always(wake, actor, at);
    }
  }
  /// The same, when it is known that none is pending.
  void wake_always(Wake& wake, ActorId actor, Time at) {
    WEFT_DCHECK(at >= now_ && at < wake.pending());
    WakeAccess::set(wake, at);
    events_.insert(Event(at, wake.rank(), actor));
  }

  enum class Stop : std::uint8_t { kEmpty, kLimit, kAsked };

  /// Runs events until there is none left, or the next is after `limit`, or `budget` events were taken.
  template <class Handler>
  Stop run(Time limit, std::uint64_t budget, Handler& handler) {
    Event event;
    for (; budget > 0; --budget) {
      if (!events_.pop(event, limit)) {
        return events_.size() == 0 ? Stop::kEmpty : Stop::kLimit;
      }
      if (handler.prefetches()) {
        handler.prefetch_first(events_.peek(kFirstAhead)->actor());
        handler.prefetch_second(events_.peek(kSecondAhead)->actor());
        handler.prefetch_third(events_.peek(kThirdAhead)->actor());
      }
      now_ = event.time;
      ++count_;
      if (!handler.on_event(event.actor(), event.time)) {
        break;
      }
    }
    return Stop::kAsked;
  }

 private:
  // In events: an access to memory takes as long as about one of them.
  static constexpr std::size_t kFirstAhead = 12;
  static constexpr std::size_t kSecondAhead = 8;
  static constexpr std::size_t kThirdAhead = 4;

  EventSet events_;
  Time now_;
  std::uint64_t count_ = 0;
};

}  // namespace weft::sim
