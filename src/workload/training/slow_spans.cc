#include "workload/training/slow_spans.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::workload {
namespace {

/// Work that is done in so much time.
Duration done_in(Duration time, Probability speed) {
  return Duration::picoseconds(
      static_cast<std::int64_t>((static_cast<Uint128>(time.picoseconds()) * speed.raw()) >> 63U));
}

/// Time that so much work takes, rounded up.
Duration time_of(Duration work, Probability speed) {
  const Uint128 scaled = static_cast<Uint128>(work.picoseconds()) << 63U;
  return Duration::picoseconds(static_cast<std::int64_t>((scaled + speed.raw() - 1) / speed.raw()));
}

}  // namespace

SlowSpans::SlowSpans(const std::vector<SlowSpan>& spans) {
  std::vector<Time> edges;
  for (const SlowSpan& span : spans) {
    WEFT_ASSERT(span.speed > Probability::zero());
    edges.push_back(span.from);
    edges.push_back(span.until);
  }
  std::ranges::sort(edges);
  const auto repeated = std::unique(edges.begin(), edges.end());
  edges.erase(repeated, edges.end());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    Probability speed = Probability::one();
    for (const SlowSpan& span : spans) {
      if (span.from <= edges[i] && edges[i] < span.until) {
        speed = std::min(speed, span.speed);
      }
    }
    if (speed == Probability::one()) {
      continue;
    }
    if (!spans_.empty() && spans_.back().until == edges[i] && spans_.back().speed == speed) {
      spans_.back().until = edges[i + 1];
    } else {
      spans_.push_back({.from = edges[i], .until = edges[i + 1], .speed = speed});
    }
  }
}

Duration SlowSpans::stretch(Duration work, Time now) const {
  Duration taken;
  for (const SlowSpan& span : spans_) {
    const Time at = now + taken;
    if (span.until <= at) {
      continue;
    }
    if (span.from > at) {
      const Duration before = span.from - at;
      if (work <= before) {
        break;
      }
      work = work - before;
      taken += before;
    }
    const Time begins = now + taken;
    const Duration needed = time_of(work, span.speed);
    if (span.until.is_never() || needed <= span.until - begins) {
      return taken + needed;
    }
    const Duration span_time = span.until - begins;
    work = work - done_in(span_time, span.speed);
    taken += span_time;
  }
  return taken + work;
}

}  // namespace weft::workload
