// Deadlines, earliest first: a binary heap of (time, who). An entry that no longer holds is left in and noticed when
// it comes up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/time.h"

namespace weft::host {

class DeadlineHeap {
 public:
  struct Entry {
    Time at;
    std::uint32_t who = 0;
  };

  void push(Entry entry) {
    entries_.push_back(entry);
    std::push_heap(entries_.begin(), entries_.end(), kLater);
  }
  Entry pop() {
    WEFT_DCHECK(!entries_.empty());
    std::pop_heap(entries_.begin(), entries_.end(), kLater);
    const Entry first = entries_.back();
    entries_.pop_back();
    WEFT_DCHECK(entries_.empty() || first.at <= entries_.front().at);
    return first;
  }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// never() if empty.
  [[nodiscard]] Time first() const { return entries_.empty() ? Time::never() : entries_.front().at; }
  [[gnu::always_inline]] void prefetch_first() const { __builtin_prefetch(entries_.data()); }
  [[nodiscard]] std::size_t heap_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr auto kLater = [](const Entry& a, const Entry& b) {
    return a.at != b.at ? b.at < a.at : b.who < a.who;
  };
  std::vector<Entry> entries_;
};

}  // namespace weft::host
