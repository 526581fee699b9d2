// Composed steps: the graphs of jobs on machines without a network, where each collective takes what was measured.
//
// Jobs that share a network run at the same time; how their collectives slow one another is said by whoever has
// measured that (study/run/job_turns.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "workload/collective/costed_collectives.h"
#include "workload/training/node_log.h"
#include "workload/training/stragglers.h"

namespace weft::study::run {

struct ComposedStep {
  std::string job;
  std::uint32_t ranks = 0;
  workload::NodeLog& log;  // it must outlive the composition
  std::function<std::unique_ptr<workload::StepGraph>(workload::RankId)> graph{};
  std::function<workload::Stragglers(workload::RankId)> stragglers{};
  workload::CollectiveCost cost{};  // above zero
  workload::CostedNetwork::Sharing sharing{};
};

/// Runs all steps to their end; their logs are filled. `keep_going` is asked now and then. Errors: given up; a
/// deadlock.
[[nodiscard]] Result<void> compose_steps(std::span<const ComposedStep> steps, std::uint64_t seed,
                                         const std::function<bool()>& keep_going);

}  // namespace weft::study::run
