#include "host/path/server.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::host {

Time Server::serve(Deferred when, Duration work) {
  WEFT_DCHECK(work >= Duration::zero());
  busy_ += work;
  lookback_ = std::max(lookback_, when.now - when.start);
  const Time kept = when.now - std::min(lookback_, when.now - Time::zero());
  std::erase_if(taken_, [kept](const Interval& interval) { return interval.end <= kept; });
  const auto first = std::find_if(taken_.begin(), taken_.end(),
                                  [&when](const Interval& interval) { return interval.end > when.start; });
  const bool inside = first != taken_.end() && first->begin <= when.start;
  Interval merged{inside ? first->begin : when.start, inside ? first->end : when.start};
  auto next = inside ? first + 1 : first;
  // Fills idle time up to the next interval that is taken, and goes on behind that.
  while (next != taken_.end() && merged.end + work > next->begin) {
    work -= next->begin - merged.end;
    WEFT_DCHECK(work > Duration::zero());  // or it would have fitted in front
    merged.end = next->end;
    ++next;
  }
  const Time end = merged.end + work;
  merged.end = end;
  if (next != taken_.end() && next->begin == end) {
    merged.end = next->end;
    ++next;
  }
  if (merged.end > merged.begin) {
    const auto made = taken_.insert(taken_.erase(first, next), merged);
    WEFT_DCHECK(made == taken_.begin() || (made - 1)->end <= made->begin);
    WEFT_DCHECK(made + 1 == taken_.end() || made->end < (made + 1)->begin);
  }
  return end;
}

Duration Server::backlog(Time now) const {
  Duration sum;
  for (const Interval& interval : taken_) {
    sum += later(interval.end, now) - later(interval.begin, now);
  }
  return sum;
}

}  // namespace weft::host
