// From the log of a training job's run to its row of results.
#pragma once

#include "study/scenario_traffic.h"
#include "study/step_rows.h"
#include "study/step_traffic.h"
#include "study/step_work.h"
#include "workload/training/node_log.h"

namespace weft::study {

/// How a step's critical path names a kind of operation: "dp all-reduce of 1 GiB".
[[nodiscard]] std::string path_text(const StepOperation& operation);

struct StepEvidence {
  const JobSettings& job;
  const StepWork& work;
  const workload::NodeLog& log;  // of the step
  const StepTraffic& traffic;
};
[[nodiscard]] StepRow make_step_row(const StepEvidence& evidence);

/// Rows of two steps that differ in their number of micro-batches, and how many the whole step has.
struct Continuation {
  const StepRow& shorter;
  const StepRow& longer;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t whole = 0;
};
/// Every time and count goes on as it went from the shorter to the longer.
[[nodiscard]] StepRow continued(const Continuation& continuation, const workload::TrainingPlan& plan);

}  // namespace weft::study
