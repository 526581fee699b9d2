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
         .slowdown = slowdown_ ? slowdown_(operation, counts_) : 1,
         .since = now,
         .on_end = std::move(on_end)};
  ++counts_[operation.kind];
  tell_end(own);
  if (const auto overlap = overlaps_.find(operation.kind.job); overlap != overlaps_.end())
    adapt(overlap->second->begin(id, operation, alone), now);
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
  if (const auto overlap = overlaps_.find(kind.job); overlap != overlaps_.end())
    adapt(overlap->second->end(id), now);
  adapt_to(kind.job, now);
}

void SharedProgress::tell_end(Active& active) {
  const double left = std::ceil(active.remaining * active.slowdown * active.factor);
  active.on_end(active.since + Duration::picoseconds(static_cast<std::int64_t>(left)));
}

void SharedProgress::set_speed(Active& active, double slowdown, double factor, Time now) {
  WEFT_ASSERT(slowdown >= 1 && factor > 0);
  if (slowdown == active.slowdown && factor == active.factor)
    return;
  const auto passed = static_cast<double>((now - active.since).picoseconds());
  active.remaining = std::max(active.remaining - passed / (active.slowdown * active.factor), 0.0);
  active.since = now;
  active.slowdown = slowdown;
  active.factor = factor;
  tell_end(active);
}

void SharedProgress::adapt(const std::vector<Overlap::Change>& changes, Time now) {
  for (const Overlap::Change& change : changes) {
    Active& active = active_.at(change.id);
    set_speed(active, active.slowdown, change.factor, now);
  }
}

void SharedProgress::adapt_to(std::uint32_t job, Time now) {
  if (!slowdown_)
    return;
  for (auto& [id, active] : active_) {
    if (active.operation.kind.job != job)
      set_speed(active, slowdown_(active.operation, counts_), active.factor, now);
  }
}

}  // namespace weft::workload
