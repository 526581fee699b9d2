#include "fabric/routing/table_schedule.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace weft::fabric {

TableSchedule::StateNumber TableSchedule::add_state(State state) {
  states_.push_back(std::move(state));
  return states_.size() - 1;
}

void TableSchedule::add_update(Time at, StateNumber state) {
  WEFT_ASSERT(state < states_.size() && (updates_.empty() || updates_.back().at <= at));
  updates_.push_back({.at = at, .state = state});
}

bool TableSchedule::changes_levels() const {
  return std::ranges::any_of(states_, [](const State& state) { return !state.levels.empty(); });
}

void TableSchedule::take_due(Time now, LinearTables& tables, PathLevels& levels) {
  const std::size_t before = taken_;
  while (taken_ < updates_.size() && updates_[taken_].at <= now) {
    ++taken_;
  }
  if (taken_ == before) {
    return;
  }
  exchange(shown_, tables, levels);
  shown_ = updates_[taken_ - 1].state;
  exchange(shown_, tables, levels);
}

void TableSchedule::exchange(StateNumber state, LinearTables& tables, PathLevels& levels) {
  if (state != kBeginning) {
    tables.exchange(states_[state].entries);
    levels.exchange(states_[state].levels);
  }
}

}  // namespace weft::fabric
