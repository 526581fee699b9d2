#include "study/step_programs.h"

namespace weft::study {

// The phases take their own timers, the last of which is the beginning of the step, before the step's program sees any.
Result<void> PhasesThenStep::on_event() {
  if (begun_) {
    return options_.step->on_event();
  }
  if (auto taken = phases_.on_event(); !taken) {
    return taken;
  }
  const workload::PhaseBoard& board = options_.board;
  if (!board.over() || options_.machine.now() < board.begins_at() || !options_.runs_step()) {
    return {};
  }
  begun_ = true;
  return options_.step->start();
}

}  // namespace weft::study
