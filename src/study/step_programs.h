// The program of one rank of a composed step: its phases, and behind them the step itself if that is to be run whole.
//
// Both work with the same machine and collectives, whose communicators the step's program has added.
#pragma once

#include <functional>
#include <memory>

#include "workload/collective/phased_program.h"
#include "workload/training/training_program.h"

namespace weft::study {

class PhasesThenStep final : public workload::Program {
 public:
  struct Options {
    workload::PhaseBoard& board;  // all must outlive this
    verbs::Machine& machine;
    workload::Collectives& collectives;
    std::vector<workload::PhasedRequest> requests;
    std::unique_ptr<workload::TrainingProgram> step;
    /// Asked when the phases are over.
    std::function<bool()> runs_step;
  };
  explicit PhasesThenStep(Options options)
      : options_(std::move(options)),
        phases_(options_.board, options_.machine, options_.collectives, std::move(options_.requests)) {}

  [[nodiscard]] Result<void> start() override { return phases_.start(); }
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override {
    return options_.board.over() && (!options_.runs_step() || (begun_ && options_.step->done()));
  }

 private:
  Options options_;
  workload::PhasedProgram phases_;
  bool begun_ = false;
};

}  // namespace weft::study
