// The runs of a stream that have arrived beyond a gap: what is new of a segment, and what to report of it.
//
// Runs are disjoint, apart and in order. No heap before the first gap; their number is bounded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "transport/tcp/tcp_types.h"

namespace weft::transport {

struct SequenceRange {
  TcpSequence begin = 0;
  TcpSequence end = 0;  // exclusive

  [[nodiscard]] bool empty() const { return begin >= end; }
  friend bool operator==(const SequenceRange&, const SequenceRange&) = default;
};

class ReceivedRanges {
 public:
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }
  [[nodiscard]] const SequenceRange& operator[](std::size_t index) const { return ranges_[index]; }

  /// Adds `range` (not empty) and calls `fresh` with each part that was not there. False if it would become a run of
  /// its own beyond `most` of them: then nothing is added.
  template <class Fresh>
  bool add(SequenceRange range, std::size_t most, Fresh fresh) {
    WEFT_DCHECK(!range.empty());
    const auto first = first_reaching(range.begin);
    auto last = first;
    SequenceRange whole = range;
    TcpSequence at = range.begin;
    for (; last != ranges_.end() && last->begin <= range.end; ++last) {
      if (at < last->begin) {
        fresh(SequenceRange{at, last->begin});
      }
      at = std::max(at, last->end);
      whole = {std::min(whole.begin, last->begin), std::max(whole.end, last->end)};
    }
    if (first == last && ranges_.size() >= most) {
      return false;
    }
    if (at < range.end) {
      fresh(SequenceRange{at, range.end});
    }
    if (first == last) {
      ranges_.insert(first, whole);
    } else {
      *first = whole;
      ranges_.erase(first + 1, last);
    }
    WEFT_DCHECK(apart_at(whole.begin));
    return true;
  }

  /// Everything before the result has arrived, given that everything before `next` has; takes those runs out.
  [[nodiscard]] TcpSequence advance(TcpSequence next) {
    auto last = ranges_.begin();
    while (last != ranges_.end() && last->begin <= next) {
      next = std::max(next, last->end);
      ++last;
    }
    ranges_.erase(ranges_.begin(), last);
    WEFT_DCHECK(ranges_.empty() || next < ranges_.front().begin);
    return next;
  }

  /// The run that holds `sequence`; null if none does.
  [[nodiscard]] const SequenceRange* find(TcpSequence sequence) const {
    const auto it = std::ranges::upper_bound(ranges_, sequence, {}, &SequenceRange::begin);
    return it != ranges_.begin() && sequence < (it - 1)->end ? &*(it - 1) : nullptr;
  }

  [[nodiscard]] std::size_t heap_bytes() const { return ranges_.capacity() * sizeof(SequenceRange); }

 private:
  /// The run that begins at `begin` touches none of its neighbours; for assertions.
  [[nodiscard]] bool apart_at(TcpSequence begin) const {
    const auto it = std::ranges::lower_bound(ranges_, begin, {}, &SequenceRange::begin);
    return it != ranges_.end() && it->begin == begin && begin < it->end &&
           (it == ranges_.begin() || (it - 1)->end < begin) && (it + 1 == ranges_.end() || it->end < (it + 1)->begin);
  }
  /// The first run that ends at or behind `sequence`: it touches what begins there.
  std::vector<SequenceRange>::iterator first_reaching(TcpSequence sequence) {
    return std::ranges::lower_bound(ranges_, sequence, {}, &SequenceRange::end);
  }

  std::vector<SequenceRange> ranges_;
};

}  // namespace weft::transport
