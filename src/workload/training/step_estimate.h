// The time of a training step in closed form: for sweeps of many configurations, and to calibrate a GPU's efficiency.
//
// A stage's micro-batch takes its compute and the communication that nothing hides; the slowest stage sets the pace,
// the pipeline fills and drains over (p-1)/v of a mean one. With 1F1B a boundary's message is waited for twice per
// micro-batch, because a stage runs ahead no further than it must; interleaving hides it. Gradients hide behind the
// last micro-batch's backward pass if they overlap, up to their last bucket. Networks are those of link_costs.h,
// unloaded.
#pragma once

#include "workload/training/link_costs.h"
#include "workload/training/training_plan.h"

namespace weft::workload {

struct StepEstimate {
  Duration compute{};  // of the slowest stage
  Duration tensor{};
  Duration context{};
  Duration expert{};
  Duration bubble{};
  Duration pipeline{};  // messages over boundaries that are waited for
  Duration data{};      // gradients and parameters that are waited for, embeddings included
  Duration optimizer{};
  /// No part of the total: the least that links are busy with gradients and parameters, waited for or not.
  Duration data_links{};

  [[nodiscard]] Duration total() const {
    return compute + tensor + context + expert + bubble + pipeline + data + optimizer;
  }
};

/// Of the whole job, whatever it calls representative. Errors: check_links.
[[nodiscard]] Result<StepEstimate> estimate_step(const TrainingPlan& plan, const ClusterLinks& links);

}  // namespace weft::workload
