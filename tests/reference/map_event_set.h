// The event set as simple as it can be, with the interface of sim/event_set.h: whole scenarios and random sequences are
// held against it, event for event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/assert.h"
#include "base/time.h"
#include "sim/actor.h"

namespace weft::sim {

/// As the other one has it.
inline constexpr auto kLater = [](const Event& a, const Event& b) { return b.before(a); };

class MapEventSet {
 public:
  struct Options {
    std::uint8_t bucket_shift = 8;
    std::uint8_t bucket_count_shift = 13;
    bool prefetches = false;
  };

  MapEventSet() = default;
  explicit MapEventSet(Options) {}

  void insert(const Event& event) {
    WEFT_ASSERT(!event.time.is_never());
    ++events_[{event.time, event.order}];
    ++size_;
  }

  [[nodiscard]] bool insert_if_open(const Event& event) {
    insert(event);
    return true;
  }

  [[nodiscard]] bool pop(Event& event, Time limit) {
    if (events_.empty() || events_.begin()->first.first > limit) {
      return false;
    }
    const auto first = events_.begin();
    event.time = first->first.first;
    event.order = first->first.second;
    if (--first->second == 0) {
      events_.erase(first);
    }
    --size_;
    return true;
  }

  [[nodiscard]] bool pop_prefetching(Event& event, Time limit) { return pop(event, limit); }

  [[nodiscard]] const Event* first() {
    if (events_.empty()) {
      return nullptr;
    }
    first_.time = events_.begin()->first.first;
    first_.order = events_.begin()->first.second;
    return &first_;
  }
  [[nodiscard]] Event not_before() const {
    Event first;
    first.time = Time::never();
    if (!events_.empty()) {
      first.time = events_.begin()->first.first;
      first.order = events_.begin()->first.second;
    }
    return first;
  }

  void prefetch() const {}
  void prefetch_contents() const {}
  /// Looks no further: always the same event, of the first actor.
  [[nodiscard]] const Event* peek(std::size_t) const { return &nobody_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t heap_bytes() const { return events_.size() * sizeof(*events_.begin()); }

 private:
  std::map<std::pair<Time, std::uint64_t>, std::uint32_t> events_;  // how many of each
  std::size_t size_ = 0;
  Event first_;
  Event nobody_;
};

#if defined(WEFT_REFERENCE_EVENT_SET)
using EventSet = MapEventSet;
#endif

}  // namespace weft::sim
