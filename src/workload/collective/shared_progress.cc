#include "workload/collective/shared_progress.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"

namespace weft::workload {

SharedProgress::Id SharedProgress::begin(const Operation& operation, Duration alone, Time now,
                                         std::function<void(Time)> on_end) {
  const Id id = next_++;
  Active& own = active_[id];
  own = {.operation = operation,
         .remaining = static_cast<double>(alone.picoseconds()),
         .slowdown = slowdown_(operation, counts_),
         .since = now,
         .on_end = std::move(on_end)};
  ++counts_[operation.kind];
  tell_end(own);
  adapt_to(operation.kind.job, now);
  return id;
}

void SharedProgress::end(Id id, Time now) {
  const auto found = active_.find(id);
  WEFT_ASSERT(found != active_.end());
  const Kind kind = found->second.operation.kind;
  active_.erase(found);
  if (--counts_[kind] == 0)
    counts_.erase(kind);
  adapt_to(kind.job, now);
}

void SharedProgress::tell_end(Active& active) {
  const double left = std::ceil(active.remaining * active.slowdown);
  active.on_end(active.since + Duration::picoseconds(static_cast<std::int64_t>(left)));
}

void SharedProgress::adapt_to(std::uint32_t job, Time now) {
  for (auto& [id, active] : active_) {
    if (active.operation.kind.job == job)
      continue;
    const double slowdown = slowdown_(active.operation, counts_);
    WEFT_ASSERT(slowdown >= 1);
    if (slowdown == active.slowdown)
      continue;
    const auto passed = static_cast<double>((now - active.since).picoseconds());
    active.remaining = std::max(active.remaining - passed / active.slowdown, 0.0);
    active.since = now;
    active.slowdown = slowdown;
    tell_end(active);
  }
}

}  // namespace weft::workload
