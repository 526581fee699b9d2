// What the ranks of a job run, step after step: a training step, decoding, or iterations of a stencil code.
//
// A new kind of work is a plan of workload/training with its graph, one more alternative here, and its keys. Graphs of
// a plan refer to it: it must stay where it is as long as they do.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "base/result.h"
#include "study/scenario/scenario_traffic.h"
#include "workload/training/decode_step.h"
#include "workload/training/halo_exchange.h"
#include "workload/training/training_plan.h"

namespace weft::study::scenario {

using StepWork = std::variant<workload::TrainingPlan, workload::DecodePlan, workload::HaloPlan>;

/// The model and GPU must have been filled in.
[[nodiscard]] workload::TrainingJob training_job_of(const TrainingSettings& settings);

/// The model and GPU of the job must have been filled in. Errors, with the numbers: what the plan says.
[[nodiscard]] Result<StepWork> make_step_work(const JobSettings& job);

[[nodiscard]] std::span<const workload::Communicator> communicators_of(const StepWork& work);
[[nodiscard]] std::uint32_t steps_of(const StepWork& work);
[[nodiscard]] std::unique_ptr<workload::StepGraph> make_graph(const StepWork& work, workload::RankId rank);

}  // namespace weft::study::scenario
