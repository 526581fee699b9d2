// What a subnet manager writes into switches during a run, and when: its tables after each of its sweeps, with what it
// tells senders from then on. All of a sweep is written at one time.
//
// Tables are kept as what is different from those of the beginning, so that a link that comes and goes costs no more
// than one that fails once.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "fabric/routing/linear_tables.h"

namespace weft::fabric {

class TableSchedule {
 public:
  /// Against the tables of the beginning, and the service levels; without changes: the same as then.
  struct State {
    std::vector<ByteChange> entries{};
    std::vector<ByteChange> levels{};
  };
  using StateNumber = std::size_t;

  /// Numbers are given from 0.
  StateNumber add_state(State state);
  /// In the order of time.
  void add_update(Time at, StateNumber state);

  [[nodiscard]] bool empty() const { return updates_.empty(); }
  [[nodiscard]] bool changes_levels() const;

  /// Takes in what is due. `tables` and `levels` are at first those of the beginning, and are changed by nobody else.
  void take_due(Time now, LinearTables& tables, PathLevels& levels);

 private:
  struct Update {
    Time at;
    StateNumber state = 0;
  };
  static constexpr StateNumber kBeginning = ~StateNumber{0};

  void exchange(StateNumber state, LinearTables& tables, PathLevels& levels);

  std::vector<State> states_;  // the one that is shown holds what was there at the beginning
  std::vector<Update> updates_;
  std::size_t taken_ = 0;  // updates
  StateNumber shown_ = kBeginning;
};

}  // namespace weft::fabric
