// From the log of a training job's run to its row of results.
#pragma once

#include "study/results/step_rows.h"
#include "study/run/step_representatives.h"
#include "study/run/step_traffic.h"
#include "study/scenario/scenario_traffic.h"
#include "study/scenario/step_work.h"
#include "workload/training/node_log.h"

namespace weft::study::run {

/// How a step's critical path names a kind of operation: "dp all-reduce of 1 GiB".
[[nodiscard]] std::string path_text(const StepOperation& operation);

/// The longest that any rank had an operation of the kind under way, from its turn to its end; sends as the sender
/// knows.
[[nodiscard]] Duration longest_time(const workload::NodeLog& log, const StepOperation& operation);

struct StepEvidence {
  const scenario::JobSettings& job;
  const scenario::StepWork& work;
  const workload::NodeLog& log;  // of the step
  const StepTraffic& traffic;
  const StepRepresentatives* representatives = nullptr;  // whose log it is; null: all ranks'
};
[[nodiscard]] results::StepRow make_step_row(const StepEvidence& evidence);

/// Rows of two steps that differ in their number of micro-batches, and how many the whole step has.
struct Continuation {
  const results::StepRow& shorter;
  const results::StepRow& longer;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t whole = 0;
};
/// Every time and count goes on as it went from the shorter to the longer.
[[nodiscard]] results::StepRow continued(const Continuation& continuation, const workload::TrainingPlan& plan);

}  // namespace weft::study::run
